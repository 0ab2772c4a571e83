import type { DecoderSettings } from '../family.ts';
import { readNumber } from '../read/number.ts';
import type { ValueCollector } from '../read/value-collector.ts';
import { findVolumeScale, getVolumeChannel, US_GALLON_SCALE } from '../read/volume.ts';

/** Medium of a meter, if its message states the medium. Otherwise `electric`, and the owner's setting states the unit. */
export type MeteredMedium = 'electric' | 'gas' | 'water';

/** Scales that convert energy units to kWh. `per` is a divisor, so that results from Wh are exact. */
const ENERGY = new Map([
  ['kwh', { times: 1, per: 1 }],
  ['wh', { times: 1, per: 1_000 }],
  ['mwh', { times: 1_000, per: 1 }],
]);
const GAS = new Set([0, 1, 2, 9, 12]);
const WATER = new Set([3, 11, 13]);

/** Returns the medium of a meter by the low four bits of its ERT type; `electric` if the type is unknown. */
export function getMediumOfErtType(type: unknown): MeteredMedium {
  const text = typeof type === 'string' && /^0x[0-9a-f]{1,2}$/i.test(type) ? Number(type) : readNumber(type);
  if (typeof text !== 'number' || !Number.isInteger(text)) return 'electric';
  const low = text & 0x0f;
  return GAS.has(low) ? 'gas' : WATER.has(low) ? 'water' : 'electric';
}

/** Returns the meter's id in a message as text; null if there is none. */
export const parseMeterId = (value: unknown): string | null =>
  (typeof value === 'number' && Number.isSafeInteger(value)) ||
  (typeof value === 'string' && /^[\w-]{1,64}$/.test(value))
    ? String(value)
    : null;

interface MeterScale {
  kind: 'energy_total_kwh' | 'volume_total_m3';
  times: number;
  per: number;
}

/**
 * Returns the scale to kWh or m³ that the owner has set for a meter. Returns `neither` for a unit of another quantity. Returns an error
 * with instructions if the owner has set no valid unit or multiplier.
 */
function meterScale(settings: DecoderSettings, id: string): MeterScale | 'neither' | Error {
  const meters = settings.meter ?? {};
  const setting = Object.hasOwn(meters, id) ? meters[id] : undefined;
  if (typeof setting?.unit !== 'string') {
    return new Error(`the counts of meter ${id} have no unit: set decoder_config.meter.${id}, its unit and multiplier`);
  }
  const { unit, multiplier = 1 } = setting;
  if (!(Number.isFinite(multiplier) && multiplier > 0)) {
    return new Error(`decoder_config.meter.${id}.multiplier is not above 0`);
  }
  const word = unit.trim().toLowerCase();
  const energy = ENERGY.get(word);
  // ERT meters are North American, so a gallon is the American gallon.
  const scale = energy ?? (/^gal(?:lons?)?$/.test(word) ? US_GALLON_SCALE : findVolumeScale(word));
  if (!scale) return 'neither';
  const kind = energy ? 'energy_total_kwh' : 'volume_total_m3';
  // A division by 100 is exact in decimals: 123456 / 100 is 1234.56, but 123456 * 0.01 is slightly more.
  const inverse = Math.round(1 / multiplier);
  return Math.abs(inverse * multiplier - 1) < 1e-9
    ? { kind, times: scale.times, per: scale.per * inverse }
    : { kind, times: scale.times * multiplier, per: scale.per };
}

/** Adds the counts of a meter as registers, in the unit that the owner has set. Refuses all counts if no unit is set. */
export function addMeterRegisters(
  collector: ValueCollector,
  counts: { direction: 'import' | 'export'; value: unknown; name: string }[],
  of: { device: string; medium: MeteredMedium; atMs: number | null; settings: DecoderSettings },
): void {
  const { device, medium, atMs, settings } = of;
  const there = counts.filter(({ value }) => value !== undefined && value !== null);
  if (there.length === 0) return;
  const scale = meterScale(settings, device);
  if (scale === 'neither') return;
  if (scale instanceof Error) {
    collector.see(device);
    collector.refuse(scale.message);
    return;
  }
  for (const { direction, value, name } of there) {
    if (scale.kind === 'energy_total_kwh') {
      const channel = medium === 'electric' ? direction : `${medium}/${direction}`;
      collector.add({ device, channel, value, ...scale, atMs, name });
    } else if (medium !== 'electric' && direction === 'import') {
      collector.add({ device, channel: getVolumeChannel(medium), value, ...scale, atMs, name });
    }
  }
}
