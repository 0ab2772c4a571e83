import type { Place, SaidKind } from '../family.ts';
import { channelsOf, KNOWN_VOLUME, type Metered } from '../homeassistant/channels.ts';
import { degrees, energyScale, powerScale, type Scale } from '../homeassistant/units.ts';
import { circuitWord, meaningOf, withoutVolume, wordsOf } from '../homeassistant/words.ts';
import { volumeScale } from '../read/volume.ts';
import { commodityOf } from '../vocabulary/volume-of.ts';

/** What a device tells of a property. */
export interface Told {
  node: string;
  property: string;
  nodeName?: string;
  unit?: string;
  datatype?: string;
  name?: string;
  settable?: boolean;
}

/** A property of which something is read, and how. */
export interface Readable extends Place {
  kind: SaidKind;
  scale: Scale;
  degrees: 'C' | 'F';
}

const NUMERIC = new Set(['float', 'integer']);
const SETPOINT = /(?:^|[-_])(?:set-?point|target|desired)(?:$|[-_])/i;
/** The names that a room's own temperature and its target have; another one has a channel of its own. */
const ROOM =
  /^(?:temperature|setpoint|set-point|target|target-temperature|temperature-target|temperature-setpoint|heating)$/i;

/** What is read of a device's properties, by node and property (`meter/energy`). */
export function readablesOf(device: string, told: Iterable<Told>): Map<string, Readable> {
  const readables = new Map<string, Readable>();
  const meters: (Metered & { key: string; scale: Scale })[] = [];
  for (const one of told) {
    const key = `${one.node}/${one.property}`;
    const kind = kindOf(one);
    const unit = degrees(one.unit ?? null) ?? 'C';
    if (kind === 'energy_total_kwh' || kind === 'power_w') {
      const scale = (kind === 'power_w' ? powerScale : energyScale)(one.unit ?? null) ?? {};
      meters.push({ ...metered(device, one, kind), key, scale });
    } else if (kind === 'volume_total_m3') {
      const volume = metered(device, one, kind);
      const medium = commodityOf(namesOf(one));
      const scale = volumeScale(one.unit) ?? {};
      if (medium) meters.push({ ...volume, meaning: { ...volume.meaning, ...KNOWN_VOLUME, medium }, key, scale });
    } else if (kind) readables.set(key, { kind, channel: climateChannel(one), scale: {}, degrees: unit });
  }
  for (const [{ key, kind, scale }, place] of channelsOf(meters)) {
    readables.set(key, { ...place, kind, scale, degrees: 'C' });
  }
  return readables;
}

const namesOf = ({ node, property, name = '', nodeName = '' }: Told) => [property, name, node, nodeName];

function metered(device: string, told: Told, kind: Metered['kind']): Metered {
  const { node, property, name = '' } = told;
  const object = `${node}_${property}`;
  const meaning = meaningOf(
    { names: namesOf(told), understood: [name === '' ? property : name] },
    [kind === 'volume_total_m3' ? withoutVolume(object) : object],
    {
      idWords: new Set(wordsOf(device)),
      nameWords: [],
    },
  );
  return { kind, meaning, labels: [`${node}_${property}`, `${node}/${property}`] };
}

/** What a property measures, by its unit; a number that can be set is a wish, but for a thermostat's. */
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

/** A wish of another kind (`max-temperature`, `night-setpoint`) is no setpoint that holds now. */
const setpoint = (property: string): SaidKind | null =>
  ROOM.test(property) && property.toLowerCase() !== 'heating' ? 'setpoint_c' : null;

const climateChannel = ({ node, property }: Told): string =>
  ROOM.test(property) ? `room/${circuitWord(node)}` : `temperature/${circuitWord(`${node}_${property}`)}`;
