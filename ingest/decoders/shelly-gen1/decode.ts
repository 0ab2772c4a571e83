import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, type Json, parseJsonObject, readText } from '../read/payload.ts';
import {
  convertToCelsius,
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
  type ValueCollector,
} from '../read/value-collector.ts';
import {
  cacheDeviceIdOfPrefix,
  canIdentifyDeviceOfPrefix,
  type DeviceIdsByPrefix,
  isNewPrefix,
} from '../shelly-gen2/prefixes.ts';
import { parseShellyGen2Topic } from '../shelly-gen2/topic.ts';

const ROOT = 'shellies/';
/**
 * Matches the topic of a meter, such as `emeter/0/total`. A Shelly 2 has one meter for both relays, whose topic has no number:
 * `relay/power`. The `status` of a light is a JSON object with its power.
 */
const METER =
  /^(.+)\/(relay|roller|light|color|white|emeter)\/(?:(\d{1,2})\/)?(power|energy|total|total_returned|status)$/;
const LEAF = /^(.+)\/(online|info|sensor\/temperature)$/;
/**
 * Matches ids that start with the name of a model. If such an id belongs to a sensor, the sensor's `info` is stored, because it states the
 * unit of the temperature.
 */
const NAMED = /^shelly/;
const SENSOR = /^shelly(ht|flood|dw2?|smoke|sense|motionsensor|motion2)-/;

/** Parsed topic of a Shelly Gen1. `device` is the device's id. The owner may change the id, even to an id with slashes. */
type ShellyGen1Topic =
  | { leaf: 'online' | 'info' | 'sensor/temperature'; device: string }
  | { leaf: 'meter'; device: string; part: string; index: string; quantity: string }
  | { leaf: 'other' };

/** Parses a topic below `shellies/`. Returns null for all other topics and for topics in the form of Gen2. */
function parseShellyGen1Topic(topic: string): ShellyGen1Topic | null {
  if (!topic.startsWith(ROOT)) return null;
  const gen2 = parseShellyGen2Topic(topic);
  if (gen2 && gen2.leaf !== 'online') return null;
  const rest = topic.slice(ROOT.length);
  const [, device, part, index = '', quantity] = METER.exec(rest) ?? [];
  if (device && part && quantity && (index !== '' || part === 'relay')) {
    return { leaf: 'meter', device, part, index: index && String(Number(index)), quantity };
  }
  const [, owner, leaf] = LEAF.exec(rest) ?? [];
  return owner && leaf ? ({ leaf, device: owner } as ShellyGen1Topic) : { leaf: 'other' };
}

/** Whether the device may be a sensor. Sensors state the unit of their temperature only in `info`. */
const mayBeSensor = (device: string): boolean => !NAMED.test(device) || SENSOR.test(device);

/** Facts about devices that later messages do not repeat. */
interface Gen1Memory {
  /** Temperature unit of each sensor. The unit is a setting of the device, and only the device's `info` states it. */
  unitOf: Map<string, 'C' | 'F'>;
  /** Topic prefixes of Gen2 devices, which may also begin with `shellies/`. */
  gen2: DeviceIdsByPrefix;
}

const newGen1Memory = (): Gen1Memory => ({ unitOf: new Map(), gen2: new Map() });

/** Whether messages on this topic are needed to decode later messages. */
function remembersGen1(topic: string): boolean {
  const parsed = parseShellyGen1Topic(topic);
  if (parsed?.leaf === 'info') return mayBeSensor(parsed.device);
  return topic.startsWith('shellies/') && canIdentifyDeviceOfPrefix(topic);
}

function isNewToGen1(memory: Gen1Memory, message: DeviceMessage): boolean {
  const parsed = parseShellyGen1Topic(message.topic);
  if (parsed?.leaf !== 'info') return isNewPrefix(memory.gen2, message);
  const unit = unitIn(message);
  return unit !== null && memory.unitOf.get(parsed.device) !== unit;
}

function unitIn({ payload }: DeviceMessage): 'C' | 'F' | null {
  const unit = getMember(asObjectOrNull(getMember(parseJsonObject(payload), 'tmp')), 'units');
  return unit === 'C' || unit === 'F' ? unit : null;
}

/** Stores the temperature unit of a sensor, or the fact that a topic below `shellies/` belongs to a Gen2 device. */
function learnGen1(memory: Gen1Memory, message: DeviceMessage): void {
  const parsed = parseShellyGen1Topic(message.topic);
  if (parsed?.leaf !== 'info') {
    cacheDeviceIdOfPrefix(memory.gen2, message);
    return;
  }
  const unit = unitIn(message);
  if (unit !== null) memory.unitOf.set(parsed.device, unit);
}

const CHANNEL = 'room';
/** Target temperature that means "valve off". It is not a set-point of 4 °C. */
const OFF_C = 4;
/** Temperature that a sensor sends if it could not measure. */
const NO_TEMPERATURE = 999;

/** Decodes the `info` of a radiator valve (TRV). It contains all values of the valve. */
function readValve(collector: ValueCollector, device: string, info: Json): void {
  const thermostats = getMember(info, 'thermostats');
  if (thermostats === undefined || thermostats === null) return;
  const first: unknown = Array.isArray(thermostats) ? thermostats[0] : thermostats;
  const valve = Array.isArray(thermostats) ? asObjectOrNull(first) : null;
  if (valve) readThermostat(collector, device, valve);
  else if (first !== undefined) collector.refuse('thermostats is not a list of objects');
}

