import { HOUR_MS } from '#src/core/units.ts';
import { getEstimatedExportKey } from '#src/database/meter.ts';
import type { Home } from './home.ts';
import type { DeviceRole, HomeDevice } from './roles.ts';
import type { HomeSumName } from './sums.ts';

const EARLIEST_MS = Date.UTC(1900, 0, 1);
/** If more hours than this contain a change of a device's role, all hours are read by quarter-hour. */
export const MAX_HOURS_OF_ROLE_CHANGES = 20;

/**
 * The role of a device, or of all devices of a user together, during a time range. The role determines by which factors the energy is
 * multiplied in the sums of the home.
 */
interface RolePeriod {
  /** Id of the device, or of the user for all devices together. */
  who: string;
  from: Date;
  to: Date;
  role: DeviceRole | 'all';
  isGridThere: boolean;
  hasSources: boolean;
  producesExport: boolean;
  /**
   * Factor of the import in the home's consumption. All devices together have the factor 1, and each device that is no consumption device
   * has -1. Consumption devices therefore need not be read one by one.
   */
  consumes: -1 | 0 | 1;
  /**
   * Set if the rows describe channels whose energy flow differs from that of their device. Contains the device's role. The energy of the
   * channels is subtracted from the device's energy, which includes it.
   */
  without: { role: DeviceRole; producesExport: boolean; consumes: -1 | 0 } | null;
  /** Whether the rows contain only the estimated part of exported energy. */
  isEstimatedExport: boolean;
}

/** Factors by which the measures of a device are multiplied before they are added to a sum of the home. */
export interface MeasureWeights {
  imported?: number;
  exported?: number;
  estimated?: number;
  importMs?: number;
  exportMs?: number;
}

export const MEASURES_BY_HOME_SUM: Record<HomeSumName, readonly (keyof MeasureWeights)[]> = {
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

/** Returns the factors of a device's measures in each sum of the home, by its role (docs/home.md). */
function weightsOf({
  role,
  isGridThere,
  hasSources,
  producesExport,
  consumes,
}: RolePeriod): Record<HomeSumName, MeasureWeights> {
  const is = (wanted: DeviceRole) => Number(role === wanted);
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

export function computeMeasureWeights(part: RolePeriod): Record<HomeSumName, MeasureWeights> {
  const weights = weightsAlone(part);
  if (!part.isEstimatedExport) return weights;
  // The estimated part of the export has the same factor as the export.
  const nothing = Object.fromEntries(Object.keys(MEASURES_BY_HOME_SUM).map((name) => [name, {}])) as Record<
    HomeSumName,
    MeasureWeights
  >;
  return { ...nothing, estimated: { imported: weights.countedMs.exportMs ?? 0 } };
}

/**
 * Returns the factors for the measures of a role period. If it describes channels of a device, the device's factors are subtracted, because
 * the device's energy includes that of the channels.
 */
function weightsAlone(part: RolePeriod): Record<HomeSumName, MeasureWeights> {
  const weights = weightsOf(part);
  if (!part.without) return weights;
  const counted = weightsOf({ ...part, ...part.without });
  for (const [name, measures] of Object.entries(MEASURES_BY_HOME_SUM) as [
    HomeSumName,
    readonly (keyof MeasureWeights)[],
  ][]) {
    for (const measure of measures)
      weights[name][measure] = (weights[name][measure] ?? 0) - (counted[name][measure] ?? 0);
  }
  return weights;
}

/** Whether a device, or one of its channels, exports energy. */
export const hasDeviceExport = ({ devices }: Home, { deviceId }: HomeDevice): boolean =>
  devices.some(
    (one) => (one.deviceId === deviceId || one.partOf === deviceId) && one.counted.some(({ exports }) => exports > 0),
  );

/**
 * Returns the roles in a home within a range: one entry for all devices together, and one for each device whose factors differ from those
 * of all devices.
 */
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
 * Returns the roles of a home's devices before a time as a text. If this text and the data are unchanged, the sums before this time are
 * unchanged.
 */
export function formatDeviceRolesBefore(home: Home, before: Date): string {
  // Devices without data before `before` are left out.
  const later = new Set(
    home.special.flatMap(({ deviceId, beginsAtMs }) =>
      beginsAtMs === null || beginsAtMs >= before.getTime() ? [deviceId, getEstimatedExportKey(deviceId)] : [],
    ),
  );
  const parts = listRolePeriods(home, { from: new Date(EARLIEST_MS), to: before }).filter(({ who }) => !later.has(who));
  // If a role lasts until `before` or longer, its end is left out of the text.
  return JSON.stringify(parts.map((part) => (part.to.getTime() === before.getTime() ? { ...part, to: null } : part)));
}

/**
 * A time range, and the factors by which the import and export of devices are multiplied. The sums over all devices are the energy that the
 * home bought and fed in.
 */
export interface BoughtEnergyRange {
  key: 'user_id' | 'device_id';
  id: string;
  fromMs: number;
  toMs: number;
  imported: number;
  exported: number;
}

/**
 * Returns the factors for the energy that a home bought and fed in: import and export of its grid devices or, without any, the imports of
 * its consumption devices.
 */
export function listBoughtEnergyRanges(home: Home, range: { from: Date; to: Date }): BoughtEnergyRange[] {
  return listRolePeriods(home, range).flatMap((part) => {
    const { gridImport, gridExport, alone } = computeMeasureWeights(part);
    const [imported, exported] = [(gridImport.imported ?? 0) + (alone.imported ?? 0), gridExport.exported ?? 0];
    if (imported === 0 && exported === 0) return [];
    const key = part.role === 'all' ? ('user_id' as const) : ('device_id' as const);
    return [{ key, id: part.who, fromMs: part.from.getTime(), toMs: part.to.getTime(), imported, exported }];
  });
}

/** A time range, and for each sum of the home the factors of a device's measures. */
export interface WeightedTimeRange<Name extends string> {
  key: 'user_id' | 'device_id';
  id: string;
  fromMs: number;
  toMs: number;
  weights: Readonly<Record<Name, MeasureWeights>>;
}

/** Returns the factors for some sums of a home. Omits devices that contribute nothing. */
export function listWeightedTimeRanges(
  home: Home,
  range: { from: Date; to: Date },
  sums: readonly HomeSumName[],
): readonly WeightedTimeRange<HomeSumName>[] {
  return listRolePeriods(home, range).flatMap((part) => {
    const weights = computeMeasureWeights(part);
    if (sums.every((name) => Object.values(weights[name]).every((times) => times === 0))) return [];
    const key = part.role === 'all' ? ('user_id' as const) : ('device_id' as const);
    return [{ key, id: part.who, fromMs: part.from.getTime(), toMs: part.to.getTime(), weights }];
  });
}

/** Returns the hours (starts in Unix ms) in which the role of a device changes. They are read by quarter-hour. */
export const listHoursOfRoleChanges = ({ stretches }: Home, { from, to }: { from: Date; to: Date }): number[] =>
  stretches
    .map(({ fromMs }) => fromMs)
    .filter((ms) => ms > from.getTime() && ms < to.getTime() && ms % HOUR_MS !== 0)
    .map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS);
