import type { DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readJson, readText } from '../read/payload.ts';
import { fieldOf } from './fields.ts';
import { type Behind, isBehind, isHierarchy, learnHierarchy } from './hierarchy.ts';
import { type OpenWbTopic, parseTopic } from './topic.ts';

/** openWB 1.9 and 2.x: charge points, and the counters, inverters and batteries around them. */
export const openwb: Family<Behind> = {
  name: 'openwb',
  takes: (topic) => parseTopic(topic) !== null,
  remembers: isHierarchy,
  newMemory: () => new Map(),
  learn: learnHierarchy,
  decode: (message, _settings, memory) => decode(message, memory),
};

function decode({ topic, payload }: DeviceMessage, memory: Behind): Heard | null {
  const parsed = parseTopic(topic);
  if (parsed === null) return null;
  if (parsed === 'other') return nothing();
  // An intermediate counter is a circuit of its own, by which it is known not to be at the grid.
  const circuit = isBehind(memory, parsed.device) ? 'branch/' : '';
  if (parsed.version === 2 && parsed.field === 'powers') return decodePhases(parsed, payload, circuit);
  const found = fieldOf(parsed);
  if (!found) return nothing();
  const text = readText(payload);
  if (text === null) return refusal(`${parsed.field} is not text`);
  const heard = hearing();
  heard.add({ device: parsed.device, value: text, name: parsed.field, ...found, channel: circuit + found.channel });
  return heard;
}

/** `[-26, -334, 50]`: the power of each phase, with its sign. */
function decodePhases({ device, part }: OpenWbTopic, payload: Buffer, circuit: string): Heard {
  if (part === 'pv' || part === 'bat') return nothing();
  const powers = readJson(payload);
  if (powers === null) return nothing();
  if (!Array.isArray(powers) || powers.length > 3) return refusal('powers is not a list of three');
  const heard = hearing();
  for (const [index, value] of powers.entries()) {
    const name = `powers[${index}]`;
    heard.add({ device, channel: `${circuit}import/l${index + 1}`, kind: 'power_w', value, name });
  }
  return heard;
}
