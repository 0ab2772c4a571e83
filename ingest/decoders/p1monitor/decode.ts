import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';
import { FIELDS } from './fields.ts';
import { parseTopic } from './topic.ts';

/** P1 Monitor (ztatz.nl): a Dutch smart meter, its gas and water, and an S0 meter of solar panels. */
export const p1monitor = withoutMemory({ name: 'p1monitor', takes: (topic) => parseTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseTopic(topic);
  if (!parsed) return null;
  const found = FIELDS.get(parsed.path);
  if (!found) return nothing();
  const text = readText(payload);
  if (text === null) return refusal(`${parsed.path} is not text`);
  const heard = hearing();
  const { channel, kind, times, part } = found;
  const device = part === '' ? parsed.prefix : `${parsed.prefix}/${part}`;
  heard.add({ device, channel, kind, value: text, times, name: parsed.path });
  return heard;
}
