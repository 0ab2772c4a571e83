import { scaleDecimal } from '#src/core/units.ts';

/** A series (measured quantity) in a file that contains several. Each import reads only one of them. */
export interface ImportSeries {
  name: string;
  /** Unit as written in the file; null if the file contains no unit. */
  unit: string | null;
  readings: number;
  fromMs: number;
  toMs: number;
}

/** Units of energy and of volume (for channels in m³), as multiples of a thousandth of a kWh (or m³). */
const UNITS = { Wh: 1, kWh: 1_000, MWh: 1_000_000, GWh: 1_000_000_000, 'm³': 1_000, L: 1 } as const;
export type ImportUnit = keyof typeof UNITS;

/** Parses a unit in Home Assistant's notation, also with plain digits (`m3`). Returns null if the unit is unknown. */
export function parseImportUnit(text: string | null): ImportUnit | null {
  const name = text === 'm3' ? 'm³' : text;
  return name !== null && Object.hasOwn(UNITS, name) ? (name as ImportUnit) : null;
}

export const isVolumeUnit = (unit: ImportUnit): boolean => unit === 'm³' || unit === 'L';

/** Converts a value to kWh (or m³), without losing decimal digits. */
export const convertToKwh = (value: number, unit: ImportUnit): number => scaleDecimal(value, UNITS[unit], 1_000);
