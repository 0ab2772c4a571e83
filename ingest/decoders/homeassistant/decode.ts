import type { DeviceMessage, Family, Heard, Place } from '../family.ts';
import { celsius, type Hearing, hearing, nothing, refusal as refusing } from '../read/heard.ts';
import { asObject, member, readJson, readObject, readText } from '../read/payload.ts';
import { fromIso, fromUnix, trusted } from '../read/time.ts';
import { readAvailability } from './availability.ts';
import type { Entity } from './entity.ts';
import { evaluate, type State } from './evaluate.ts';
import { Announced } from './memory.ts';
import type { Source } from './source.ts';
import { announcesReadings, parseConfigTopic } from './topic.ts';

/** Member names that devices use for the time of a message. */
const TIMES = ['lastseen', 'last_seen', 'timestamp', 'time', 'Time'];
const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/i;
const NO_READING = new Set(['', 'nan', 'none', 'null', 'unknown', 'unavailable']);
const HEATING = new Map([
  ...['heating', 'preheating', 'heat'].map((word) => [word, true] as const),
  ...['idle', 'off', 'cooling', 'drying', 'fan', 'defrosting', 'cool'].map((word) => [word, false] as const),
]);

/** Decoder of every device that announces itself by Home Assistant discovery: ESPHome, rtlamr2mqtt, DSMR-API and many others. */
export const homeassistant: Family<Announced> = {
  name: 'homeassistant',
  remembers: announcesReadings,
  newMemory: () => new Announced(),
  learn: (memory, message) => memory.learn(message),
  announcedOn(memory, topic) {
    const entities = [...(memory.on(topic)?.sources.values() ?? [])];
    return [...new Set(entities.map(({ device }) => device))];
  },
  decode(message, _settings, memory) {
    if (parseConfigTopic(message.topic)) return announcement(message, memory);
    const speakers = memory.on(message.topic);
    if (!speakers) return null;
    const text = readText(message.payload);
    if (text === null) return refusing('the payload is no text');
    const state: State = { text, json: readJson(message.payload) };
    const heard = hearing();
    const atMs = timeOf(state, message.receivedAtMs);
    const said = new Set<string>();
    for (const [one, entity] of speakers.availabilities) {
      // All entities of a device share the availability topic, so it is evaluated once per device.
      if (!said.has(entity.device)) {
        if (one.refusal) heard.refuse(one.refusal);
        const value = one.refusal ? null : readAvailability(one, state);
        if (value === undefined) heard.refuse(`${text.slice(0, 40)} is neither available nor not available`);
        else if (value !== null) heard.addState({ ...deviceState(entity), value });
        said.add(entity.device);
      }
    }
    for (const [source, entity] of speakers.sources) {
      const place = memory.placeOf(entity);
      // Values of entities that are not read are not refused either.
      if (place) listen(heard, state, { source, entity, place, atMs });
    }
    return heard;
  },
};

const deviceState = ({ device }: Entity) =>
  ({ device, channel: 'device', kind: 'availability', name: 'the availability' }) as const;

function announcement({ topic, payload }: DeviceMessage, memory: Announced): Heard {
  const rubbish = announcesReadings(topic) && payload.length > 0 && !readObject(payload);
  if (rubbish) return refusing('the announcement is no JSON object');
  const announced = payload.length > 0 ? memory.announcedBy(topic) : undefined;
  return announced ? { ...nothing(), announced } : nothing();
}

function listen(
  heard: Hearing,
  state: State,
  { source, entity, place, atMs: time }: { source: Source; entity: Entity; place: Place; atMs: number | null },
): void {
  if (NO_READING.has(state.text.trim().toLowerCase())) return;
  const refusal = source.refusal ?? (source.json && state.json === undefined ? 'the payload is not JSON' : undefined);
  if (refusal !== undefined) {
    heard.refuse(refusal);
    return;
  }
  const value = source.template ? evaluate(source.template, state) : state.text;
  const { device, object: name } = entity;
  const { channel } = place;
  const atMs = source.json ? time : null;
  const { kind } = source;
  if (kind === 'heating') {
    const word = String(value ?? '')
      .trim()
      .toLowerCase();
    if (NO_READING.has(word)) return;
    heard.addState({ device, channel, kind, value: HEATING.get(word) ?? word, atMs, name: `the action of ${name}` });
  } else if (kind === 'temperature_c' || kind === 'setpoint_c') {
    heard.add({ device, channel, kind, value: celsius(value, source.degrees), atMs, name });
  } else heard.add({ ...place, device, kind, value, ...source.scale, atMs, name: entity.name ?? name });
}

/** Returns the time in a JSON message: a text with a time zone, or Unix time. Null if there is none. */
function timeOf(state: State, receivedAtMs: number): number | null {
  const body = asObject(state.json);
  for (const name of TIMES) {
    const value = member(body, name);
    if (typeof value === 'number') return trusted(fromUnix(value), receivedAtMs);
    if (typeof value === 'string' && ZONED.test(value)) return trusted(fromIso(value, { receivedAtMs }), receivedAtMs);
  }
  return null;
}
