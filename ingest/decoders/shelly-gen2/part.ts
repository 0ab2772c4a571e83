import type { SaidKind } from '../family.ts';
import type { Hearing } from '../read/heard.ts';
import type { Json } from '../read/payload.ts';

/** The status of one component of a device: all of it, or those members that have changed. */
export interface Part {
  device: string;
  /** `switch:0`, for reasons of refusal. */
  name: string;
  id: number;
  status: Json;
  atMs: number | null;
}

/** Reads what a component of its type says. */
export type ReadPart = (heard: Hearing, part: Part) => void;

/** Adds a member of a component's status; one that is missing has not changed, one that is null could not be measured. */
export function addMember(
  heard: Hearing,
  { device, name, atMs }: Part,
  said: { channel: string; kind: SaidKind; value: unknown; member: string },
): void {
  // All registers are in Wh.
  const per = said.kind === 'energy_total_kwh' ? 1_000 : 1;
  const { channel, kind, value } = said;
  heard.add({ device, channel, kind, value, per, atMs, name: `${name} ${said.member}` });
}
