import { US_GALLON, type VolumeScale, volumeScale } from '../read/volume.ts';

/** What a unit is multiplied or divided by to be that of the service. */
export interface Scale {
  times?: number;
  per?: number;
}

const ENERGY = new Map<string, Scale>([
  ['wh', { per: 1_000 }],
  ['kwh', {}],
  ['mwh', { times: 1_000 }],
  ['gwh', { times: 1_000_000 }],
  ['j', { per: 3_600_000 }],
  ['kj', { per: 3_600 }],
  ['mj', { per: 3.6 }],
  ['gj', { times: 1_000, per: 3.6 }],
]);
const POWER = new Map<string, Scale>([
  ['w', {}],
  ['watt', {}],
  ['kw', { times: 1_000 }],
  ['mw', { times: 1_000_000 }],
]);

/** kWh out of an energy unit, whatever its case (`KWh` is seen), but for `mWh` and `mJ`, which are thousandths. */
export function energyScale(unit: string | null): Scale | undefined {
  if (unit === 'mWh') return { per: 1_000_000 };
  if (unit === 'mJ') return { per: 3_600_000_000 };
  return unit === null ? undefined : ENERGY.get(unit.toLowerCase());
}

/** W out of a unit of power, whatever its case, but for `mW`, which is a thousandth. */
export const powerScale = (unit: string | null): Scale | undefined =>
  unit === null ? undefined : unit === 'mW' ? { per: 1_000 } : POWER.get(unit.toLowerCase());

/** m³ out of a unit of volume; Home Assistant's `gal` is the American one. */
export const volumeUnit = (unit: string | null): VolumeScale | undefined =>
  unit === 'gal' ? US_GALLON : volumeScale(unit);

/** C or F out of a unit of temperature; null: none of them. */
export function degrees(unit: string | null): 'C' | 'F' | null {
  const letter = unit
    ?.trim()
    .replace(/^(?:°|º|&deg;|deg)\s*/i, '')
    .toUpperCase();
  return letter === 'C' || letter === 'F' ? letter : letter === '℃' ? 'C' : letter === '℉' ? 'F' : null;
}
