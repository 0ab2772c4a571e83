import { ORIGIN } from '#src/core/version.ts';
import type { Commodity } from '#src/database/meter.ts';
import type { SaidKind } from '../family.ts';
import { isAnnouncedSum } from '../opendtu/topic.ts';
import { asObject, type Json } from '../read/payload.ts';
import type { Described } from '../registers-of-a-device/register.ts';
import { fold } from '../vocabulary/fold.ts';
import { saidOf } from '../vocabulary/said-of.ts';
import { commodityOf } from '../vocabulary/volume-of.ts';
import { field, textField, topicField } from './abbreviations.ts';
import { type Availability, availabilityOf } from './availability.ts';
import { circuitOfVolume, type Metered, withoutDevice, wordsOf } from './channels.ts';
import { type Part, partsOf } from './parts.ts';
import { type Source, sourceOf } from './source.ts';
import type { ConfigTopic } from './topic.ts';
import { degrees, energyScale, powerScale, volumeUnit } from './units.ts';

/** An announced part of a device, with all that can be heard of it. */
export interface Entity extends Partial<Metered> {
  device: string;
  component: string;
  /** Its own name within the device. */
  object: string;
  /** What its owner knows it by. */
  name?: string;
  sources: Source[];
  availability: Availability[];
}

const CUMULATIVE = new Set(['total', 'total_increasing']);

/**
 * The entities of an announcement of which something can be said; none where it removes what it announced, and none of what this service told
 * Home Assistant of its own homes (src/homeassistant): bridged back they would count once more.
 */
export const entitiesOf = (topic: ConfigTopic, config: Json): Entity[] =>
  textField(asObject(field(config, 'origin')), 'name') === ORIGIN ? [] : heardOf(topic, config);

const heardOf = (topic: ConfigTopic, config: Json): Entity[] =>
  partsOf(topic, config).flatMap((part) => {
    const base = textField(part.config, '~');
    const { device, component, object } = part;
    const read =
      component === 'climate'
        ? climateOf(part.config, base)
        : component === 'sensor'
          ? sensorOf(part, base, topic)
          : null;
    return read ? [{ device, component, object, availability: availabilityOf(part.config, base), ...read }] : [];
  });

function climateOf(config: Json, base: string | null): Pick<Entity, 'sources'> | null {
  const unit = degrees(textField(config, 'temperature_unit')) ?? 'C';
  const source = (name: string, kind: SaidKind) =>
    sourceOf(config, { topic: topicField(config, `${name}_topic`, base), template: `${name}_template`, kind, unit });
  const sources = [
    source('current_temperature', 'temperature_c'),
    // Where it both heats and cools, the lower one is what it heats to.
    source('temperature_state', 'setpoint_c') ?? source('temperature_low_state', 'setpoint_c'),
    source('action', 'heating'),
  ].filter((one) => one !== null);
  return sources.length > 0 ? { sources } : null;
}

