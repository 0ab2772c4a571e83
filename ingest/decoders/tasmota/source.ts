import type { ValueKind } from '../family.ts';
import { asObjectOrNull, type Json } from '../read/payload.ts';
import type { ValueCollector } from '../read/value-collector.ts';

/** Device, time and result collector for all values of one message. */
export interface TasmotaMessageSource {
  collector: ValueCollector;
  device: string;
  atMs: number | null;
}

/** Maximum number of phases or tariffs in a list. A longer list is refused. Firmware on an ESP32 sends up to 8. */
const MAX_PARTS = 8;

/**
 * Returns a block of the message as an object; null if the block is missing. Refuses a block that is not an object, and also returns null.
 */
export function getSensorObject({ collector }: TasmotaMessageSource, value: unknown, name: string): Json | null {
  if (value === undefined || value === null) return null;
  const object = asObjectOrNull(value);
  if (!object) collector.refuse(`${name} is not an object`);
  return object;
}

/** Adds the elements of a list as `{channel}/{part}1`, `{channel}/{part}2` …, each checked independently. */
export function addNumberedValues(
  { collector, device, atMs }: TasmotaMessageSource,
  list: readonly unknown[],
  said: { channel: string; part: 'l' | 't'; kind: ValueKind; name: string },
): void {
  const { channel, part, kind, name } = said;
  if (list.length > MAX_PARTS) {
    collector.refuse(`${name} has more than ${MAX_PARTS} parts`);
    return;
  }
  list.forEach((value, index) => {
    const number = index + 1;
    collector.add({ device, channel: `${channel}/${part}${number}`, kind, value, atMs, name: `${name} ${number}` });
  });
}

/** Adds a number or, if the firmware sends a list with one number per phase, its elements as `{channel}/l1` … */
export function addTotalOrPhaseValues(
  source: TasmotaMessageSource,
  value: unknown,
  channel: string,
  kind: ValueKind,
  name: string,
): void {
  const { collector, device, atMs } = source;
  if (Array.isArray(value)) addNumberedValues(source, value, { channel, part: 'l', kind, name });
  else collector.add({ device, channel, kind, value, atMs, name });
}
