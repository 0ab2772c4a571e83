import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { degrees } from '../homeassistant/units.ts';
import { celsius, hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, member, readJson, readText } from '../read/payload.ts';
import { fromUnix, trusted } from '../read/time.ts';
import { meteredOf } from './meter.ts';
import { parseZwaveTopic, type ZwaveTopic } from './topic.ts';

/** Z-Wave JS UI (zwavejs2mqtt) by its own topics. What it announces to Home Assistant is read by what it announces. */
export const zwavejs = withoutMemory({
  name: 'zwavejs',
  takes: (topic) => parseZwaveTopic(topic) !== null,
  decode,
});

/** Operating states in which heat is made; `Pending Heat` is none. */
const HEATING_STATES = new Set([1, 7, 8, 10, 11]);
const HEATING_SETPOINT = 1;

function decode({ topic, payload, receivedAtMs }: DeviceMessage, settings: DecoderSettings): Heard | null {
  const parsed = parseZwaveTopic(topic);
  if (!parsed) return null;
  if (parsed.about === 'command') return nothing();
  if (parsed.about === 'status') return decodeStatus(parsed.node, payload, receivedAtMs);
  if (payload.length === 0) return nothing();
  const read = readValue(payload, receivedAtMs);
  return typeof read === 'string' ? refusal(read) : decodeValue(parsed, read, settings);
}

/** What a payload says, in any of the three ways in which it can be set to be written. */
interface Value {
  value: unknown;
  atMs: number | null;
  unit: string | null;
}

function readValue(payload: Buffer, receivedAtMs: number): Value | string {
  const json = readJson(payload);
  const body = asObject(json);
  if (!body) return { value: json === undefined ? readText(payload) : json, atMs: null, unit: null };
  if (!['value', 'time', 'commandClass'].some((name) => Object.hasOwn(body, name))) {
    return 'payload is not a value of Z-Wave JS UI';
  }
  const time = readNumber(member(body, 'time') ?? member(body, 'lastUpdate'));
  const unit = member(body, 'unit');
  return {
    value: member(body, 'value'),
    atMs: typeof time === 'number' ? trusted(fromUnix(time), receivedAtMs) : null,
    unit: typeof unit === 'string' ? unit : null,
  };
}

type ValueTopic = Exclude<ZwaveTopic, { about: 'status' | 'command' }>;

function decodeValue(
  { about, node, endpoint, property, key }: ValueTopic,
  { value, atMs, unit }: Value,
  settings: DecoderSettings,
): Heard {
  const heard = hearing();
  const said = { device: node, value, atMs, name: key === null ? property : `${property}/${key}` };
  const room = endpoint === 0 ? 'room' : `room/ep${endpoint}`;
  if (about === 'meter') {
    if (property !== 'value' || key === null) return heard;
    const metered = meteredOf(key, endpoint === 0 ? '' : `ep${endpoint}/`);
    if (metered === 'pulses') heard.see(node);
    else if (metered) heard.add({ ...said, ...metered });
  } else if (about === 'state') {
    if (property !== 'state') return heard;
    const state = readNumber(value);
    if (state === undefined) heard.refuse('the operating state is not a number', node);
    else if (state !== null) {
      heard.addState({ ...said, channel: room, kind: 'heating', value: HEATING_STATES.has(state) });
    }
  } else {
    const isAir = about === 'sensor' && property === 'Air_temperature' && key === null;
    if (!isAir && !(about === 'setpoint' && property === 'setpoint' && key === HEATING_SETPOINT)) return heard;
    // Only the whole value id has a unit; the scale is a setting of whoever runs it.
    const scale = degrees(unit) ?? settings.zwavejs?.temperature_unit;
    if (!scale) heard.see(node);
    else {
      const kind = isAir ? 'temperature_c' : 'setpoint_c';
      heard.add({ ...said, channel: room, kind, value: celsius(value, scale) });
    }
  }
  return heard;
}

/** Dead or not. Others have such topics, too: the node's number and a boolean tell them apart. */
function decodeStatus(node: string, payload: Buffer, receivedAtMs: number): Heard | null {
  const body = asObject(readJson(payload));
  const value = member(body, 'value');
  if (typeof value !== 'boolean' || typeof member(body, 'nodeId') !== 'number') return null;
  const heard = hearing();
  const time = readNumber(member(body, 'time'));
  const atMs = typeof time === 'number' ? trusted(fromUnix(time), receivedAtMs) : null;
  heard.addState({ device: node, channel: 'device', kind: 'availability', value, atMs, name: 'status' });
  return heard;
}