function readThermostat(collector: ValueCollector, device: string, valve: Json): void {
  const measured = partOf(collector, valve, 'tmp');
  if (measured && getMember(measured, 'is_valid') !== false) {
    const value = inCelsius(collector, measured, 'tmp');
    collector.add({ device, channel: CHANNEL, kind: 'temperature_c', value, name: 'tmp.value' });
  }
  const target = partOf(collector, valve, 'target_t');
  if (target) {
    const value = inCelsius(collector, target, 'target_t');
    const off = typeof value === 'number' && Math.abs(value - OFF_C) < 0.01;
    if (!off) collector.add({ device, channel: CHANNEL, kind: 'setpoint_c', value, name: 'target_t.value' });
  }
  const position = readNumber(getMember(valve, 'pos'));
  if (position === undefined) collector.refuse('pos is not a number');
  // A position of -1 means that the valve has never been calibrated.
  else if (position !== null && position >= 0) {
    collector.addState({ device, channel: CHANNEL, kind: 'heating', value: position > 0, name: 'pos' });
  }
}

/** Converts a temperature from a topic or from `info` to °C. Returns null if the sensor has no reading. */
const temperatureOf = (value: unknown, unit: 'C' | 'F'): unknown => {
  const read = readNumber(value);
  return read === NO_TEMPERATURE ? null : convertToCelsius(read === undefined ? value : read, unit);
};

/**
 * Returns a member that is an object. Returns null if the member is missing, or if it has another type; a member of another type is also
 * refused.
 */
function partOf(collector: ValueCollector, valve: Json, name: string): Json | null {
  const value = getMember(valve, name);
  const part = asObjectOrNull(value);
  if (!part && value !== undefined && value !== null) collector.refuse(`${name} is not an object`);
  return part;
}

/** Converts a value with its unit to °C. Devices use °C unless they state F. */
function inCelsius(collector: ValueCollector, part: Json, name: string): unknown {
  const units = getMember(part, 'units') ?? 'C';
  if (units === 'C' || units === 'F') return temperatureOf(getMember(part, 'value'), units);
  collector.refuse(`${name}.units is neither C nor F`);
  return null;
}

const WATT_MINUTES_PER_KWH = 60_000;
const WH_PER_KWH = 1_000;

/**
 * Decoder of Shelly Gen1 devices, which publish each value as a text on its own topic: power and registers of relays, rollers, lights and
 * clamps, and room climate.
 */
export const shellyGen1Family: Family<Gen1Memory> = {
  name: 'shelly-gen1',
  takes: (topic) => parseShellyGen1Topic(topic) !== null,
  remembers: remembersGen1,
  newMemory: newGen1Memory,
  isNews: isNewToGen1,
  learn: learnGen1,
  decode,
};

function decode(
  { topic, payload }: DeviceMessage,
  _settings: DecoderSettings,
  memory: Gen1Memory,
): FamilyDecodeResult | null {
  const parsed = parseShellyGen1Topic(topic);
  if (!parsed) return null;
  // `shellies/{name}/online` may also come from a Gen2 device whose owner has chosen this prefix.
  if (parsed.leaf === 'online' && memory.gen2.has(`shellies/${parsed.device}`)) return null;
  // An empty payload only deletes a retained message and contains no value.
  if (parsed.leaf === 'other' || payload.length === 0) return createEmptyResult();
  if (parsed.leaf === 'info') return decodeInfo(payload, parsed.device);
  if (parsed.leaf === 'meter') return decodeMeter(payload, parsed);
  const text = readText(payload);
  if (text === null) return createRefusedResult('payload is not text');
  const collector = createValueCollector();
  const { device, leaf: name } = parsed;
  if (name === 'online') collector.addState({ device, channel: 'device', kind: 'availability', value: text, name });
  else {
    const value = temperatureOf(text, memory.unitOf.get(device) ?? 'C');
    collector.add({ device, channel: 'room', kind: 'temperature_c', value, name });
  }
  return collector;
}

function decodeInfo(payload: Buffer, device: string): FamilyDecodeResult {
  const info = parseJsonObject(payload);
  if (!info) return createRefusedResult('payload is not a JSON object');
  const collector = createValueCollector();
  readValve(collector, device, info);
  return collector;
}

/**
 * Decodes power and registers of a meter. The `total` and `total_returned` of a clamp survive a restart. Its `energy` is ignored, because
 * it starts at 0 with each start of the device. Relays have only `energy`.
 */
function decodeMeter(
  payload: Buffer,
  { device, part, index, quantity }: Extract<ShellyGen1Topic, { leaf: 'meter' }>,
): FamilyDecodeResult {
  const clamp = part === 'emeter';
  const register = clamp ? quantity.startsWith('total') : quantity === 'energy';
  const isStatus = quantity === 'status';
  if (!register && !isStatus && quantity !== 'power') return createEmptyResult();
  const value = isStatus ? getMember(parseJsonObject(payload), 'power') : readText(payload);
  // Only some devices have their power in the status.
  if (value === undefined) return createEmptyResult();
  if (value === null) return createRefusedResult('payload is not text');
  const collector = createValueCollector();
  const direction = quantity === 'total_returned' ? 'export' : 'import';
  const channel = `${part === 'relay' ? 'switch' : part}${index}/${direction}`;
  const name = index === '' ? `${part}/${quantity}` : `${part}/${index}/${quantity}`;
  if (!register) collector.add({ device, channel, kind: 'power_w', value, name });
  else {
    const per = clamp ? WH_PER_KWH : WATT_MINUTES_PER_KWH;
    collector.add({ device, channel, kind: 'energy_total_kwh', value, per, name });
  }
  return collector;
}
