import type { DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { parseJsonObject, readText } from '../read/payload.ts';
import {
  convertToCelsius,
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
} from '../read/value-collector.ts';
import { DescribedPropertyCache } from './memory.ts';
import { parseHomieTopic } from './topic.ts';

/** Reachability of a device by its Homie state. Null for `init` and `alert`: the device may or may not be reachable. */
const STATES = new Map<string, boolean | null>([
  ['init', null],
  ['ready', true],
  ['disconnected', false],
  ['sleeping', true],
  ['lost', false],
  ['alert', null],
]);
const DESCRIBING = new Set(['description', 'attribute']);

/** Decoder of devices that follow the Homie convention (3, 4 and 5), which announce the unit of each property once. */
export const homieFamily: Family<DescribedPropertyCache> = {
  name: 'homie',
  takes: (topic) => parseHomieTopic(topic) !== null,
  remembers: (topic) => DESCRIBING.has(parseHomieTopic(topic)?.about ?? ''),
  newMemory: () => new DescribedPropertyCache(),
  learn: (memory, message) => memory.learn(message),
  decode(message, _settings, memory) {
    const parsed = parseHomieTopic(message.topic);
    if (!parsed) return null;
    if (parsed.about === 'state') return stateOf(parsed.device, message, memory);
    if (parsed.about === 'description' && message.payload.length > 0 && !parseJsonObject(message.payload)) {
      return createRefusedResult('the description is not a JSON object');
    }
    if (parsed.about !== 'property') return createEmptyResult();
    const readable = memory.readable(parsed);
    // If the firmware publishes no attributes, the decoder returns null, so that the family `names` can decode the message. A replayed
    // value may arrive before its attributes, so it is ignored instead.
    if (!readable) return memory.isDescribed(parsed.device) || message.replayed ? createEmptyResult() : null;
    const text = readText(message.payload);
    if (text === null) return createRefusedResult('the payload is not text');
    const collector = createValueCollector();
    const { kind, channel, asks, key, described, scale } = readable;
    const name = `${parsed.node}/${parsed.property}`;
    const said = { device: parsed.device, channel, name };
    // Homie 5 encodes an empty text as a single NUL.
    const value = text === '\0' ? '' : text;
    if (kind === 'heating') collector.addState({ ...said, kind, value });
    else if (kind === 'temperature_c' || kind === 'setpoint_c') {
      collector.add({ ...said, kind, value: convertToCelsius(value, readable.degrees) });
    } else collector.add({ ...said, asks, key, described, kind, value, ...scale });
    return collector;
  },
};

function stateOf(device: string, { payload }: DeviceMessage, memory: DescribedPropertyCache): FamilyDecodeResult {
  const state = readText(payload)?.trim() ?? '';
  if (payload.length === 0) return createEmptyResult();
  const value = STATES.get(state);
  if (value === undefined) return createRefusedResult(`${state.slice(0, 40)} is not a state of Homie`);
  if (value === null) return createEmptyResult();
  const collector = createValueCollector();
  const said = { channel: 'device', kind: 'availability', value, name: '$state' } as const;
  collector.addState({ ...said, device });
  // If the root device is lost, its child devices are lost, too, because only the root has a last will. A root that is ready again does not
  // prove that its children are reachable.
  if (state === 'lost') for (const child of memory.childrenOf(device)) collector.addState({ ...said, device: child });
  return collector;
}
