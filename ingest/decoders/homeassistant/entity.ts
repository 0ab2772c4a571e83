import { HOME_ASSISTANT_ORIGIN_NAME } from '#src/core/version.ts';
import type { Commodity } from '#src/database/meter.ts';
import type { ValueKind } from '../family.ts';
import { asObjectOrNull, type Json } from '../read/payload.ts';
import type { RegisterDescription } from '../registers-of-a-device/register.ts';
import { foldAccents } from '../vocabulary/fold.ts';
import { getNameMeaning, LIFETIME_TOTAL_PATTERN } from '../vocabulary/name-facts.ts';
import { hasHeatBusWord, hasHeatMeterWord } from '../vocabulary/thermal.ts';
import { findVolumeCommodity, hasOilWord, hasRainWord } from '../vocabulary/volume-of.ts';
import { getConfigField, getConfigText, getConfigTopic } from './abbreviations.ts';
import { type AvailabilityTopic, getAvailabilityTopics } from './availability.ts';
import { findVolumeCircuit, type MeteredEntity, removeDeviceIdWords, splitNameIntoWords } from './channels.ts';
import { type EntityConfig, getEntityConfigs } from './parts.ts';
import { findValueSource, type ValueSource } from './source.ts';
import type { ConfigTopic } from './topic.ts';
import { findEnergyScale, findPowerScale, findTemperatureScale, findVolumeUnitScale, type UnitScale } from './units.ts';

/** An announced entity of a device, with the topics of its values. */
export interface AnnouncedEntity extends Partial<MeteredEntity> {
  device: string;
  component: string;
  /** Name of the entity within the device. */
  object: string;
  /** Name that the owner sees in Home Assistant. */
  name?: string;
  sources: ValueSource[];
  availability: AvailabilityTopic[];
}

/** Topics of the sums over all inverters that OpenDTU announces. The owner chooses the base topic, so any base is accepted. */
const SUM_OF_OPENDTU = /(?:^|\/)(?:ac\/(?:power|yieldtotal|yieldday)|dc\/power)$/;
const CUMULATIVE = new Set(['total', 'total_increasing']);

/**
 * Returns the entities of an announcement that can be read; none if the announcement removes an entity. Excludes entities that this service
 * has announced itself (src/homeassistant): if a bridge sent them back, their energy would count twice.
 */
export const getReadableEntities = (topic: ConfigTopic, config: Json): AnnouncedEntity[] =>
  getConfigText(asObjectOrNull(getConfigField(config, 'origin')), 'name') === HOME_ASSISTANT_ORIGIN_NAME
    ? []
    : heardOf(topic, config);

const heardOf = (topic: ConfigTopic, config: Json): AnnouncedEntity[] =>
  getEntityConfigs(topic, config).flatMap((part) => {
    const base = getConfigText(part.config, '~');
    const { device, component, object } = part;
    const read =
      component === 'climate'
        ? climateOf(part.config, base)
        : component === 'sensor'
          ? sensorOf(part, base, topic)
          : null;
    return read ? [{ device, component, object, availability: getAvailabilityTopics(part.config, base), ...read }] : [];
  });

function climateOf(config: Json, base: string | null): Pick<AnnouncedEntity, 'sources'> | null {
  const unit = findTemperatureScale(getConfigText(config, 'temperature_unit')) ?? 'C';
  const source = (name: string, kind: ValueKind) =>
    findValueSource(config, {
      topic: getConfigTopic(config, `${name}_topic`, base),
      template: `${name}_template`,
      kind,
      unit,
    });
  const sources = [
    source('current_temperature', 'temperature_c'),
    // If a thermostat both heats and cools, the lower set-point is the one for heating.
    source('temperature_state', 'setpoint_c') ?? source('temperature_low_state', 'setpoint_c'),
    source('action', 'heating'),
  ].filter((one) => one !== null);
  return sources.length > 0 ? { sources } : null;
}

