import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { type Hearing, hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { member, mentions, readObject, readText } from '../read/payload.ts';
import { fromUnix, trusted } from '../read/time.ts';
import { parseAhoyTopic } from './topic.ts';

/** AhoyDTU: what micro-inverters of Hoymiles make. */
export const ahoydtu = withoutMemory({ name: 'ahoydtu', takes: (topic) => parseAhoyTopic(topic) !== null, decode });

/** How JSON of a side begins: others have topics that end like its, too. */
const SIDE_START = /^\{"(?:[UIP]_[AD]C|YieldTotal)/;

function decode(message: DeviceMessage): Heard | null {
  const parsed = parseAhoyTopic(message.topic);
  if (!parsed) return null;
  if (parsed.what === 'nothing') return nothing();
  if (parsed.what === 'side') return decodeSide(message, parsed);
  // What the inverters tell, once more.
  if (parsed.what === 'sum') return isSum(message.payload) ? nothing() : null;
  const value = readText(message.payload);
  if (value === null) return refusal('payload is not text');
  const heard = hearing();
  const { device } = parsed;
  if (parsed.what === 'available') {
    const state = stateOf(value);
    heard.addState({ device, channel: 'device', kind: 'availability', value: state, name: 'available' });
  } else if (parsed.input === 0) addField(heard, { device, name: parsed.field, value, atMs: null });
  return heard;
}

/** All that a side tells, in JSON with the time at which its inverter told it. */
function decodeSide(
  { payload, receivedAtMs }: DeviceMessage,
  { device, input }: { device: string; input: number },
): Heard | null {
  if (!SIDE_START.test(readText(payload) ?? '')) return null;
  const body = readObject(payload);
  if (!body) return refusal('payload is not a JSON object');
  const ts = readNumber(member(body, 'ts'));
  if (typeof ts !== 'number') return null;
  const heard = hearing();
  const atMs = trusted(fromUnix(ts), receivedAtMs);
  if (input === 0) {
    for (const name of ['YieldTotal', 'P_AC']) addField(heard, { device, name, value: member(body, name), atMs });
  }
  return heard;
}

/** A field of the inverter; what its inputs made is in it: they are left alone. */
function addField(
  heard: Hearing,
  { name, ...said }: { device: string; name: string; value: unknown; atMs: number | null },
): void {
  if (name === 'YieldTotal') heard.add({ ...said, channel: 'export', kind: 'energy_total_kwh', name });
  else if (name === 'P_AC') heard.add({ ...said, channel: 'export', kind: 'power_w', name });
}

function isSum(payload: Buffer): boolean {
  const body = mentions(payload, '"YieldTotal"') ? readObject(payload) : null;
  return ['P_AC', 'YieldTotal', 'YieldDay'].every((name) => member(body, name) !== undefined);
}

/** 0: not available, 1: available, 2: available and producing. */
const stateOf = (text: string): string => (readNumber(text) === 2 ? '1' : text);
