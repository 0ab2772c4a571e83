import type { Place, SaidKind } from '../family.ts';
import { circuitOfVolume, type Metered, placesOf, withoutDevice, wordsOf } from '../homeassistant/channels.ts';
import { degrees, energyScale, powerScale, type Scale } from '../homeassistant/units.ts';
import { circuitWord } from '../read/circuit-word.ts';
import { volumeScale } from '../read/volume.ts';
import type { Described } from '../registers-of-a-device/register.ts';
import { fold } from '../vocabulary/fold.ts';
import { saidOf } from '../vocabulary/said-of.ts';
import { commodityOf } from '../vocabulary/volume-of.ts';

/** Description of a property, as the device publishes it. */
export interface Told {
  node: string;
  property: string;
  nodeName?: string;
  unit?: string;
  datatype?: string;
  name?: string;
  settable?: boolean;
}

/** A property that is read: its channel, kind, scale and unit. */
export interface Readable extends Place {
  kind: SaidKind;
  scale: Scale;
  degrees: 'C' | 'F';
}

const NUMERIC = new Set(['float', 'integer']);
const SETPOINT = /(?:^|[-_])(?:set-?point|target|desired)(?:$|[-_])/i;
/** Property names of a room's temperature and set-point. A temperature of another name gets a channel of its own. */
const ROOM =
  /^(?:temperature|setpoint|set-point|target|target-temperature|temperature-target|temperature-setpoint|heating)$/i;

/** Returns the readable properties of a device, by node and property (`meter/energy`). */
export function readablesOf(device: string, told: Iterable<Told>): Map<string, Readable> {
  const readables = new Map<string, Readable>();
  const meters: (Metered & { key: string; scale: Scale })[] = [];
  for (const one of told) {
    const key = `${one.node}/${one.property}`;
    const kind = kindOf(one);
    const unit = degrees(one.unit ?? null) ?? 'C';
    const labels = [`${one.node}_${one.property}`, key];
    if (kind === 'energy_total_kwh' || kind === 'power_w') {
      const scale = (kind === 'power_w' ? powerScale : energyScale)(one.unit ?? null) ?? {};
      meters.push({ kind, described: describedBy(device, one, kind === 'power_w' ? 'W' : 'kWh'), labels, key, scale });
    } else if (kind === 'volume_total_m3') {
      const commodity = commodityOf(namesOf(one));
      const circuit = circuitOfVolume([`${one.node}_${one.property}`], new Set(wordsOf(device)));
      const parts =
        namesOf(one)
          .map((name) => saidOf(name).parts)
          .find((some) => some.length > 0) ?? [];
      const scale = volumeScale(one.unit) ?? {};
      if (commodity) meters.push({ kind, volume: { commodity, circuit, parts }, labels, key, scale });
    } else if (kind) readables.set(key, { kind, channel: climateChannel(one), scale: {}, degrees: unit });
  }
  for (const [{ key, kind, scale }, place] of placesOf(meters)) {
    readables.set(key, { ...place, key, kind, scale, degrees: 'C' });
  }
  return readables;
}

const namesOf = ({ node, property, name = '', nodeName = '' }: Told) => [property, name, node, nodeName];

function describedBy(device: string, told: Told, unit: 'kWh' | 'W'): Described {
  const idWords = new Set(wordsOf(device));
  const names = (all: readonly string[]) => withoutDevice(all, idWords).filter((one) => one !== '');
  return {
    names: names(namesOf(told)),
    understood: names([told.name ?? told.property]),
    ignored: [...idWords].map(fold),
    device,
    unit,
    ...(/^gj$/i.test(told.unit ?? '') && { commodity: 'heat' }),
  };
}

/** Returns the kind of a property by its unit. A settable number is a command and is not read, unless it is a thermostat's set-point. */
function kindOf({
  unit = null,
  datatype,
  property,
  settable,
}: { unit?: string | null } & Omit<Told, 'unit'>): SaidKind | null {
  if (datatype === 'boolean') return property.toLowerCase() === 'heating' ? 'heating' : null;
  if (datatype !== undefined && !NUMERIC.has(datatype)) return null;
  if (degrees(unit)) return settable || SETPOINT.test(property) ? setpoint(property) : 'temperature_c';
  if (settable) return null;
  if (volumeScale(unit)) return 'volume_total_m3';
  return energyScale(unit) ? 'energy_total_kwh' : powerScale(unit) ? 'power_w' : null;
}

/** Returns the set-point kind; null for set-points that are not in force now (`max-temperature`, `night-setpoint`). */
const setpoint = (property: string): SaidKind | null =>
  ROOM.test(property) && property.toLowerCase() !== 'heating' ? 'setpoint_c' : null;

const climateChannel = ({ node, property }: Told): string =>
  ROOM.test(property) ? `room/${circuitWord(node)}` : `temperature/${circuitWord(`${node}_${property}`)}`;
