import {
  createStatelessFamily,
  type DecoderSettings,
  type DeviceMessage,
  type FamilyDecodeResult,
  type ValueKind,
} from '../family.ts';
import { findPowerScale, findTemperatureScale } from '../homeassistant/units.ts';
import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, readJson, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import {
  convertToCelsius,
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
  type MessageQuantity,
} from '../read/value-collector.ts';
import { findVolumeScale, getVolumeChannel, US_GALLON_SCALE, type VolumeScale } from '../read/volume.ts';
import { hasRainWord } from '../vocabulary/volume-of.ts';

/** Command classes that are decoded, with their numbers (used in value id topics) and their names (used in named topics). */
const CLASSES = new Map([
  ['49', 'sensor'],
  ['sensor_multilevel', 'sensor'],
  ['50', 'meter'],
  ['meter', 'meter'],
  ['66', 'state'],
  ['thermostat_operating_state', 'state'],
  ['67', 'setpoint'],
  ['thermostat_setpoint', 'setpoint'],
] as const);

type About = 'sensor' | 'meter' | 'state' | 'setpoint';

/** Parsed topic of Z-Wave JS UI. `node` is the topic of the node, including its prefix. */
type ZwaveTopic =
  | { about: About; node: string; endpoint: number; property: string; key: number | null }
  | { about: 'status'; node: string }
  | { about: 'command' };

const WORDS = [...CLASSES.keys()].filter((word) => !/^\d/.test(word)).join('|');
/**
 * Matches the end of a value's topic. The node's name gets as many levels as possible, because a node may have the name of a command class
 * (`zwave/50/50/0/value/65537`).
 */
const VALUE = new RegExp(
  `^(.+)/(?:(49|50|66|67)/(\\d{1,3})|(${WORDS})/endpoint_(\\d{1,3}))/([A-Za-z][^/]*)(?:/(\\d{1,9}))?(/set)?$`,
);
const STATUS = '/status';

/**
 * Parses a topic by its last levels, because the owner chooses prefix, location and name, which may contain slashes. Returns null if the
 * topic does not have this form.
 */
function parseZwaveTopic(topic: string): ZwaveTopic | null {
  const [, node, number, numbered, name, named, property, key, set] = VALUE.exec(topic) ?? [];
  const about = CLASSES.get((number ?? name) as '49');
  // The topic of a node always has a prefix.
  if (node?.includes('/') && property && about) {
    if (set) return { about: 'command' };
    return { about, node, endpoint: Number(numbered ?? named), property, key: key === undefined ? null : Number(key) };
  }
  const ofNode = topic.endsWith(STATUS) ? topic.slice(0, -STATUS.length) : '';
  return ofNode.includes('/') && !ofNode.includes('/_CLIENTS/') ? { about: 'status', node: ofNode } : null;
}

const [ELECTRIC, GAS, WATER, HEATING, COOLING] = [1, 2, 3, 4, 5];
const RATES = ['unspecified', 'import', 'export'] as const;
const PULSES = 3;

/** Meaning of a value of the Meter command class. `pulses`: a number of pulses without a known unit. Null: the value is ignored. */
type Metered = Pick<MessageQuantity, 'channel' | 'kind' | 'times' | 'per' | 'asks'> | 'pulses' | null;

/**
 * Returns the meaning of a value of the Meter command class by its key. The third byte of the key is the type of meter, the second is the
 * scale, and the first states whether the energy is consumed or produced. `circuit`: `ep1/` for an endpoint, or empty.
 */
function meteredOf(key: number, circuit: string): Metered {
  const [type, scale, rate] = [key >>> 16, (key >>> 8) & 0xff, RATES[key & 0xff]];
  if (rate === undefined) return null;
  if (scale === PULSES && type <= WATER) return 'pulses';
  if (type === ELECTRIC && scale === 0) return electric(circuit, 'energy_total_kwh', rate);
  if (type === ELECTRIC && scale === 2) return electric(circuit, 'power_w', rate);
  // The production of a commodity other than electricity is ignored.
  if (rate === 'export') return null;
  if (type === HEATING && scale === 0) return { channel: `${circuit}heat/import`, kind: 'energy_total_kwh' };
  if (type === COOLING && scale === 0) return { channel: `${circuit}heat/cooling/import`, kind: 'energy_total_kwh' };
  if (type !== GAS && type !== WATER) return null;
  const volume = volumeOf(scale, type === WATER);
  const channel = getVolumeChannel(type === GAS ? 'gas' : 'water', circuit.slice(0, -1));
  return volume && { channel, kind: 'volume_total_m3', ...volume };
}

/**
 * Returns the channel of an electricity value. In the first version of the command class, values have no direction. Further endpoints of a
 * node are independent circuits (a power strip) or parts of the root's value (the clamps of a whole-house meter). No message states which
 * of these applies, so the owner is asked.
 */
const electric = (circuit: string, kind: ValueKind, rate: (typeof RATES)[number]): Metered => {
  if (rate !== 'unspecified' && circuit === '') return { channel: rate, kind };
  const unit = kind === 'power_w' ? 'W' : 'kWh';
  const which = rate === 'unspecified' ? 'electric' : rate;
  return { channel: `${circuit}unknown/${which}_${unit.toLowerCase()}`, kind, asks: { unit } };
};

