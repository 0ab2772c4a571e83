import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { type Hearing, hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, member, readObject, readText } from '../read/payload.ts';
import { fromIso, fromUnix, trusted } from '../read/time.ts';
import { quantityOf } from './names.ts';
import { parseEmonTopic } from './topic.ts';

/** OpenEnergyMonitor: emonHub, EmonESP, and JSON as Emoncms reads it. */
export const emon = withoutMemory({ name: 'emon', takes: (topic) => parseEmonTopic(topic) !== null, decode });

function decode(message: DeviceMessage, settings: DecoderSettings): Heard | null {
  const parsed = parseEmonTopic(message.topic);
  if (!parsed) return null;
  if (parsed.what === 'other') return nothing();
  const text = readText(message.payload);
  if (text === null) return refusal('payload is not text');
  const { node } = parsed;
  const heard = hearing();
  if (/^\s*\{/.test(text)) {
    const body = readObject(message.payload);
    if (!body) return refusal('payload is not a JSON object');
    const before = parsed.what === 'name' ? `${parsed.name}_` : '';
    const atMs = timeOf(body, message.receivedAtMs, settings.tz);
    for (const [key, value] of Object.entries(body)) {
      // {"power": {"value": 10}} is the power, as well.
      const inner = asObject(value);
      const is = inner && Object.hasOwn(inner, 'value') ? inner.value : value;
      addName(heard, { node, name: before + key, value: is, atMs }, settings);
    }
  } else if (parsed.what === 'name') addName(heard, { node, name: parsed.name, value: text, atMs: null }, settings);
  // Else: values without names.
  return heard;
}

function addName(
  heard: Hearing,
  { node, name, value, atMs }: { node: string; name: string; value: unknown; atMs: number | null },
  settings: DecoderSettings,
) {
  const quantity = quantityOf(node, name, value, settings);
  if (quantity === 'unset') heard.see(node);
  else if (quantity instanceof Error) heard.refuse(quantity.message);
  else if (quantity) heard.add({ ...quantity, device: node, atMs });
}

/** `time` in whatever case, as Unix seconds or a date; null where there is none. */
function timeOf(body: Json, receivedAtMs: number, tz: string | undefined): number | null {
  const key = Object.keys(body).find((name) => name.toLowerCase() === 'time');
  const time = key === undefined ? undefined : member(body, key);
  const unix = readNumber(time);
  return trusted(typeof unix === 'number' ? fromUnix(unix) : fromIso(time, { tz, receivedAtMs }), receivedAtMs);
}
