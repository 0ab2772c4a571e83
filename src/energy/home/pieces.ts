import { HOUR_MS } from '#src/core/units.ts';
import { getEstimatedExportKey } from '#src/database/meter.ts';
import type { Home } from './home.ts';
import type { HomeDevice, HomeRole } from './roles.ts';
import type { HomeSum } from './sums.ts';

/** A time that is earlier than all stored data. */
const EARLIEST_MS = Date.UTC(1900, 0, 1);
/** Maximum number of hours in which roles of a home's devices change. If there are more, the whole range is read by quarter-hour. */
export const MAX_HOURS_OF_ROLE_CHANGES = 20;

/** Role of a device, or of all devices together, during a time range. Rows of the load profile are joined with these roles. */
export interface RolePeriod {
  /** Id of the device or, for all of a user's devices, of the user. */
  who: string;
  from: Date;
  to: Date;
  role: HomeRole | 'all';
  isGridThere: boolean;
  hasSources: boolean;
  producesExport: boolean;
  /**
   * Factor of the device's import in the home's consumption. -1: the device's import is part of the sum of all devices, but the device is
   * not a consumption device. Plugs therefore need not be read one by one: their usage is the sum of all devices minus the devices with -1.
   */
  consumes: -1 | 0 | 1;
  /**
   * Null for a device. For channels with their own placement: the role of the device to which they belong. That device's energy includes
   * the energy of the channels, which is therefore subtracted with the factors of this role.
   */
  without: { role: HomeRole; producesExport: boolean; consumes: -1 | 0 } | null;
  /** Whether the rows contain the estimated part of the device's export. */
  isEstimatedExport: boolean;
}

/** Factors with which a part's measures enter a sum. */
export interface MeasureWeights {
  imported?: number;
  exported?: number;
  estimated?: number;
  importMs?: number;
  exportMs?: number;
}

/** Measures that each sum uses. Only these are multiplied. */
export const MEASURES_BY_HOME_SUM: Record<HomeSum, readonly (keyof MeasureWeights)[]> = {
  balance: ['imported', 'exported'],
  floor: ['imported'],
  alone: ['imported'],
  estimated: ['estimated', 'imported'],
  gridMs: ['importMs', 'exportMs'],
  aloneMs: ['importMs'],
  gridImport: ['imported'],
  gridExport: ['exported'],
  gridExportAlone: ['exported'],
  production: ['imported', 'exported'],
  productionBeside: ['imported', 'exported'],
  charged: ['imported'],
  discharged: ['exported'],
  consumption: ['imported'],
  productionMs: ['importMs', 'exportMs'],
  storageMs: ['importMs', 'exportMs'],
  consumptionMs: ['importMs'],
  countedMs: ['importMs', 'exportMs'],
};

/** Returns the factors of a part's measures in each sum, by role: the balance of a home (docs/home.md). Pure. */
function weightsOf({
  role,
  isGridThere,
  hasSources,
  producesExport,
  consumes,
}: RolePeriod): Record<HomeSum, MeasureWeights> {
  const is = (wanted: HomeRole) => Number(role === wanted);
  const [grid, production, storage] = [is('grid'), is('production'), is('storage')];
  const [beside, alone, sources] = [Number(isGridThere), Number(!isGridThere), Number(hasSources)];
  const [out, into] = [production * Number(producesExport), production * Number(!producesExport)];
  const both = (times: number): MeasureWeights => ({ importMs: times, exportMs: times });
  return {
    balance: {
      imported: grid + beside * (into - storage),
      exported: -grid * sources + beside * (out + storage),
    },
    floor: { imported: grid - beside * storage },
    alone: { imported: alone * consumes },
    estimated: { estimated: grid + beside * (into + storage) + alone * consumes },
    gridMs: both(grid),
    aloneMs: { importMs: alone * consumes },
    gridImport: { imported: grid },
    gridExport: { exported: grid },
    gridExportAlone: { exported: grid * (1 - sources) },
    production: { imported: into, exported: out },
    productionBeside: { imported: beside * into, exported: beside * out },
    charged: { imported: storage },
    discharged: { exported: storage },
    consumption: { imported: consumes },
    productionMs: both(production),
    storageMs: both(storage),
    consumptionMs: { importMs: consumes },
    countedMs: {
      importMs: grid + beside * (into + storage) + alone * consumes,
      exportMs: grid * sources + beside * (out + storage),
    },
  };
}

/** Returns, for the load profile rows of a part, the factors of its measures in each sum. */
export function computeWeights(part: RolePeriod): Record<HomeSum, MeasureWeights> {
  const weights = weightsAlone(part);
  if (!part.isEstimatedExport) return weights;
  // The estimated export has the same factor as the export itself.
  const nothing = Object.fromEntries(Object.keys(MEASURES_BY_HOME_SUM).map((name) => [name, {}])) as Record<
    HomeSum,
    MeasureWeights
  >;
  return { ...nothing, estimated: { imported: weights.countedMs.exportMs ?? 0 } };
}

/**
 * Returns the factors of a part's measures in each sum, minus the factors with which the sums already include the same energy through the
 * part's device.
 */
function weightsAlone(part: RolePeriod): Record<HomeSum, MeasureWeights> {
  const weights = weightsOf(part);
  if (!part.without) return weights;
  const counted = weightsOf({ ...part, ...part.without });
  for (const [name, measures] of Object.entries(MEASURES_BY_HOME_SUM) as [
    HomeSum,
    readonly (keyof MeasureWeights)[],
  ][]) {
    for (const measure of measures)
      weights[name][measure] = (weights[name][measure] ?? 0) - (counted[name][measure] ?? 0);
  }
  return weights;
}