function sensorOf(
  { config, device, object }: Part,
  base: string | null,
  topic: ConfigTopic,
): (Pick<Entity, 'sources'> & Partial<Metered>) | null {
  const unit = textField(config, 'unit_of_measurement');
  // Home Assistant reads classes in any case: GivTCP sends them in capitals.
  const deviceClass = textField(config, 'device_class')?.toLowerCase() ?? null;
  const stateTopic = topicField(config, 'state_topic', base);
  const where = { topic: stateTopic, template: 'value_template' };
  const energy = energyScale(unit);
  const power = powerScale(unit);
  const volume = volumeUnit(unit);
  const kind = volume
    ? volumeKind(deviceClass)
    : kindOf(deviceClass, { energy: energy !== undefined, power: power !== undefined });
  if (kind === 'temperature_c') {
    // A chip's temperature is a diagnosis, and nobody's room.
    if (textField(config, 'entity_category') === 'diagnostic') return null;
    const source = sourceOf(config, { ...where, kind, unit: degrees(unit) ?? 'C' });
    return source && degrees(unit) ? { sources: [source] } : null;
  }
  if (kind === null) return null;
  const source = sourceOf(config, { ...where, kind, scale: volume ?? (kind === 'power_w' ? power : energy) ?? {} });
  if (!source) return null;
  const stateClass = textField(config, 'state_class')?.toLowerCase() ?? null;
  if (kind === 'energy_total_kwh' && stateClass !== null && !CUMULATIVE.has(stateClass)) {
    return { sources: [{ ...source, refusal: `${object} is energy with the state class ${stateClass}, not a total` }] };
  }
  const maker = asObject(field(config, 'device'));
  const name = textField(config, 'name') ?? '';
  const objectId = textField(config, 'object_id') ?? '';
  const idWords = new Set(wordsOf(`${device} ${topic.component === 'device' ? topic.object : (topic.node ?? '')}`));
  const makerName = ['name', 'model', 'manufacturer'].map((one) => textField(maker, one) ?? '').join(' ');
  const commodity = commodityByClass(deviceClass, unit) ?? heatMeter(makerName);
  const labels = [
    object,
    `${topic.node ?? ''}_${object}`,
    `${topic.component}_${topic.node ?? ''}_${topic.object}_${object}`,
  ];
  const found = { sources: [source], labels, ...(name === '' ? {} : { name }) };
  const called = { path: source.path, object, name, objectId, uniqueId: textField(config, 'unique_id') ?? '' };
  if (kind !== 'volume_total_m3') {
    // The sum of devices that are read one by one is known, and has no place.
    if (isAnnouncedSum(textField(maker, 'manufacturer'), stateTopic)) return { ...found, kind };
    const described = describedBy(called, idWords, {
      device: `${makerName} ${device}`,
      unit: kind === 'power_w' ? 'W' : 'kWh',
    });
    return { ...found, kind, described: { ...described, ...(commodity && { commodity }) } };
  }
  if (stateClass !== null && !CUMULATIVE.has(stateClass)) return null;
  // Cameras on meters announce as a diagnosis what they saw, before they check it (AI-on-the-edge-device).
  if (textField(config, 'entity_category') === 'diagnostic') return null;
  const names = withoutDevice([...source.path, object, name, objectId], idWords);
  const told: { commodity?: Commodity } = commodity ? { commodity } : {};
  const counted = commodityOf([...names, makerName], { ...told, isTotal: stateClass !== null });
  if (counted === null) return null;
  const circuit = circuitOfVolume([object, name, objectId], idWords);
  const parts = names.map((one) => saidOf(one).parts).find((some) => some.length > 0) ?? [];
  return { ...found, kind, volume: { commodity: counted, circuit, parts } };
}

interface Called {
  path: readonly string[];
  object: string;
  name: string;
  objectId: string;
  uniqueId: string;
}

/** How an entity describes itself. What a person reads tells what it is; ids are only understood to the last word where there is no such name. */
function describedBy(
  { path, object, name, objectId, uniqueId }: Called,
  idWords: ReadonlySet<string>,
  of: { device: string; unit: 'kWh' | 'W' },
): Described {
  const bare = (names: readonly string[]) => withoutDevice(names, idWords).filter((one) => one !== '');
  const names = bare([name, ...path, object, objectId]);
  const [id] = bare([uniqueId]);
  // A unique id has the say where no name speaks of a direction.
  const isById =
    id !== undefined && names.every((one) => saidOf(one).direction === null) && saidOf(id).direction !== null;
  return {
    names: isById ? [...names, id] : names,
    understood: name === '' ? bare([path.toReversed().join(' '), object, objectId]) : bare([name]),
    ignored: [...new Set([...idWords, ...wordsOf(of.device)].map(fold))],
    device: of.device.slice(0, 200),
    unit: of.unit,
  };
}

/** `volume_storage` is what lies in a tank. */
const volumeKind = (deviceClass: string | null): 'volume_total_m3' | null =>
  deviceClass === null || ['gas', 'water', 'volume'].includes(deviceClass) ? 'volume_total_m3' : null;

/** What a sensor measures. A unit says it where no class does; a class that is another (`energy_storage`) beats it. */
function kindOf(deviceClass: string | null, unit: { energy: boolean; power: boolean }) {
  if (deviceClass === 'temperature') return 'temperature_c';
  if (unit.energy && (deviceClass === null || ['energy', 'gas', 'water'].includes(deviceClass)))
    return 'energy_total_kwh';
  return unit.power && (deviceClass === null || deviceClass === 'power') ? 'power_w' : null;
}

/** A thermal class, and a unit in which nobody measures electricity. */
function commodityByClass(deviceClass: string | null, unit: string | null): Commodity | null {
  if (deviceClass === 'gas' || deviceClass === 'water') return deviceClass;
  return deviceClass === 'heat' || deviceClass === 'thermal_energy' || /^gj$/i.test(unit ?? '') ? 'heat' : null;
}

const heatMeter = (device: string): 'heat' | null =>
  /multical|ultraheat|heat ?meter|w(?:ä|ae)rmez/i.test(device) ? 'heat' : null;
