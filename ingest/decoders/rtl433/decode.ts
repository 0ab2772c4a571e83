import { createStatelessFamily, type DecoderSettings, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { readNumber } from '../read/number.ts';
import { getMember, type Json, parseJsonObject, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import {
  convertToCelsius,
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
  type MessageQuantity,
  type ValueCollector,
} from '../read/value-collector.ts';
import { addMeterRegisters, getMediumOfErtType, type MeteredMedium, parseMeterId } from '../rtlamr/meter.ts';

type Rtl433Topic =
  | { what: 'event' }
  | { what: 'availability'; host: string }
  /** Topic of a single key of a device. `where`: `[type/]model[/subtype][/channel][/id]`. */
  | { what: 'key'; where: string[]; key: string }
  | { what: 'other' };

/** Parses `rtl_433/{host}/events`, `…/devices/…/{key}` and `…/availability`; returns null if the first level is not `rtl_433`. */
function parseRtl433Topic(topic: string): Rtl433Topic | null {
  const words = topic.split('/');
  if (words[0] !== 'rtl_433') return null;
  const devices = words.indexOf('devices');
  const where = words.slice(devices + 1, -1);
  const key = words.at(-1);
  if (devices > 0 && where.length > 0 && key) return { what: 'key', where, key };
  if (words.length > 1 && key === 'events') return { what: 'event' };
  const host = words[1];
  if (words.length === 3 && host && key === 'availability') return { what: 'availability', host };
  return { what: 'other' };
}

/** Converts a value to a word of a topic as rtl_433 does: every character except letters, digits, `-` and `.` becomes `_`. */
const topicWord = (value: string | number): string => String(value).replaceAll(/[^-.A-Za-z0-9]/g, '_');

/** Keys of the counts of ERT meters. The counts have no unit. */
const COUNTS = new Set(['consumption_data', 'Consumption', 'LastConsumptionCount']);

/** Matches the models of Neptune water meters, which use another key for their count. */
const NEPTUNE = /^Neptune-R900/;
const NEPTUNE_COUNTS = new Set(['consumption']);

/** Returns the keys of the counts without a unit that a model may send, and whether the model is a water meter. */
const countsOf = (model: string): { keys: ReadonlySet<string>; isWater: boolean } =>
  NEPTUNE.test(model) ? { keys: NEPTUNE_COUNTS, isWater: true } : { keys: COUNTS, isWater: false };

/** Matches the keys of energy registers. Does not match `pulses_per_kWh`, which meters also send. */
const ENERGY = /^(?:energy|cumulative)_?(\d{0,2})_(kWh|Wh)$/;
const POWER = /^(?:power|effect)_?(\d{0,2})_(kW|W)$/;
const TEMPERATURE = /^(?:temperature|temp)_?(\d{0,2})_(C|F)$/;
const SETPOINT = /^setpoint_(C|F)$/;

/** Returns the meaning of a key by the unit at its end; null for keys that the decoder ignores. */
function quantityOf(key: string, value: unknown): Omit<MessageQuantity, 'device' | 'atMs'> | null {
  const [, meter, energy] = ENERGY.exec(key) ?? [];
  const circuit = (number = '') => (number === '' ? 'import' : `ct${Number(number)}/import`);
  if (energy) {
    const per = energy === 'Wh' ? 1_000 : 1;
    return { channel: circuit(meter), kind: 'energy_total_kwh', value, per, name: key };
  }
  const [, clamp, power] = POWER.exec(key) ?? [];
  if (power) return { channel: circuit(clamp), kind: 'power_w', value, times: power === 'kW' ? 1_000 : 1, name: key };
  const [, probe = '', degrees] = TEMPERATURE.exec(key) ?? [];
  const room = probe === '' ? 'room' : `probe${Number(probe)}`;
  if (degrees)
    return { channel: room, kind: 'temperature_c', value: convertToCelsius(value, degrees as 'C' | 'F'), name: key };
  const setpoint = SETPOINT.exec(key)?.[1];
  if (setpoint) {
    return { channel: 'room', kind: 'setpoint_c', value: convertToCelsius(value, setpoint as 'C' | 'F'), name: key };
  }
  return null;
}

/**
 * Whether a register may have lost digits. Above 1e7, rtl_433 prints only six digits (`%g`), in topics and in JSON: 12345678.9 becomes
 * 1.23457e+07 and does not change for the next hundred units.
 */
function isLossy(value: unknown): boolean {
  const number = readNumber(value);
  return typeof number === 'number' && number > 1e7 && Number(number.toPrecision(6)) === number;
}

/** Decoder of rtl_433: radio sensors of many manufacturers, and ERT meters, whose owners must set the unit of their counts. */
export const rtl433Family = createStatelessFamily({
  name: 'rtl433',
  takes: (topic) => parseRtl433Topic(topic) !== null,
  decode,
});

const TOPIC_PARTS = ['type', 'model', 'subtype', 'channel', 'id'];
const ERT_TYPES = ['ert_type', 'EndpointType', 'ERTType'];
const MEDIA = new Map<unknown, MeteredMedium>([
  ['Gas', 'gas'],
  ['Water', 'water'],
  ['Electric', 'electric'],
]);

function decode(message: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult | null {
  const parsed = parseRtl433Topic(message.topic);
  if (!parsed) return null;
  if (parsed.what === 'event') return decodeRtl433Event(message, settings);
  const collector = createValueCollector();
  if (parsed.what === 'other') return createEmptyResult();
  const value = readText(message.payload);
  if (value === null) return createRefusedResult('payload is not text');
  if (parsed.what === 'availability') {
    collector.addState({ device: parsed.host, channel: 'device', kind: 'availability', value, name: 'availability' });
    return collector;
  }
  const { where, key } = parsed;
  const { keys, isWater } = countsOf(where.find((word) => countsOf(word).isWater) ?? '');
  if (!keys.has(key)) addKey(collector, where.join('/'), key, value, null);
  else {
    // A topic with a model but no id identifies no meter: older versions publish IDM messages on such topics.
    const device = where.length > 1 ? parseMeterId(where.at(-1)) : null;
    if (device === null) return createRefusedResult(`${key} has no id of a meter in its topic`);
    const count = { direction: 'import' as const, value, name: key };
    addMeterRegisters(collector, [count], { device, medium: isWater ? 'water' : 'electric', atMs: null, settings });
  }
  return collector;
}

/** Decodes an event, which is a JSON object with the keys of one device. The topic is not examined. */
export function decodeRtl433Event(
  { payload, receivedAtMs }: DeviceMessage,
  settings: DecoderSettings,
): FamilyDecodeResult {
  const body = parseJsonObject(payload);
  if (!body) return createRefusedResult('payload is not a JSON object');
  const model = getMember(body, 'model');
  if (typeof model !== 'string' || model === '') return createRefusedResult('payload has no model');
  const collector = createValueCollector();
  // The time of a message may be local, have a zone, or be Unix seconds as a text. `@1.2s` is a position in a recording and not a time.
  const atMs = parseMessageTime(getMember(body, 'time'), undefined, { tz: settings.tz, receivedAtMs });
  // rtl_433 decodes each packet of an ERT meter both as IDM and as NETIDM and does not state which type is right. The consumption of NETIDM
  // is a net value, so NETIDM is ignored.
  if (model.toUpperCase() === 'NETIDM') return collector;
  const { keys, isWater } = countsOf(model);
  const counts = [...keys].filter((key) => getMember(body, key) !== undefined);
  if (counts.length > 0) {
    const ids = ['id', 'EndpointID', 'ERTSerialNumber'].map((name) => parseMeterId(getMember(body, name)));
    const device = ids.find((id) => id !== null) ?? null;
    if (device === null) return createRefusedResult('payload has no id of a meter');
    const value = getMember(body, counts[0] as string);
    const count = { direction: 'import' as const, value, name: counts[0] as string };
    addMeterRegisters(collector, [count], { device, medium: isWater ? 'water' : mediumOf(body), atMs, settings });
  }
  const device = deviceOf(body);
  for (const key of Object.keys(body)) {
    // If a temperature is sent in °F and in °C, only °C is read.
    if (key.endsWith('_F') && Object.hasOwn(body, `${key.slice(0, -1)}C`)) continue;
    addKey(collector, device, key, body[key], atMs);
  }
  return collector;
}

function addKey(collector: ValueCollector, device: string, key: string, value: unknown, atMs: number | null) {
  const quantity = quantityOf(key, value);
  if (!quantity) return;
  if (quantity.kind === 'energy_total_kwh' && isLossy(value)) {
    collector.see(device);
    collector.refuse(`${key} is above 1e7 and has lost all but six of its digits`);
    return;
  }
  collector.add({ ...quantity, device, atMs });
}

/** Returns the device's id from an event, in the same form as in a `devices` topic, so that both belong to the same device. */
const deviceOf = (body: Json): string =>
  TOPIC_PARTS.map((part) => getMember(body, part))
    .filter((part) => (typeof part === 'string' && part !== '') || typeof part === 'number')
    .map((part) => topicWord(part as string | number))
    .join('/');

function mediumOf(body: Json): MeteredMedium {
  const said = MEDIA.get(getMember(body, 'MeterType'));
  const type = ERT_TYPES.map((name) => getMember(body, name)).find((one) => one !== undefined);
  return said ?? getMediumOfErtType(type);
}