function volumeOf(scale: number, isWater: boolean): VolumeScale | null {
  if (scale === 2 && isWater) return US_GALLON_SCALE;
  return findVolumeScale(['m3', 'ft3'][scale]) ?? null;
}

/**
 * Decoder of the native topics of Z-Wave JS UI (zwavejs2mqtt). If Z-Wave JS UI announces a device to Home Assistant, the device is decoded
 * by its announcement instead.
 */
export const zwavejsFamily = createStatelessFamily({
  name: 'zwavejs',
  takes: (topic) => parseZwaveTopic(topic) !== null,
  decode,
});

/** Operating states in which the thermostat heats. `Pending Heat` is not one of them. */
const HEATING_STATES = new Set([1, 7, 8, 10, 11]);
const HEATING_SETPOINT = 1;

function decode({ topic, payload, receivedAtMs }: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult | null {
  const parsed = parseZwaveTopic(topic);
  if (!parsed) return null;
  if (parsed.about === 'command') return createEmptyResult();
  if (parsed.about === 'status') return decodeStatus(parsed.node, payload, receivedAtMs);
  if (payload.length === 0) return createEmptyResult();
  const read = readValue(payload, receivedAtMs);
  return typeof read === 'string' ? createRefusedResult(read) : decodeValue(parsed, read, settings);
}

/** Value, time and unit in a payload, in any of the three payload formats that the owner can choose. */
interface Value {
  value: unknown;
  atMs: number | null;
  unit: string | null;
}

function readValue(payload: Buffer, receivedAtMs: number): Value | string {
  const json = readJson(payload);
  const body = asObjectOrNull(json);
  if (!body) return { value: json === undefined ? readText(payload) : json, atMs: null, unit: null };
  if (!['value', 'time', 'commandClass'].some((name) => Object.hasOwn(body, name))) {
    return 'payload is not a value of Z-Wave JS UI';
  }
  const unit = getMember(body, 'unit');
  return {
    value: getMember(body, 'value'),
    atMs: parseMessageTime(getMember(body, 'time') ?? getMember(body, 'lastUpdate'), undefined, { receivedAtMs }),
    unit: typeof unit === 'string' ? unit : null,
  };
}

type ValueTopic = Exclude<ZwaveTopic, { about: 'status' | 'command' }>;

function decodeValue(
  { about, node, endpoint, property, key }: ValueTopic,
  { value, atMs, unit }: Value,
  settings: DecoderSettings,
): FamilyDecodeResult {
  const collector = createValueCollector();
  const said = { device: node, value, atMs, name: key === null ? property : `${property}/${key}` };
  const room = endpoint === 0 ? 'room' : `room/ep${endpoint}`;
  if (about === 'meter') {
    if (property !== 'value' || key === null) return collector;
    const metered = meteredOf(key, endpoint === 0 ? '' : `ep${endpoint}/`);
    // Rain gauges report the rain as water in m³.
    const isRain = metered !== null && metered !== 'pulses' && metered.kind === 'volume_total_m3' && hasRainWord(node);
    if (metered === 'pulses') collector.see(node);
    else if (metered && !isRain) collector.add({ ...said, ...metered });
  } else if (about === 'state') {
    if (property !== 'state') return collector;
    const state = readNumber(value);
    if (state === undefined) collector.refuse('the operating state is not a number', node);
    else if (state !== null) {
      collector.addState({ ...said, channel: room, kind: 'heating', value: HEATING_STATES.has(state) });
    }
  } else if (about === 'sensor' && property === 'Power' && key === null) {
    // Sensors may report the power of another commodity in Btu/h, and the whole value id alone states the unit.
    const circuit = endpoint === 0 ? '' : `ep${endpoint}/`;
    const scale = unit === null ? {} : findPowerScale(unit);
    if (scale)
      collector.add({
        ...said,
        channel: `${circuit}unknown/power_w`,
        kind: 'power_w',
        ...scale,
        asks: { unit: unit && 'W' },
      });
  } else {
    const isAir = about === 'sensor' && property === 'Air_temperature' && key === null;
    if (!isAir && !(about === 'setpoint' && property === 'setpoint' && key === HEATING_SETPOINT)) return collector;
    // Only payloads with the complete value id state the unit. For other payloads, the owner's setting states the temperature scale.
    const scale = findTemperatureScale(unit) ?? settings.zwavejs?.temperature_unit;
    if (!scale) collector.see(node);
    else {
      const kind = isAir ? 'temperature_c' : 'setpoint_c';
      collector.add({ ...said, channel: room, kind, value: convertToCelsius(value, scale) });
    }
  }
  return collector;
}

/** Decodes the availability of a node. Other devices have topics of the same form; a node number and a boolean identify Z-Wave JS UI. */
function decodeStatus(node: string, payload: Buffer, receivedAtMs: number): FamilyDecodeResult | null {
  const body = asObjectOrNull(readJson(payload));
  const value = getMember(body, 'value');
  if (typeof value !== 'boolean' || typeof getMember(body, 'nodeId') !== 'number') return null;
  const collector = createValueCollector();
  const atMs = parseMessageTime(getMember(body, 'time'), undefined, { receivedAtMs });
  collector.addState({ device: node, channel: 'device', kind: 'availability', value, atMs, name: 'status' });
  return collector;
}
