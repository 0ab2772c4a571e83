import type { Database } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { type BoughtEnergyRange, listBoughtEnergyRanges } from '#src/energy/home/role-periods.ts';
import { findFirstDataTimeMs } from '#src/energy/usage/device-history.ts';
import { sumWeightedQuarterHours } from '#src/energy/usage/quarter-hours.ts';

/**
 * The home or device whose costs are computed: a user's home, or one of its devices. The caller must have checked that the request may
 * access the device.
 */
export interface HomeOrDevice {
  userId: string;
  deviceId?: string;
}

/** Energies as a list: whole mWh as floats, or the meter's smaller units as bigints. */
type Energies<Energy extends number | bigint> = Energy extends number ? Float64Array : readonly Energy[];

/** Energy that a home or device bought in consecutive quarter-hours (UTC) from `fromMs` on. */
export interface BoughtEnergy<Energy extends number | bigint = number> {
  fromMs: number;
  imported: Energies<Energy>;
  /** Estimated component of `imported`. */
  estimated: Energies<Energy>;
  exported: Energies<Energy>;
  /** For each quarter-hour, the number of milliseconds for which the import is known. */
  coveredMs: Float64Array;
}

/** A source of bought energy. The energy is read for one range of time after another. */
export interface BoughtEnergySource<Energy extends number | bigint = number> {
  /** Number of the meter's energy units in one mWh; default 1. If the number is greater than 1, all energies are bigints. */
  unitsPerMilliwattHour?: bigint;
  /** Start of the first quarter-hour with data, Unix ms. Null if there are no data. */
  beginsAtMs: number | null;
  /** Returns the energy of `[from, to)`. Both times are starts of quarter-hours. */
  boughtIn(range: { from: Date; to: Date }): Promise<BoughtEnergy<Energy>>;
}

/**
 * Returns the meter of the energy that a home or device imported and exported (docs/cost.md, "Whose energy"). A home is metered at its
 * connection point or, without a grid meter, by the imports of its consumption devices. A device is metered by its own import.
 */
export async function createBoughtEnergySource(
  db: Database,
  { userId, deviceId }: HomeOrDevice,
): Promise<BoughtEnergySource> {
  if (deviceId !== undefined) return createDeviceEnergySource(db, deviceId, { exported: 0 });
  const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true });
  const begins = home.devices.flatMap(({ beginsAtMs }) => (beginsAtMs === null ? [] : [beginsAtMs]));
  return {
    beginsAtMs: begins.length > 0 ? Math.min(...begins) : null,
    boughtIn: (range) => read(db, listBoughtEnergyRanges(home, range), range),
  };
}

/**
 * Creates the meter of a single device, whatever its placement in the home. The meter measures the device's import and, if `exported` is 1,
 * also its export.
 */
export async function createDeviceEnergySource(
  db: Database,
  deviceId: string,
  { exported }: { exported: 0 | 1 },
): Promise<BoughtEnergySource> {
  const beginsAtMs = await findFirstDataTimeMs(db, deviceId);
  const part = { key: 'device_id', id: deviceId, fromMs: -Infinity, toMs: Infinity, imported: 1, exported } as const;
  return { beginsAtMs, boughtIn: (range) => read(db, [part], range) };
}

const SUMS = ['imported', 'estimated', 'exported', 'coveredMs'] as const;

async function read(
  db: Database,
  parts: readonly BoughtEnergyRange[],
  range: { from: Date; to: Date },
): Promise<BoughtEnergy> {
  const weighed = parts.map(({ key, id, fromMs, toMs, imported, exported }) => ({
    ...{ key, id, fromMs, toMs },
    weights: {
      imported: { imported },
      estimated: { estimated: imported },
      exported: { exported },
      coveredMs: { importMs: imported },
    },
  }));
  return { fromMs: range.from.getTime(), ...(await sumWeightedQuarterHours(db, weighed, range, SUMS)) };
}
