import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { readText } from '../read/payload.ts';
import { parseAhoyTopic } from './topic.ts';

/** AhoyDTU: what micro-inverters of Hoymiles make. */
export const ahoydtu = withoutMemory({ name: 'ahoydtu', takes: (topic) => parseAhoyTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseAhoyTopic(topic);
  if (!parsed) return null;
  if (parsed.what === 'nothing') return nothing();
  const value = readText(payload);
  if (value === null) return refusal('payload is not text');
  const heard = hearing();
  const { device } = parsed;
  if (parsed.what === 'available') {
    const state = stateOf(value);
    heard.addState({ device, channel: 'device', kind: 'availability', value: state, name: 'available' });
  } else if (parsed.input === 0) {
    // What the inputs made is in it: they are left alone.
    const { field: name } = parsed;
    if (name === 'YieldTotal') heard.add({ device, channel: 'export', kind: 'energy_total_kwh', value, name });
    else if (name === 'P_AC') heard.add({ device, channel: 'export', kind: 'power_w', value, name });
  }
  return heard;
}

/** 0: not available, 1: available, 2: available and producing. */
const stateOf = (text: string): string => (readNumber(text) === 2 ? '1' : text);
