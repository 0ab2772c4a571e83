import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';
import { meaningOf } from './codes.ts';
import { parseTopic } from './topic.ts';

/** Of the running period; others are what a meter remembers of earlier ones. */
const NOW = 255;

/** SMLReader: an optical reader of German meters, with a topic for each value of an SML file. */
export const smlreader = withoutMemory({ name: 'smlreader', takes: (topic) => parseTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseTopic(topic);
  if (!parsed) return null;
  const { device, code, period } = parsed;
  const meaning = period === NOW ? meaningOf(code) : null;
  if (!meaning) return nothing();
  const text = readText(payload);
  if (text === null) return refusal(`${code} is not text`);
  const { channel, kind, per, asks } = meaning;
  const heard = hearing();
  // Counted or not, its owner is told kWh and W.
  const asked = asks ? { unit: kind === 'power_w' ? 'W' : 'kWh' } : undefined;
  heard.add({ device, channel, kind, value: text, per, name: code, asks: asked });
  return heard;
}
