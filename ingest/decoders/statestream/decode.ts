import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult, ValueKind } from '../family.ts';
import {
  findEnergyScale,
  findPowerScale,
  findTemperatureScale,
  findVolumeUnitScale,
  type UnitScale,
} from '../homeassistant/units.ts';
import { readJson, readText } from '../read/payload.ts';
import {
  convertToCelsius,
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
} from '../read/value-collector.ts';
import { getVolumeChannel } from '../read/volume.ts';
import { classifySingleRegister } from '../registers-of-a-device/classify-single.ts';
import type { RegisterDescription } from '../registers-of-a-device/register.ts';
import { findVolumeCommodity } from '../vocabulary/volume-of.ts';

/** Attributes of an entity that are needed to decode its states. */
const ATTRIBUTES = ['unit_of_measurement', 'device_class', 'state_class', 'friendly_name'] as const;
type Attribute = (typeof ATTRIBUTES)[number];

/** Parsed topic of the state stream. `device` is the topic of the entity. */
type StreamTopic = { device: string; object: string } & (
  | { about: 'state' | 'action' }
  | { about: 'attribute'; attribute: Attribute }
);

const SENSOR = new RegExp(`^(.+/sensor/([a-z0-9_]{1,200}))/(state|${ATTRIBUTES.join('|')})$`);
const CLIMATE = /^(.+\/climate\/([a-z0-9_]{1,200}))\/hvac_action$/;

/** Parses `{base}/{domain}/{object}/{what}`, where the owner chooses the base; returns null for every other topic. */
function parseStreamTopic(topic: string): StreamTopic | null {
  const [, device, object, what] = SENSOR.exec(topic) ?? [];
  if (device && object && what) {
    if (what === 'state') return { about: 'state', device, object };
    return { about: 'attribute', device, object, attribute: what as Attribute };
  }
  const [, climate, ofClimate] = CLIMATE.exec(topic) ?? [];
  return climate && ofClimate ? { about: 'action', device: climate, object: ofClimate } : null;
}

type EntityAttributes = Partial<Record<Attribute, string>>;

/** Rule by which the state of an entity is decoded. */
interface Readable extends UnitScale {
  kind: ValueKind;
  channel: string;
  asks?: { unit: string };
  described?: RegisterDescription;
  degrees?: 'C' | 'F';
}

const CUMULATIVE = new Set(['total', 'total_increasing']);

/**
 * Returns the rule by which an entity's state is decoded, from the entity's attributes; null if the entity is ignored. `object`: the last
 * part of the entity's id.
 */
function readableOf(object: string, attributes: EntityAttributes): Readable | null {
  const unit = attributes.unit_of_measurement ?? null;
  const deviceClass = attributes.device_class?.toLowerCase();
  const isCumulative =
    attributes.state_class === undefined ? undefined : CUMULATIVE.has(attributes.state_class.toLowerCase());
  if (deviceClass === 'temperature') {
    const scale = findTemperatureScale(unit);
    return scale && { kind: 'temperature_c', channel: 'temperature', degrees: scale };
  }
  const power = findPowerScale(unit);
  if (power && (deviceClass === undefined || deviceClass === 'power')) {
    // Each entity is a separate device here, so another entity may already report the energy of the same appliance. To avoid counting the
    // energy twice, the owner is asked about a power.
    return { kind: 'power_w', channel: 'unknown/power', ...power, asks: { unit: 'W' } };
  }
  if (isCumulative === false) return null;
  const names = [object, attributes.friendly_name ?? ''];
  const energy = findEnergyScale(unit);
  if (energy && (deviceClass === undefined || ['energy', 'gas', 'water'].includes(deviceClass))) {
    return energyOf(names, { deviceClass, unit }, energy, isCumulative === true);
  }
  const volume = findVolumeUnitScale(unit);
  if (!volume || !(deviceClass === undefined || ['gas', 'water', 'volume'].includes(deviceClass))) return null;
  const commodity = deviceClass === 'gas' || deviceClass === 'water' ? ({ commodity: deviceClass } as const) : {};
  const medium = findVolumeCommodity(names, { ...commodity, isTotal: isCumulative === true });
  return medium && { kind: 'volume_total_m3', channel: getVolumeChannel(medium), ...volume };
}

