import type { ChannelAssignment, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { asObjectOrNull, getMember, parseJsonObject, readJson, readText } from '../read/payload.ts';
import { convertUnixTimeToMs, discardImplausibleTime, parseIsoTime } from '../read/time.ts';
import {
  convertToCelsius,
  createEmptyResult,
  createValueCollector,
  createRefusedResult as refusing,
  type ValueCollector,
} from '../read/value-collector.ts';
import { readAvailability } from './availability.ts';
import type { AnnouncedEntity } from './entity.ts';
import { evaluateTemplate, type TemplateMessage } from './evaluate.ts';
import { AnnouncedEntityCache } from './memory.ts';
import type { ValueSource } from './source.ts';
import { isReadableConfigTopic, parseConfigTopic } from './topic.ts';
import { askAboutUnannouncedMembers } from './unannounced.ts';

/** Member names that devices use for the time of a message. */
const TIMES = ['lastseen', 'last_seen', 'timestamp', 'time', 'Time'];
const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/i;
const NO_READING = new Set(['', 'nan', 'none', 'null', 'unknown', 'unavailable']);
const HEATING = new Map([
  ...['heating', 'preheating', 'heat'].map((word) => [word, true] as const),
  ...['idle', 'off', 'cooling', 'drying', 'fan', 'defrosting', 'cool'].map((word) => [word, false] as const),
]);

/** Decoder of every device that announces itself by Home Assistant discovery: ESPHome, rtlamr2mqtt, DSMR-API and many others. */
export const homeassistantFamily: Family<AnnouncedEntityCache> = {
  name: 'homeassistant',
  remembers: isReadableConfigTopic,
  newMemory: () => new AnnouncedEntityCache(),
  learn: (memory, message) => memory.learn(message),
  announcedOn(memory, topic) {
    const entities = [...(memory.on(topic)?.sources.values() ?? [])];
    return [...new Set(entities.map(({ device }) => device))];
  },
  decode(message, settings, memory) {
    if (parseConfigTopic(message.topic)) return announcement(message, memory);
    const speakers = memory.on(message.topic);
    if (!speakers) return null;
    const text = readText(message.payload);
    if (text === null) return refusing('the payload is not text');
    const state: TemplateMessage = { text, json: readJson(message.payload) };
    const collector = createValueCollector();
    const atMs = timeOf(state, message.receivedAtMs);
    const said = new Set<string>();
    for (const [one, entity] of speakers.availabilities) {
      // All entities of a device share its availability topic, so the topic is evaluated once per device.
      if (!said.has(entity.device)) {
        if (one.refusal) collector.refuse(one.refusal);
        const value = one.refusal ? null : readAvailability(one, state);
        if (value === undefined) collector.refuse(`${text.slice(0, 40)} is neither available nor not available`);
        else if (value !== null) collector.addState({ ...deviceState(entity), value });
        said.add(entity.device);
      }
    }
    for (const [source, entity] of speakers.sources) {
      const place = memory.placeOf(entity);
      // Without a channel, the value is ignored and not reported as refused.
      if (place) listen(collector, state, { source, entity, place, atMs });
    }
    if (collector.said.length + collector.refused.length > 0) return collector;
    const device = memory.deviceWithoutRegisters(message.topic);
    if (device === undefined) return collector;
    return askAboutUnannouncedMembers(message, settings, { device, sources: [...speakers.sources.keys()] });
  },
};

const deviceState = ({ device }: AnnouncedEntity) =>
  ({ device, channel: 'device', kind: 'availability', name: 'the availability' }) as const;

function announcement({ topic, payload }: DeviceMessage, memory: AnnouncedEntityCache): FamilyDecodeResult {
  const rubbish = isReadableConfigTopic(topic) && payload.length > 0 && !parseJsonObject(payload);
  if (rubbish) return refusing('the announcement is not a JSON object');
  const announced = payload.length > 0 ? memory.announcedBy(topic) : undefined;
  return announced ? { ...createEmptyResult(), announced } : createEmptyResult();
}

function listen(
  collector: ValueCollector,
  state: TemplateMessage,
  {
    source,
    entity,
    place,
    atMs: time,
  }: { source: ValueSource; entity: AnnouncedEntity; place: ChannelAssignment; atMs: number | null },
): void {
  if (NO_READING.has(state.text.trim().toLowerCase())) return;
  const refusal = source.refusal ?? (source.json && state.json === undefined ? 'the payload is not JSON' : undefined);
  if (refusal !== undefined) {
    collector.refuse(refusal);
    return;
  }
  const value = source.template ? evaluateTemplate(source.template, state) : state.text;
  const { device, object: name } = entity;
  const { channel } = place;
  const atMs = source.json ? time : null;
  const { kind } = source;
  if (kind === 'heating') {
    const word = String(value ?? '')
      .trim()
      .toLowerCase();
    if (NO_READING.has(word)) return;
    collector.addState({
      device,
      channel,
      kind,
      value: HEATING.get(word) ?? word,
      atMs,
      name: `the action of ${name}`,
    });
  } else if (kind === 'temperature_c' || kind === 'setpoint_c') {
    collector.add({ device, channel, kind, value: convertToCelsius(value, source.degrees), atMs, name });
  } else collector.add({ ...place, device, kind, value, ...source.scale, atMs, name: entity.name ?? name });
}

/**
 * Returns the time that a JSON message contains, as text with a time zone or as Unix time. Returns null if the message contains no time.
 */
function timeOf(state: TemplateMessage, receivedAtMs: number): number | null {
  const body = asObjectOrNull(state.json);
  for (const name of TIMES) {
    const value = getMember(body, name);
    if (typeof value === 'number') return discardImplausibleTime(convertUnixTimeToMs(value), receivedAtMs);
    if (typeof value === 'string' && ZONED.test(value))
      return discardImplausibleTime(parseIsoTime(value, { receivedAtMs }), receivedAtMs);
  }
  return null;
}
