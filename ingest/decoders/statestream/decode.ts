import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { celsius, hearing, nothing, refusal } from '../read/heard.ts';
import { readJson, readText } from '../read/payload.ts';
import { readableOf, type Told } from './entity.ts';
import { parseStreamTopic } from './topic.ts';

/** Most entities that are remembered; beyond it, the one that was told of longest ago is forgotten. */
const MAX_ENTITIES = 5_000;
const MAX_TEXT = 200;
const HEATING = new Map([
  ...['heating', 'preheating'].map((word) => [word, true] as const),
  ...['idle', 'off', 'cooling', 'drying', 'fan', 'defrosting'].map((word) => [word, false] as const),
]);

/** Home Assistant's state stream. Remembers what its attributes say of each entity. */
export const statestream: Family<Map<string, Told>> = {
  name: 'statestream',
  takes: (topic) => parseStreamTopic(topic) !== null,
  remembers: (topic) => parseStreamTopic(topic)?.about === 'attribute',
  newMemory: () => new Map(),
  isNews(memory, { topic, payload }) {
    const parsed = parseStreamTopic(topic);
    const text = quoted(payload);
    return parsed?.about === 'attribute' && text !== null && memory.get(parsed.device)?.[parsed.attribute] !== text;
  },
  learn(memory, { topic, payload }) {
    const parsed = parseStreamTopic(topic);
    const text = quoted(payload);
    if (parsed?.about !== 'attribute' || text === null) return;
    const told = { ...memory.get(parsed.device), [parsed.attribute]: text };
    memory.delete(parsed.device);
    memory.set(parsed.device, told);
    const [oldest] = memory.keys();
    if (memory.size > MAX_ENTITIES && oldest !== undefined) memory.delete(oldest);
  },
  decode,
};

/** Attributes are JSON, so a text is in quotation marks; a bare one is somebody else's. */
function quoted(payload: Buffer): string | null {
  const json = readJson(payload);
  return typeof json === 'string' && json !== '' ? json.slice(0, MAX_TEXT) : null;
}

function decode(
  { topic, payload }: DeviceMessage,
  _settings: DecoderSettings,
  memory: Map<string, Told>,
): Heard | null {
  const parsed = parseStreamTopic(topic);
  if (!parsed) return null;
  const { device, object } = parsed;
  if (parsed.about === 'attribute') return quoted(payload) === null ? null : nothing();
  const heard = hearing();
  if (parsed.about === 'action') {
    const action = quoted(payload);
    const value = action === null ? undefined : HEATING.get(action);
    if (value === undefined) return null;
    heard.addState({ device, channel: 'room', kind: 'heating', value, name: 'hvac_action' });
    return heard;
  }
  const told = memory.get(device);
  // Others have such topics, too: a unit in quotation marks tells them apart.
  if (told?.unit_of_measurement === undefined) return null;
  const readable = readableOf(object, told);
  if (!readable || payload.length === 0) return nothing();
  const text = readText(payload);
  if (text === null) return refusal('the payload is no text');
  const { degrees, ...quantity } = readable;
  heard.add({ ...quantity, device, value: degrees ? celsius(text, degrees) : text, name: object });
  return heard;
}