/**
 * Returns the rule by which an energy is decoded. Its meaning is known only if its names state it and its state class is a total. No
 * message states which entities belong together, so each entity is a separate device. An energy without a direction may therefore be solar
 * production, and the owner is asked.
 */
function energyOf(
  names: string[],
  { deviceClass, unit }: { deviceClass: string | undefined; unit: string | null },
  scale: UnitScale,
  isTotal: boolean,
): Readable | null {
  const kind = 'energy_total_kwh';
  const isOther = deviceClass === 'gas' || deviceClass === 'water';
  const commodity = isOther ? deviceClass : /^gj$/i.test(unit ?? '') ? 'heat' : undefined;
  const described: RegisterDescription = {
    names,
    unit: isTotal ? 'kWh' : null,
    isAlone: true,
    ...(commodity && { commodity }),
  };
  const what = classifySingleRegister(described);
  if (what.is === 'not counted') return null;
  if (what.is === 'unknown') return { kind, channel: 'unknown/energy', ...scale, asks: { unit: 'kWh' }, described };
  return { kind, channel: what.channel, ...scale, described };
}

/** Maximum number of cached entities. Beyond this number, the entity with the oldest attributes is evicted. */
const MAX_ENTITIES = 5_000;
const MAX_TEXT = 200;
const HEATING = new Map([
  ...['heating', 'preheating'].map((word) => [word, true] as const),
  ...['idle', 'off', 'cooling', 'drying', 'fan', 'defrosting'].map((word) => [word, false] as const),
]);

/** Decoder of Home Assistant's state stream. Its memory contains the attributes of each entity. */
export const statestreamFamily: Family<Map<string, EntityAttributes>> = {
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
    const attributes = { ...memory.get(parsed.device), [parsed.attribute]: text };
    memory.delete(parsed.device);
    memory.set(parsed.device, attributes);
    const [oldest] = memory.keys();
    if (memory.size > MAX_ENTITIES && oldest !== undefined) memory.delete(oldest);
  },
  decode,
};

/** Returns the text of an attribute. Returns null if the payload is not a JSON text, because the message then belongs to another family. */
function quoted(payload: Buffer): string | null {
  const json = readJson(payload);
  return typeof json === 'string' && json !== '' ? json.slice(0, MAX_TEXT) : null;
}

function decode(
  { topic, payload }: DeviceMessage,
  _settings: DecoderSettings,
  memory: Map<string, EntityAttributes>,
): FamilyDecodeResult | null {
  const parsed = parseStreamTopic(topic);
  if (!parsed) return null;
  const { device, object } = parsed;
  if (parsed.about === 'attribute') return quoted(payload) === null ? null : createEmptyResult();
  const collector = createValueCollector();
  if (parsed.about === 'action') {
    const action = quoted(payload);
    const value = action === null ? undefined : HEATING.get(action);
    if (value === undefined) return null;
    collector.addState({ device, channel: 'room', kind: 'heating', value, name: 'hvac_action' });
    return collector;
  }
  const attributes = memory.get(device);
  // Other families have topics of the same form. A unit in quotation marks identifies the state stream.
  if (attributes?.unit_of_measurement === undefined) return null;
  const readable = readableOf(object, attributes);
  if (!readable || payload.length === 0) return createEmptyResult();
  const text = readText(payload);
  if (text === null) return createRefusedResult('the payload is not text');
  const { degrees, ...quantity } = readable;
  collector.add({ ...quantity, device, value: degrees ? convertToCelsius(text, degrees) : text, name: object });
  return collector;
}
