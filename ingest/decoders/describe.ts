import { current, type DecoderSettings, type DeviceMessage, type Said } from './family.ts';
import { hearNative } from './native/describe.ts';
import { createDecoders } from './remembering.ts';

/** A message that arrived before: it teaches, and says nothing now. */
export interface Prior {
  topic: string;
  payload: Buffer;
}

/** A reading as `energy decode` shows it. */
export interface Described {
  device: string;
  channel: string;
  kind: Said['kind'];
  value: number | boolean;
  /** ISO 8601 UTC; null: as old as its receipt. */
  ts: string | null;
}

/** A quantity that counts for nothing until its owner says what it is. */
export interface Asked {
  device: string;
  native_name: string;
  /** Null: the message does not say. */
  unit: string | null;
  value: number | boolean;
}

/** What the service reads out of one message, by decoders that know nothing but `prior`; null: nobody's message. */
export function describe(
  message: DeviceMessage & { replayed: boolean },
  settings: DecoderSettings,
  prior: readonly Prior[],
): { family: string; readings: Described[]; asks: Asked[]; refused: string[] } | null {
  const native = hearNative(message);
  if (native) {
    const readings = native.said.filter(({ asks }) => !asks).map(described);
    return { family: 'native', readings, asks: native.said.flatMap(asked), refused: native.refused };
  }
  const decoders = createDecoders();
  for (const one of prior) decoders.recall({ ...one, receivedAtMs: message.receivedAtMs });
  const heard = decoders.hear(message, settings);
  if (!heard) return null;
  const said = current(heard, message.replayed);
  return {
    family: heard.family,
    readings: said.filter(({ asks }) => !asks).map(described),
    asks: said.flatMap(asked),
    refused: heard.refused,
  };
}

/** What a quantity asks its owner, as a list of at most one. */
export const asked = ({ device, native, value, asks }: Said): Asked[] =>
  asks ? [{ device, native_name: native, unit: asks.unit, value }] : [];

/** A quantity as it is shown. */
export const described = ({ device, channel, kind, value, atMs }: Said): Described => ({
  device,
  channel,
  kind,
  value,
  ts: atMs === null ? null : new Date(atMs).toISOString(),
});