function sensorOf(
  { config, device, object }: EntityConfig,
  base: string | null,
  topic: ConfigTopic,
): (Pick<AnnouncedEntity, 'sources' | 'name'> & Partial<MeteredEntity>) | null {
  const unit = getConfigText(config, 'unit_of_measurement');
  // Home Assistant ignores the case of classes: GivTCP sends them in capitals.
  const deviceClass = getConfigText(config, 'device_class')?.toLowerCase() ?? null;
  const stateTopic = getConfigTopic(config, 'state_topic', base);
  const where = { topic: stateTopic, template: 'value_template' };
  const scales = { energy: findEnergyScale(unit), power: findPowerScale(unit), volume: findVolumeUnitScale(unit) };
  const kind = kindOf(deviceClass, scales);
  const isDiagnostic = getConfigText(config, 'entity_category') === 'diagnostic';
  if (kind === 'temperature_c') {
    const scale = findTemperatureScale(unit);
    // A diagnostic temperature is the temperature of a chip, not of a room.
    const source = scale && !isDiagnostic ? findValueSource(config, { ...where, kind, unit: scale }) : null;
    const name = getConfigText(config, 'name');
    return source && { sources: [source], ...(name !== null && { name }) };
  }
  if (kind === null) return null;
  const source = findValueSource(config, {
    ...where,
    kind,
    scale: scales.volume ?? (kind === 'power_w' ? scales.power : scales.energy) ?? {},
  });
  if (!source) return null;
  const stateClass = getConfigText(config, 'state_class')?.toLowerCase() ?? null;
  const maker = asObjectOrNull(getConfigField(config, 'device'));
  const name = getConfigText(config, 'name') ?? '';
  const objectId = getConfigText(config, 'object_id') ?? '';
  // An entity without a device has its own id as the id of its device, so the words of this id describe the entity.
  const deviceIds =
    device === object ? '' : `${device} ${topic.component === 'device' ? topic.object : (topic.node ?? '')}`;
  const idWords = new Set(splitNameIntoWords(deviceIds));
  const makerName = ['name', 'model', 'manufacturer'].map((one) => getConfigText(maker, one) ?? '').join(' ');
  const places = `${makerName} ${stateTopic ?? ''}`;
  const isOil = isOilOfOtherClass(deviceClass, `${places} ${device} ${name} ${object}`);
  const commodity = isOil ? null : (commodityByClass(deviceClass, unit) ?? (hasHeatMeterWord(places) ? 'heat' : null));
  const labels = [
    object,
    `${topic.node ?? ''}_${object}`,
    `${topic.component}_${topic.node ?? ''}_${topic.object}_${object}`,
  ];
  const found = { sources: [source], labels, ...(name === '' ? {} : { name }) };
  const called = { path: source.path, object, name, objectId, uniqueId: getConfigText(config, 'unique_id') ?? '' };
  if (kind !== 'volume_total_m3') {
    // OpenDTU's sum over all inverters is recognised but gets no channel, because the inverters are read individually.
    if (getConfigText(maker, 'manufacturer') === 'OpenDTU' && SUM_OF_OPENDTU.test(stateTopic ?? ''))
      return { ...found, kind };
    const described = describedBy(called, idWords, {
      device: `${makerName} ${device}`,
      unit: kind === 'power_w' ? 'W' : 'kWh',
    });
    const heat = commodity ? { commodity } : heatDoubtOf(makerName, `${places} ${device} ${called.uniqueId}`);
    const isUncertain =
      isOil || (kind === 'energy_total_kwh' && isUncertainRegister(deviceClass, stateClass, [name, object]));
    return { ...found, kind, described: { ...described, ...heat, ...(isUncertain && { isUncertain }) } };
  }
  // Diagnostic values are ignored: cameras on meters (AI-on-the-edge-device) announce unchecked raw values as diagnostic.
  if (isDiagnostic) return null;
  // A rain gauge is recognised but gets no channel, so that no other decoder reads its topic as the consumption of water.
  if (hasRainWord(`${places} ${name} ${object}`)) return { ...found, kind };
  const described = isOil ? askedVolumeOf(stateClass) : volumeOf(called, idWords, { makerName, commodity, stateClass });
  return described && { ...found, kind, volume: described };
}

/**
 * Whether a value in a unit of energy may be something else than a register. Many devices announce a wrong class for it: `power`, or a
 * state class that is not a total. Without classes, the value may be the energy of one polling interval (`Load_watthour`), unless one of
 * its names means a total.
 */
function isUncertainRegister(deviceClass: string | null, stateClass: string | null, names: readonly string[]): boolean {
  if (stateClass !== null) return deviceClass === 'power' || !CUMULATIVE.has(stateClass);
  return deviceClass === 'power' || (deviceClass === null && !names.some((one) => LIFETIME_TOTAL_PATTERN.test(one)));
}

/**
 * Whether an entity of the class gas or water counts oil. Programs announce oil with these classes, because Home Assistant has no class for
 * oil.
 */
const isOilOfOtherClass = (deviceClass: string | null, names: string): boolean =>
  (deviceClass === 'gas' || deviceClass === 'water') && hasOilWord(names);

