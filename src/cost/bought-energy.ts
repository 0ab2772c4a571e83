import type { Database } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { type BoughtEnergyRange, listBoughtEnergyRanges } from '#src/energy/home/role-periods.ts';
import { findFirstDataTimeMs } from '#src/energy/usage/device-history.ts';
import { sumWeightedQuarterHours } from '#src/energy/usage/quarter-hours.ts';

/** A user's home, or one of its devices. The caller must have checked the access rights. */
export interface HomeOrDevice {
  userId: string;
  deviceId?: string;
}

/** A list of energies: whole mWh as numbers, or whole numbers of a smaller unit as bigints. */
type Energies<Energy extends number | bigint> = Energy extends number ? Float64Array : readonly Energy[];

/** Energy that a home or device bought in consecutive quarter-hours (UTC) from `fromMs` on. */
export interface BoughtEnergy<Energy extends number | bigint = number> {
  fromMs: number;
  imported: Energies<Energy>;
  /** The estimated part of the imported energy. */
  estimated: Energies<Energy>;
  exported: Energies<Energy>;
  /** For how long the energy of each quarter-hour is known, in ms. */
  coveredMs: Float64Array;
}

export interface BoughtEnergySource<Energy extends number | bigint = number> {
  /**
   * Number of energy units in one mWh. Default 1: the energies are in mWh. If it is greater, all energies are bigints in this smaller unit.
   */
  unitsPerMilliwattHour?: bigint;
  /** Start of the first quarter-hour with data, Unix ms. Null if there are none. */
  beginsAtMs: number | null;
  /** The bounds of the time range are starts of quarter-hours. */
  boughtIn(range: { from: Date; to: Date }): Promise<BoughtEnergy<Energy>>;
}

/**
 * Creates a source of the energy that a home or device bought: at the grid connection of a home or, without a grid meter, the imports of
 * its consumption devices (docs/cost.md, "Whose energy").
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

/** Creates a source of the import of a single device. `exported`: 1 if its export is also read. */
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
