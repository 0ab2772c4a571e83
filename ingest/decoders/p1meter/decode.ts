import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';
import { FIELDS } from './fields.ts';
import { parseTopic } from './topic.ts';

/** The sketch prints a C `long`: a decimal is a fork's, in a unit that nobody knows. */
const WHOLE = /^\s*-?\d{1,10}\s*$/;

/** Sketches for an ESP8266 at a P1 port (esp8266_p1meter and its forks): a topic for each field. */
export const p1meter = withoutMemory({ name: 'p1meter', takes: (topic) => parseTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseTopic(topic);
  const found = parsed && FIELDS.get(parsed.field);
  if (!parsed || !found) return null;
  const text = readText(payload);
  if (text === null) return refusal(`${parsed.field} is not text`);
  const heard = hearing();
  const { channel, kind, per } = found;
  if (text.trim() !== '' && !WHOLE.test(text)) heard.refuse(`${parsed.field} is not a whole number`, parsed.device);
  else heard.add({ device: parsed.device, channel, kind, value: text, per, name: parsed.field });
  return heard;
}
