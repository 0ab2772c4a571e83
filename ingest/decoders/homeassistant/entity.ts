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

/** An announced entity of a device, with the topics of its values. */
export interface Entity extends Partial<Metered> {
  device: string;
  component: string;
  /** Name of the entity within the device. */
  object: string;
  /** Name that the owner sees in Home Assistant. */
  name?: string;
  sources: Source[];
  availability: Availability[];
}

const CUMULATIVE = new Set(['total', 'total_increasing']);

/**
 * Returns the readable entities of an announcement. Returns none for a removal, and none for entities that this service itself has
 * announced to Home Assistant (src/homeassistant): if a bridge sends them back, they would count twice.
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
    // If a thermostat both heats and cools, the lower set-point is the one for heating.
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
  // Home Assistant ignores the case of classes: GivTCP sends them in capitals.
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
    // A diagnostic temperature is that of a chip, not of a room.
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
    // The sum over devices that are read individually is recognised but gets no channel.
    if (isAnnouncedSum(textField(maker, 'manufacturer'), stateTopic)) return { ...found, kind };
    const described = describedBy(called, idWords, {
      device: `${makerName} ${device}`,
      unit: kind === 'power_w' ? 'W' : 'kWh',
    });
    return { ...found, kind, described: { ...described, ...(commodity && { commodity }) } };
  }
  if (stateClass !== null && !CUMULATIVE.has(stateClass)) return null;
  // Cameras on meters (AI-on-the-edge-device) announce unchecked raw values as diagnostic.
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

/**
 * Describes an entity for the classification. The name that people read decides; ids must be understood to the last word only if there is
 * no such name.
 */
function describedBy(
  { path, object, name, objectId, uniqueId }: Called,
  idWords: ReadonlySet<string>,
  of: { device: string; unit: 'kWh' | 'W' },
): Described {
  const bare = (names: readonly string[]) => withoutDevice(names, idWords).filter((one) => one !== '');
  const names = bare([name, ...path, object, objectId]);
  const [id] = bare([uniqueId]);
  // The direction in the unique id is used only if no name states a direction.
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

/** Returns the kind of a volume sensor. The class `volume_storage` is the content of a tank, not a counter. */
const volumeKind = (deviceClass: string | null): 'volume_total_m3' | null =>
  deviceClass === null || ['gas', 'water', 'volume'].includes(deviceClass) ? 'volume_total_m3' : null;

/**
 * Returns the kind of value of a sensor, by its device class or, if it has none, by its unit. Another class (`energy_storage`) overrides
 * the unit.
 */
function kindOf(deviceClass: string | null, unit: { energy: boolean; power: boolean }) {
  if (deviceClass === 'temperature') return 'temperature_c';
  if (unit.energy && (deviceClass === null || ['energy', 'gas', 'water'].includes(deviceClass)))
    return 'energy_total_kwh';
  return unit.power && (deviceClass === null || deviceClass === 'power') ? 'power_w' : null;
}

/** Returns the commodity by a thermal device class, or by GJ, a unit that is not used for electricity. */
function commodityByClass(deviceClass: string | null, unit: string | null): Commodity | null {
  if (deviceClass === 'gas' || deviceClass === 'water') return deviceClass;
  return deviceClass === 'heat' || deviceClass === 'thermal_energy' || /^gj$/i.test(unit ?? '') ? 'heat' : null;
}

const heatMeter = (device: string): 'heat' | null =>
  /multical|ultraheat|heat ?meter|w(?:ä|ae)rmez/i.test(device) ? 'heat' : null;