/** Describes a volume whose commodity the owner must state. Returns null if the entity is not a total. */
const askedVolumeOf = (stateClass: string | null): Required<MeteredEntity>['volume'] | null =>
  CUMULATIVE.has(stateClass ?? '') ? { commodity: null, circuit: '', parts: [] } : null;

/** Describes a volume counter. Returns null if the entity is not a total, or if the commodity is neither water nor gas. */
function volumeOf(
  { path, object, name, objectId }: Called,
  idWords: ReadonlySet<string>,
  { makerName, commodity, stateClass }: { makerName: string; commodity: Commodity | null; stateClass: string | null },
): Required<MeteredEntity>['volume'] | null {
  if (stateClass !== null && !CUMULATIVE.has(stateClass)) return null;
  const names = removeDeviceIdWords([...path, object, name, objectId], idWords);
  const announced: { commodity?: Commodity } = commodity ? { commodity } : {};
  const counted = findVolumeCommodity([...names, makerName], { ...announced, isTotal: stateClass !== null });
  if (counted === null) return null;
  const circuit = findVolumeCircuit([object, name, objectId], idWords);
  const parts = names.map((one) => getNameMeaning(one).parts).find((some) => some.length > 0) ?? [];
  return { commodity: counted, circuit, parts };
}

/**
 * Returns `{ mayMeasureHeat: true }` if a device may be a heat meter: it is on an M-Bus or OpenTherm, or its maker's name mentions heat.
 * Otherwise returns an empty object.
 */
const heatDoubtOf = (makerName: string, places: string): { mayMeasureHeat?: true } =>
  hasHeatBusWord(places) || getNameMeaning(makerName).medium === 'heat' ? { mayMeasureHeat: true } : {};

interface Called {
  path: readonly string[];
  object: string;
  name: string;
  objectId: string;
  uniqueId: string;
}

/**
 * Describes an entity, for the decision whether it is import, export or production. The name that Home Assistant displays decides. If there
 * is no such name, the ids decide, and all of their words must be known.
 */
function describedBy(
  { path, object, name, objectId, uniqueId }: Called,
  idWords: ReadonlySet<string>,
  of: { device: string; unit: 'kWh' | 'W' },
): RegisterDescription {
  const bare = (names: readonly string[]) => removeDeviceIdWords(names, idWords).filter((one) => one !== '');
  // The words of the device's id are removed from the displayed name, except words for gas: on a gas meter, "Gas energy" is the energy of
  // gas.
  const withoutGas = new Set([...idWords].filter((word) => getNameMeaning(word).medium !== 'gas'));
  const shown = removeDeviceIdWords([name], withoutGas).filter((one) => one !== '');
  const names = [...shown, ...bare([...path, object, objectId])];
  const [id] = bare([uniqueId]);
  // The direction in the unique id is used only if no name states a direction.
  const isById =
    id !== undefined &&
    names.every((one) => getNameMeaning(one).direction === null) &&
    getNameMeaning(id).direction !== null;
  return {
    names: isById ? [...names, id] : names,
    understood: name === '' ? bare([path.toReversed().join(' '), object, objectId]) : shown,
    ignored: [...new Set([...idWords, ...splitNameIntoWords(of.device)].map(foldAccents))],
    device: of.device.slice(0, 200),
    unit: of.unit,
  };
}

/**
 * Returns the kind of a sensor's value, by its device class. A sensor without a class gets its kind from its unit. A class that the decoder
 * does not read, such as `energy_storage` or `volume_storage` (the content of a tank), excludes the sensor, whatever its unit is.
 */
function kindOf(deviceClass: string | null, scales: Record<'energy' | 'power' | 'volume', UnitScale | undefined>) {
  const isOneOf = (...classes: string[]) => deviceClass === null || classes.includes(deviceClass);
  if (scales.volume) return isOneOf('gas', 'water', 'volume') ? 'volume_total_m3' : null;
  if (deviceClass === 'temperature') return 'temperature_c';
  if (scales.energy && isOneOf('energy', 'gas', 'water', 'power')) return 'energy_total_kwh';
  return scales.power && isOneOf('power') ? 'power_w' : null;
}

/** Returns the commodity that the device class names. The unit GJ means heat, because electricity is never measured in GJ. */
function commodityByClass(deviceClass: string | null, unit: string | null): Commodity | null {
  if (deviceClass === 'gas' || deviceClass === 'water') return deviceClass;
  return deviceClass === 'heat' || deviceClass === 'thermal_energy' || /^gj$/i.test(unit ?? '') ? 'heat' : null;
}
