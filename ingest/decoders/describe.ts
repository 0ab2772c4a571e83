import { current, type DecoderSettings, type DeviceMessage, type Said } from './family.ts';
import { hearNative } from './native/describe.ts';
import { createDecoders } from './remembering.ts';

/** An earlier message. The decoders learn from it (announcements, units); its readings are not shown. */
export interface Prior {
  topic: string;
  payload: Buffer;
}

/** A reading as `energy decode` prints it. */
export interface Described {
  device: string;
  channel: string;
  kind: Said['kind'];
  value: number | boolean;
  /** Time as ISO 8601 in UTC; null if the message has no time of its own (the time of receipt applies). */
  ts: string | null;
}

/** A quantity that does not count until the owner states its meaning. */
export interface Asked {
  device: string;
  native_name: string;
  /** Unit of the value; null if the message does not state one. */
  unit: string | null;
  value: number | boolean;
}

/**
 * Returns the readings, open questions and refusals of one message, decoded by new decoders that have learnt only from `prior`. Returns
 * null if no family recognises the message.
 */
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

/** Returns the open question to the owner about a quantity, as a list of at most one element. */
export const asked = ({ device, native, value, asks }: Said): Asked[] =>
  asks ? [{ device, native_name: native, unit: asks.unit, value }] : [];

/** Returns a quantity in the form that `energy decode` prints. */
export const described = ({ device, channel, kind, value, atMs }: Said): Described => ({
  device,
  channel,
  kind,
  value,
  ts: atMs === null ? null : new Date(atMs).toISOString(),
});
