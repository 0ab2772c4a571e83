import { scaled } from '#src/core/units.ts';

/** A series of a file with several, of which one is imported at a time. */
export interface Series {
  name: string;
  /** As the file has it; null: it tells none. */
  unit: string | null;
  readings: number;
  fromMs: number;
  toMs: number;
}

/** Units of energy, and of volume (whose number goes into a channel that counts m³), by what of a thousandth of a kWh (or m³) they are. */
const UNITS = { Wh: 1, kWh: 1_000, MWh: 1_000_000, GWh: 1_000_000_000, 'm³': 1_000, L: 1 } as const;
export type EnergyUnit = keyof typeof UNITS;

/** A unit as Home Assistant writes it, also taken apart (`m3`: NFKD); null where it is none that is known here. */
export function energyUnit(text: string | null): EnergyUnit | null {
  const name = text === 'm3' ? 'm³' : text;
  return name !== null && Object.hasOwn(UNITS, name) ? (name as EnergyUnit) : null;
}

export const isVolume = (unit: EnergyUnit): boolean => unit === 'm³' || unit === 'L';

/** A value in kWh (or m³), with the digits that it was written with. */
export const toKwh = (value: number, unit: EnergyUnit): number => scaled(value, UNITS[unit], 1_000);
