import type { SaidKind } from '../family.ts';
import { degrees, energyScale, powerScale, type Scale, volumeUnit } from '../homeassistant/units.ts';
import { volumeChannel } from '../read/volume.ts';
import { judgeAlone } from '../registers-of-a-device/alone.ts';
import type { Described } from '../registers-of-a-device/register.ts';
import { commodityOf } from '../vocabulary/volume-of.ts';
import type { Attribute } from './topic.ts';

/** What was told of an entity. */
export type Told = Partial<Record<Attribute, string>>;

/** How an entity's state is read. */
export interface Readable extends Scale {
  kind: SaidKind;
  channel: string;
  asks?: { unit: string };
  described?: Described;
  degrees?: 'C' | 'F';
}

const CUMULATIVE = new Set(['total', 'total_increasing']);

/** How an entity's state is read, by its attributes; null where nothing is read of it. `object`: the end of its id. */
export function readableOf(object: string, told: Told): Readable | null {
  const unit = told.unit_of_measurement ?? null;
  const deviceClass = told.device_class?.toLowerCase();
  const isCumulative = told.state_class === undefined ? undefined : CUMULATIVE.has(told.state_class.toLowerCase());
  if (deviceClass === 'temperature') {
    const scale = degrees(unit);
    return scale && { kind: 'temperature_c', channel: 'temperature', degrees: scale };
  }
  const power = powerScale(unit);
  if (power && (deviceClass === undefined || deviceClass === 'power')) {
    // Another entity may count the same in kWh: here each is a device of its own.
    return { kind: 'power_w', channel: 'unknown/power', ...power, asks: { unit: 'W' } };
  }
  if (isCumulative === false) return null;
  const names = [object, told.friendly_name ?? ''];
  const energy = energyScale(unit);
  if (energy && (deviceClass === undefined || ['energy', 'gas', 'water'].includes(deviceClass))) {
    return energyOf(names, { deviceClass, unit }, energy, isCumulative === true);
  }
  const volume = volumeUnit(unit);
  if (!volume || !(deviceClass === undefined || ['gas', 'water', 'volume'].includes(deviceClass))) return null;
  const commodity = deviceClass === 'gas' || deviceClass === 'water' ? ({ commodity: deviceClass } as const) : {};
  const medium = commodityOf(names, { ...commodity, isTotal: isCumulative === true });
  return medium && { kind: 'volume_total_m3', channel: volumeChannel(medium), ...volume };
}

/**
 * Energy counts where its names say what it is, and it is said to be a total. Here each entity is a device of its own: of which others it is a
 * part, nothing says, and one that speaks of no direction may be a roof's.
 */
function energyOf(
  names: string[],
  { deviceClass, unit }: { deviceClass: string | undefined; unit: string | null },
  scale: Scale,
  isTotal: boolean,
): Readable | null {
  const kind = 'energy_total_kwh';
  const isOther = deviceClass === 'gas' || deviceClass === 'water';
  const commodity = isOther ? deviceClass : /^gj$/i.test(unit ?? '') ? 'heat' : undefined;
  const described: Described = {
    names,
    unit: isTotal ? 'kWh' : null,
    isAlone: true,
    ...(commodity && { commodity }),
  };
  const what = judgeAlone(described);
  if (what.is === 'not counted') return null;
  if (what.is === 'unknown') return { kind, channel: 'unknown/energy', ...scale, asks: { unit: 'kWh' }, described };
  return { kind, channel: what.channel, ...scale, described };
}
