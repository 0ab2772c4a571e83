import type { ChannelAssignment, ValueKind } from '../family.ts';
import {
  assignEntityChannels,
  findVolumeCircuit,
  type MeteredEntity,
  removeDeviceIdWords,
  splitNameIntoWords,
} from '../homeassistant/channels.ts';
import { findEnergyScale, findPowerScale, findTemperatureScale, type UnitScale } from '../homeassistant/units.ts';
import { createCircuitWord } from '../read/circuit-word.ts';
import { findVolumeScale } from '../read/volume.ts';
import type { RegisterDescription } from '../registers-of-a-device/register.ts';
import { foldAccents } from '../vocabulary/fold.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { isFlowAndReturnTemperaturePair } from '../vocabulary/thermal.ts';
import { findVolumeCommodity, METERED_VOLUME_PATTERN } from '../vocabulary/volume-of.ts';

/** Description of a property, as the device publishes it. */
export interface PropertyDescription {
  node: string;
  property: string;
  nodeName?: string;
  unit?: string;
  datatype?: string;
  name?: string;
  settable?: boolean;
}

export interface ReadableProperty extends ChannelAssignment {
  kind: ValueKind;
  scale: UnitScale;
  degrees: 'C' | 'F';
}

const NUMERIC = new Set(['float', 'integer']);
const SETPOINT = /(?:^|[-_])(?:set-?point|target|desired)(?:$|[-_])/i;
/** Property names of a room's temperature and set-point. A temperature with another name gets a channel of its own. */
const ROOM =
  /^(?:temperature|setpoint|set-point|target|target-temperature|temperature-target|temperature-setpoint|heating)$/i;

/** Returns the properties of a device that can be decoded, by node and property (`meter/energy`). */
export function getReadableProperties(
  device: string,
  properties: Iterable<PropertyDescription>,
): Map<string, ReadableProperty> {
  const readables = new Map<string, ReadableProperty>();
  const meters: (MeteredEntity & { key: string; scale: UnitScale })[] = [];
  const thermometers: string[] = [];
  for (const one of properties) {
    const key = `${one.node}/${one.property}`;
    const kind = kindOf(one);
    if (kind === 'temperature_c') thermometers.push(...namesOf(one));
    const unit = findTemperatureScale(one.unit ?? null) ?? 'C';
    const labels = [`${one.node}_${one.property}`, key];
    if (kind === 'energy_total_kwh' || kind === 'power_w') {
      const scale = (kind === 'power_w' ? findPowerScale : findEnergyScale)(one.unit ?? null) ?? {};
      meters.push({ kind, described: describedBy(device, one, kind === 'power_w' ? 'W' : 'kWh'), labels, key, scale });
    } else if (kind === 'volume_total_m3') {
      const commodity = findVolumeCommodity(namesOf(one));
      const circuit = findVolumeCircuit([`${one.node}_${one.property}`], new Set(splitNameIntoWords(device)));
      const parts =
        namesOf(one)
          .map((name) => getNameMeaning(name).parts)
          .find((some) => some.length > 0) ?? [];
      const scale = findVolumeScale(one.unit) ?? {};
      if (commodity) meters.push({ kind, volume: { commodity, circuit, parts }, labels, key, scale });
    } else if (kind) readables.set(key, { kind, channel: climateChannel(one), scale: {}, degrees: unit });
  }
  for (const [{ key, kind, scale }, place] of assignEntityChannels(
    meters,
    isFlowAndReturnTemperaturePair(thermometers),
  )) {
    readables.set(key, { ...place, key, kind, scale, degrees: 'C' });
  }
  return readables;
}

const namesOf = ({ node, property, name = '', nodeName = '' }: PropertyDescription) => [property, name, node, nodeName];

function describedBy(device: string, description: PropertyDescription, unit: 'kWh' | 'W'): RegisterDescription {
  const idWords = new Set(splitNameIntoWords(device));
  const names = (all: readonly string[]) => removeDeviceIdWords(all, idWords).filter((one) => one !== '');
  return {
    names: names(namesOf(description)),
    understood: names([description.name ?? description.property]),
    ignored: [...idWords].map(foldAccents),
    device,
    unit,
    ...(/^gj$/i.test(description.unit ?? '') && { commodity: 'heat' }),
  };
}

/** Whether a name means the reading of a meter, by known words only. An owner may correct such a reading. */
const isMeterReading = (name: string): boolean =>
  METERED_VOLUME_PATTERN.test(name) && getNameMeaning(name).unknown.length === 0;

/**
 * Returns the kind of a property by its unit. A settable number is a command and is ignored, unless it is the set-point of a thermostat or
 * the reading of a gas, water or heat meter.
 */
function kindOf({
  unit = null,
  datatype,
  property,
  name = property,
  settable,
}: { unit?: string | null } & Omit<PropertyDescription, 'unit'>): ValueKind | null {
  if (datatype === 'boolean') return property.toLowerCase() === 'heating' ? 'heating' : null;
  if (datatype !== undefined && !NUMERIC.has(datatype)) return null;
  if (findTemperatureScale(unit)) return settable || SETPOINT.test(property) ? setpoint(property) : 'temperature_c';
  if (findVolumeScale(unit)) return !settable || isMeterReading(name) ? 'volume_total_m3' : null;
  if (settable) return null;
  return findEnergyScale(unit) ? 'energy_total_kwh' : findPowerScale(unit) ? 'power_w' : null;
}

/** Returns the kind of a set-point; null for a set-point that does not apply at present (`max-temperature`, `night-setpoint`). */
const setpoint = (property: string): ValueKind | null =>
  ROOM.test(property) && property.toLowerCase() !== 'heating' ? 'setpoint_c' : null;

const climateChannel = ({ node, property }: PropertyDescription): string =>
  ROOM.test(property) ? `room/${createCircuitWord(node)}` : `temperature/${createCircuitWord(`${node}_${property}`)}`;