/** Whether a device exports energy, itself or through a channel with a placement of its own. */
export const hasDeviceExport = ({ devices }: Home, { deviceId }: HomeDevice): boolean =>
  devices.some(
    (one) => (one.deviceId === deviceId || one.partOf === deviceId) && one.counted.some(({ exports }) => exports > 0),
  );

/** Returns the parts of a home within a range: the devices whose rows are read, and their roles. */
export function listRolePeriods(home: Home, { from, to }: { from: Date; to: Date }): RolePeriod[] {
  const parts: RolePeriod[] = [];
  for (const { fromMs, toMs, isGridThere, hasSources, roles } of home.stretches) {
    const [start, end] = [Math.max(fromMs, from.getTime()), Math.min(toMs, to.getTime())];
    if (start >= end) continue;
    const common = { from: new Date(start), to: new Date(end), isGridThere, hasSources, isEstimatedExport: false };
    parts.push({ ...common, who: home.userId, role: 'all', consumes: 1, producesExport: true, without: null });
    const roleOf = ({ deviceId, producesExport }: HomeDevice) => {
      const role = roles.get(deviceId) ?? 'excluded';
      return { role, producesExport, consumes: role === 'consumption' ? (0 as const) : (-1 as const) };
    };
    for (const device of home.special) {
      const whole = home.devices.find(({ deviceId }) => deviceId === device.partOf);
      parts.push({ ...common, who: device.deviceId, ...roleOf(device), without: whole ? roleOf(whole) : null });
      const added = parts.at(-1) as RolePeriod;
      if (hasDeviceExport(home, device))
        parts.push({ ...added, who: getEstimatedExportKey(device.deviceId), isEstimatedExport: true });
    }
  }
  return parts;
}

/**
 * Returns the roles of a home's devices before a time, as a text. Two homes with the same text and the same data have the same sums before
 * that time.
 */
export function formatDeviceRolesBefore(home: Home, before: Date): string {
  // Devices whose first data are at or after `before`, and devices without data, have no rows before it.
  const later = new Set(
    home.special.flatMap(({ deviceId, beginsAtMs }) =>
      beginsAtMs === null || beginsAtMs >= before.getTime() ? [deviceId, getEstimatedExportKey(deviceId)] : [],
    ),
  );
  const parts = listRolePeriods(home, { from: new Date(EARLIEST_MS), to: before }).filter(({ who }) => !later.has(who));
  // If a role lasts beyond the given time, its end is omitted, so that the text does not depend on that time.
  return JSON.stringify(parts.map((part) => (part.to.getTime() === before.getTime() ? { ...part, to: null } : part)));
}

/** Time range in which the imports and exports of a user's devices, or of one device, are bought and fed-in energy, with their factors. */
export interface BoughtEnergyRange {
  key: 'user_id' | 'device_id';
  id: string;
  fromMs: number;
  toMs: number;
  imported: number;
  exported: number;
}

/**
 * Returns the parts of load profiles that make up the energy that a home bought and fed in: those of its grid devices and, while there is
 * no grid device, the imports of its consumption devices.
 */
export function listBoughtEnergyRanges(home: Home, range: { from: Date; to: Date }): BoughtEnergyRange[] {
  return listRolePeriods(home, range).flatMap((part) => {
    const { gridImport, gridExport, alone } = computeWeights(part);
    const [imported, exported] = [(gridImport.imported ?? 0) + (alone.imported ?? 0), gridExport.exported ?? 0];
    if (imported === 0 && exported === 0) return [];
    const key = part.role === 'all' ? ('user_id' as const) : ('device_id' as const);
    return [{ key, id: part.who, fromMs: part.from.getTime(), toMs: part.to.getTime(), imported, exported }];
  });
}

/** Time range in which rows of a user's devices, or of one device, contribute to sums, with the factor of each measure. */
export interface WeightedTimeRange<Name extends string> {
  key: 'user_id' | 'device_id';
  id: string;
  fromMs: number;
  toMs: number;
  weights: Readonly<Record<Name, MeasureWeights>>;
}

/** Returns the parts that contribute to some sums of a home, with their factors. Omits parts that contribute nothing. */
export function listWeightedTimeRanges(
  home: Home,
  range: { from: Date; to: Date },
  sums: readonly HomeSum[],
): readonly WeightedTimeRange<HomeSum>[] {
  return listRolePeriods(home, range).flatMap((part) => {
    const weights = computeWeights(part);
    if (sums.every((name) => Object.values(weights[name]).every((times) => times === 0))) return [];
    const key = part.role === 'all' ? ('user_id' as const) : ('device_id' as const);
    return [{ key, id: part.who, fromMs: part.from.getTime(), toMs: part.to.getTime(), weights }];
  });
}

/** Returns the hours of a range (starts in Unix ms) within which roles of a home's devices change. These hours are read by quarter-hour. */
export const listHoursOfRoleChanges = ({ stretches }: Home, { from, to }: { from: Date; to: Date }): number[] =>
  stretches
    .map(({ fromMs }) => fromMs)
    .filter((ms) => ms > from.getTime() && ms < to.getTime() && ms % HOUR_MS !== 0)
    .map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS);
