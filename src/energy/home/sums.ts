import { castToMilliwattHours, type MilliwattHours } from '#src/core/units.ts';

/**
 * Sums over a home's devices and over the time of a bucket, in mWh (names ending in `Ms`: known time in ms, summed over channels). The
 * usage of a home is computed from the sums of each bucket (`computeHomeUsage`).
 */
export const USAGE_SUM_NAMES = [
  /** While a grid meter exists: import − export + production + discharged − charged; without production and storage only the import. */
  'balance',
  /** While a grid meter exists: import − charged, which is the lower bound of usage. */
  'floor',
  /** While no grid meter exists: energy used by the consumption devices. */
  'alone',
  /** Estimated part of the energies that `used` is computed from. */
  'estimated',
  /** Known time of grid devices. */
  'gridMs',
  /** Known time of consumption devices while no grid meter exists. */
  'aloneMs',
] as const;

/** Names of the sums for further measures, which are read only if such a measure is requested. */
const MORE_SUMS = [
  'gridImport',
  'gridExport',
  /** Export while the home had neither production nor storage from which the export could come. */
  'gridExportAlone',
  'production',
  /** Production while a grid meter existed. */
  'productionBeside',
  'charged',
  'discharged',
  'consumption',
  'productionMs',
  'storageMs',
  'consumptionMs',
  /** Known time of the channels that contribute to `used`. */
  'countedMs',
] as const;

export type UsageSumName = (typeof USAGE_SUM_NAMES)[number];
export type HomeSumName = UsageSumName | (typeof MORE_SUMS)[number];
/** Sums of a bucket. The sums that usage needs are always present; the others only if other measures are requested. */
export type HomeSums = Record<UsageSumName, number> & Partial<Record<HomeSumName, number>>;

/** Returns the names of all sums, or of the sums that `used` needs. */
export const listHomeSumNames = (isMoreAsked: boolean): readonly HomeSumName[] =>
  isMoreAsked ? [...USAGE_SUM_NAMES, ...MORE_SUMS] : USAGE_SUM_NAMES;

/** Creates the sums that `used` needs. `sumOf` returns the value of a sum by its name. */
export const createUsageSums = (sumOf: (name: UsageSumName) => number): Record<UsageSumName, number> => ({
  balance: sumOf('balance'),
  floor: sumOf('floor'),
  alone: sumOf('alone'),
  estimated: sumOf('estimated'),
  gridMs: sumOf('gridMs'),
  aloneMs: sumOf('aloneMs'),
});

/** Adds up several sets of sums. The result contains only the sums that `used` needs. */
export const addHomeSums = (all: readonly HomeSums[]): HomeSums =>
  createUsageSums((name) => all.reduce((sum, one) => sum + one[name], 0));

/**
 * Returns the usage while a grid meter existed; null if unknown. A balance below the lower bound `floor` means that the meters contradict
 * each other.
 */
export const computeUsageWithGridMeter = ({ balance, floor, gridMs }: HomeSums): number | null =>
  gridMs > 0 ? Math.max(balance, floor, 0) : null;

/**
 * Returns the usage of a home in a bucket, mWh; null if unknown. The usage is at least the physical lower bound, which is computed from the
 * bucket's sums. Pure.
 */
export function computeHomeUsage(sums: HomeSums): MilliwattHours | null {
  const beside = computeUsageWithGridMeter(sums);
  if (beside === null && sums.aloneMs <= 0) return null;
  return castToMilliwattHours((beside ?? 0) + sums.alone);
}

/** SQL for `computeHomeUsage`, for comparisons within a statement. The row must have the sums as columns. */
export const HOME_USAGE_SQL = `CASE WHEN "gridMs" > 0 THEN "alone" + greatest("balance", "floor", 0) WHEN "aloneMs" > 0 THEN "alone" END`;

/** Returns the estimated part of the usage, mWh, at most the usage itself. Pure. */
export const computeEstimatedUsage = (sums: HomeSums): MilliwattHours =>
  castToMilliwattHours(Math.min(sums.estimated, computeHomeUsage(sums) ?? 0));

/** Placements for which a home has, or had, a device that contributes to the home's energy. */
export interface ContributingPlacements {
  grid: boolean;
  production: boolean;
  storage: boolean;
  consumption: boolean;
}

/** All measures of a bucket, mWh. Null: unknown, or not applicable to this home. */
export interface HomeMeasures {
  used: MilliwattHours | null;
  gridImport: MilliwattHours | null;
  gridExport: MilliwattHours | null;
  production: MilliwattHours | null;
  charged: MilliwattHours | null;
  discharged: MilliwattHours | null;
  consumption: MilliwattHours | null;
  untracked: MilliwattHours | null;
  /** Exported energy of one device; null for a home. */
  exported: MilliwattHours | null;
  selfConsumed: MilliwattHours | null;
  /** Share of usage that was not imported, 0 to 1, rounded down to thousandths. */
  autarky: number | null;
  estimated: MilliwattHours | null;
  coverage: number | null;
  isComplete: boolean | null;
}

/** Returns a ratio rounded down to thousandths, so that 1 means all. */
export const roundDownRatio = (part: number, whole: number): number => Math.floor((1_000 * part) / whole) / 1_000;

/**
 * Derives the measures of a bucket from all of its sums. `expectedMs`: time in which the channels that contribute to the home's usage are
 * expected to have data (roles.ts). Pure.
 */
export function computeHomeMeasures(sums: HomeSums, had: ContributingPlacements, expectedMs: number): HomeMeasures {
  const of = (name: HomeSumName): number => sums[name] ?? 0;
  const known = (isThere: boolean, ms: number, value: number) =>
    isThere && ms > 0 ? castToMilliwattHours(value) : null;
  const used = computeHomeUsage(sums);
  const beside = computeUsageWithGridMeter(sums);
  const whileGrid = (value: number) => (beside === null ? null : castToMilliwattHours(value));
  const isBound = beside !== null && beside !== sums.balance;
  const production = known(had.production, of('productionMs'), of('production'));
  return {
    used,
    gridImport: known(had.grid, sums.gridMs, of('gridImport')),
    gridExport: known(had.grid, sums.gridMs, of('gridExport')),
    production,
    charged: known(had.storage, of('storageMs'), of('charged')),
    discharged: known(had.storage, of('storageMs'), of('discharged')),
    consumption: known(had.consumption, of('consumptionMs'), of('consumption')),
    untracked: whileGrid((beside ?? 0) - (of('consumption') - sums.alone)),
    exported: null,
    // The self-consumption is null instead of 0 if the home has no production device, or if the production is unknown.
    selfConsumed:
      production === null
        ? null
        : whileGrid(Math.max(0, of('productionBeside') - (of('gridExport') - of('gridExportAlone')))),
    autarky: beside ? roundDownRatio(Math.max(0, beside - of('gridImport')), beside) : null,
    estimated: used === null ? null : computeEstimatedUsage(sums),
    coverage: expectedMs > 0 ? Math.min(1, roundDownRatio(of('countedMs'), expectedMs)) : null,
    isComplete:
      used === null || expectedMs === 0
        ? null
        : of('countedMs') >= expectedMs && of('gridExportAlone') === 0 && !isBound,
  };
}
