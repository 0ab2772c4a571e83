import { findVolumeScale, US_GALLON_SCALE, type VolumeScale } from '../read/volume.ts';

/** Factor and divisor that convert a value to kWh, W or m³. */
export interface UnitScale {
  times?: number;
  per?: number;
}

const ENERGY = new Map<string, UnitScale>([
  ['wh', { per: 1_000 }],
  ['whr', { per: 1_000 }],
  ['kwh', {}],
  ['kwhr', {}],
  ['mwh', { times: 1_000 }],
  ['gwh', { times: 1_000_000 }],
  ['j', { per: 3_600_000 }],
  ['kj', { per: 3_600 }],
  ['mj', { per: 3.6 }],
  ['gj', { times: 1_000, per: 3.6 }],
]);
const POWER = new Map<string, UnitScale>([
  ['w', {}],
  ['watt', {}],
  ['kw', { times: 1_000 }],
  ['mw', { times: 1_000_000 }],
]);

/**
 * Returns the scale that converts an energy unit to kWh. Ignores upper and lower case (devices send `KWh`), except in `mWh` and `mJ`, where
 * the small m means milli. Ignores a degree sign that a program has put before a unit of energy (`ºkWh`).
 */
export function findEnergyScale(announced: string | null): UnitScale | undefined {
  const unit = announced?.replace(/^[°º]\s*(?=.+h$)/i, '') ?? null;
  if (unit === 'mWh') return { per: 1_000_000 };
  if (unit === 'mJ') return { per: 3_600_000_000 };
  return unit === null ? undefined : ENERGY.get(unit.toLowerCase());
}

/** Returns the scale that converts a power unit to W. Ignores upper and lower case, except in `mW`, where the small m means milli. */
export const findPowerScale = (unit: string | null): UnitScale | undefined =>
  unit === null ? undefined : unit === 'mW' ? { per: 1_000 } : POWER.get(unit.toLowerCase());

/** Returns the scale that converts a volume unit to m³. `gal` is the American gallon, as in Home Assistant. */
export const findVolumeUnitScale = (unit: string | null): VolumeScale | undefined =>
  unit === 'gal' ? US_GALLON_SCALE : findVolumeScale(unit);

/** Returns the scale of a temperature unit: C, F, or null for every other unit. */
export function findTemperatureScale(unit: string | null): 'C' | 'F' | null {
  const letter = unit
    ?.trim()
    .replace(/^(?:°|º|&deg;|deg)\s*/i, '')
    .toUpperCase();
  return letter === 'C' || letter === 'F' ? letter : letter === '℃' ? 'C' : letter === '℉' ? 'F' : null;
}
