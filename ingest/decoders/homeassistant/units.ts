import { findVolumeScale, US_GALLON, type VolumeScale } from '../read/volume.ts';

/** Factor and divisor that convert a value to the service's unit. */
export interface UnitScale {
  times?: number;
  per?: number;
}

const ENERGY = new Map<string, UnitScale>([
  ['wh', { per: 1_000 }],
  ['kwh', {}],
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
 * Returns the scale to kWh of an energy unit. Ignores upper and lower case (devices send `KWh`), except in `mWh` and `mJ`, in which the
 * small m means milli.
 */
export function findEnergyScale(unit: string | null): UnitScale | undefined {
  if (unit === 'mWh') return { per: 1_000_000 };
  if (unit === 'mJ') return { per: 3_600_000_000 };
  return unit === null ? undefined : ENERGY.get(unit.toLowerCase());
}

/** Returns the scale to W of a power unit. Ignores upper and lower case, except in `mW`, in which the small m means milli. */
export const findPowerScale = (unit: string | null): UnitScale | undefined =>
  unit === null ? undefined : unit === 'mW' ? { per: 1_000 } : POWER.get(unit.toLowerCase());

/** Returns the scale to m³ of a volume unit. Home Assistant's `gal` is the American gallon. */
export const findVolumeUnitScale = (unit: string | null): VolumeScale | undefined =>
  unit === 'gal' ? US_GALLON : findVolumeScale(unit);

/** Returns the temperature scale of a unit, C or F; null if it is neither. */
export function findTemperatureScale(unit: string | null): 'C' | 'F' | null {
  const letter = unit
    ?.trim()
    .replace(/^(?:°|º|&deg;|deg)\s*/i, '')
    .toUpperCase();
  return letter === 'C' || letter === 'F' ? letter : letter === '℃' ? 'C' : letter === '℉' ? 'F' : null;
}
