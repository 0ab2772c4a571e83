import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { readText } from '../read/payload.ts';
import { FIELDS } from './fields.ts';
import { isDefaultBase, parseTopic } from './topic.ts';

/** HeishaMon: Panasonic heat pumps, and two S0 meters at it. */
export const heishamon = withoutMemory({ name: 'heishamon', takes: isTaken, decode });

/** Beneath its default base all is its own, elsewhere what is read. */
function isTaken(topic: string): boolean {
  const parsed = parseTopic(topic);
  return parsed !== null && (FIELDS.has(parsed.path) || isDefaultBase(parsed.base));
}

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseTopic(topic);
  if (!parsed || !isTaken(topic)) return null;
  const { base, path, port } = parsed;
  const found = FIELDS.get(path);
  if (path !== 'LWT' && !found) return nothing();
  const text = readText(payload);
  if (text === null) return refusal(`${path} is not text`);
  const heard = hearing();
  if (!found) {
    heard.addState({ device: base, channel: 'device', kind: 'availability', value: text, name: 'LWT' });
    return heard;
  }
  const { least, ...field } = found;
  const number = readNumber(text);
  if (field.kind !== 'energy_total_kwh' && typeof number === 'number' && number < least) return heard;
  // Each S0 port has a meter of its own: nobody knows whether it is of the heat pump.
  heard.add({ device: port === '' ? base : `${base}/s0/${port}`, value: text, name: path, ...field });
  return heard;
}
