import { ORIGIN } from '#src/core/origin.ts';
import type { Commodity } from '#src/database/meter.ts';
import type { SaidKind } from '../family.ts';
import { isAnnouncedSum } from '../opendtu/topic.ts';
import { asObject, type Json } from '../read/payload.ts';
import { commodityOf } from '../vocabulary/volume-of.ts';
import { field, textField, topicField } from './abbreviations.ts';
import { type Availability, availabilityOf } from './availability.ts';
import { KNOWN_VOLUME, type Metered } from './channels.ts';
import { type Part, partsOf } from './parts.ts';
import { type Source, sourceOf } from './source.ts';
import type { ConfigTopic } from './topic.ts';
import { degrees, energyScale, powerScale, volumeUnit } from './units.ts';
import { meaningOf, withoutDevice, withoutVolume, wordsOf } from './words.ts';

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
  const deviceClass = textField(config, 'device_class');
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
  const stateClass = textField(config, 'state_class');
  if (kind === 'energy_total_kwh' && stateClass !== null && !CUMULATIVE.has(stateClass)) {
    return { sources: [{ ...source, refusal: `${object} is energy with the state class ${stateClass}, not a total` }] };
  }
  const maker = asObject(field(config, 'device'));
  const isCountedElsewhere = isAnnouncedSum(textField(maker, 'manufacturer'), stateTopic);
  const name = textField(config, 'name') ?? '';
  const objectId = textField(config, 'object_id') ?? '';
  const names = [...source.path, object, name, objectId];
  const idWords = new Set(wordsOf(`${device} ${topic.component === 'device' ? topic.object : (topic.node ?? '')}`));
  const makerName = `${textField(maker, 'name') ?? ''} ${textField(maker, 'model') ?? ''}`;
  const meaning = meaningOf(
    {
      names,
      // What a person reads tells what it is; ids are only looked into where there is no such name.
      understood:
        name === '' ? [source.path.toReversed().join(' '), object, objectId].filter((one) => one !== '') : [name],
      uniqueId: textField(config, 'unique_id') ?? '',
    },
    volume ? [object, name, objectId].map(withoutVolume) : [object, name, objectId],
    { idWords, nameWords: wordsOf(makerName) },
  );
  const classMedium = deviceClass === 'gas' || deviceClass === 'water' ? deviceClass : heatMeter(maker);
  const labels = [
    object,
    `${topic.node ?? ''}_${object}`,
    `${topic.component}_${topic.node ?? ''}_${topic.object}_${object}`,
  ];
  const found = { sources: [source], labels, ...(name === '' ? {} : { name }) };
  if (kind !== 'volume_total_m3')
    return {
      ...found,
      kind,
      meaning: {
        ...meaning,
        medium: classMedium || meaning.medium,
        ignored: meaning.ignored || isCountedElsewhere,
      },
    };
  if (stateClass !== null && !CUMULATIVE.has(stateClass)) return null;
  // Cameras on meters announce as a diagnosis what they saw, before they check it (AI-on-the-edge-device).
  if (textField(config, 'entity_category') === 'diagnostic') return null;
  const said = [...withoutDevice(names, idWords), makerName];
  const told: { commodity?: Commodity } = classMedium === '' ? {} : { commodity: classMedium };
  const medium = commodityOf(said, { ...told, isTotal: stateClass !== null });
  return medium && { ...found, kind, meaning: { ...meaning, ...KNOWN_VOLUME, medium } };
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

const heatMeter = (device: Json | null): 'heat' | '' =>
  /multical|ultraheat|heat ?meter|w(?:ä|ae)rmez/i.test(`${textField(device, 'name')} ${textField(device, 'model')}`)
    ? 'heat'
    : '';
