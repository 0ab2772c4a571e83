import { castToMilliwattHours, type MilliwattHours } from '#src/core/units.ts';

/** Sums over a home's devices, in mWh (in ms if the name ends in `Ms`), from which its usage is computed. */
export const USAGE_SUM_NAMES = [
  /** With a grid meter: import − export + production + discharged − charged. */
  'balance',
  /** With a grid meter: import − charged. The usage cannot be lower than this. */
  'floor',
  /** Without a grid meter: energy used by the consumption devices. */
  'alone',
  /** Estimated part of the energies that `used` is computed from. */
  'estimated',
  /** Time with known data of grid devices. */
  'gridMs',
  /** Time with known data of consumption devices, while there is no grid meter. */
  'aloneMs',
] as const;

/** Names of the sums that are needed only for other measures than usage, such as `production`. */
const MORE_SUMS = [
  'gridImport',
  'gridExport',
  /** Export while the home had neither production nor storage. */
  'gridExportAlone',
  'production',
  'productionBeside',
  'charged',
  'discharged',
  'consumption',
  'productionMs',
  'storageMs',
  'consumptionMs',
  /** Time with known data of the channels that contribute to `used`. */
  'countedMs',
] as const;

export type UsageSumName = (typeof USAGE_SUM_NAMES)[number];
export type HomeSumName = UsageSumName | (typeof MORE_SUMS)[number];
/** Sums of a home. The sums that usage needs are always present. */
export type HomeSums = Record<UsageSumName, number> & Partial<Record<HomeSumName, number>>;

export const listHomeSumNames = (isMoreAsked: boolean): readonly HomeSumName[] =>
  isMoreAsked ? [...USAGE_SUM_NAMES, ...MORE_SUMS] : USAGE_SUM_NAMES;

export const createUsageSums = (sumOf: (name: UsageSumName) => number): Record<UsageSumName, number> => ({
  balance: sumOf('balance'),
  floor: sumOf('floor'),
  alone: sumOf('alone'),
  estimated: sumOf('estimated'),
  gridMs: sumOf('gridMs'),
  aloneMs: sumOf('aloneMs'),
});

export const addHomeSums = (all: readonly HomeSums[]): HomeSums =>
  createUsageSums((name) => all.reduce((sum, one) => sum + one[name], 0));

/** Returns the usage with a grid meter; null if unknown. If the balance is below `floor`, the meters contradict each other. */
export const computeUsageWithGridMeter = ({ balance, floor, gridMs }: HomeSums): number | null =>
  gridMs > 0 ? Math.max(balance, floor, 0) : null;

/** Returns the usage of a home in mWh; null if unknown. */
export function computeHomeUsage(sums: HomeSums): MilliwattHours | null {
  const beside = computeUsageWithGridMeter(sums);
  if (beside === null && sums.aloneMs <= 0) return null;
  return castToMilliwattHours((beside ?? 0) + sums.alone);
}

/** The same as `computeHomeUsage` in SQL. The row must have the sums as columns. */
export const HOME_USAGE_SQL = `CASE WHEN "gridMs" > 0 THEN "alone" + greatest("balance", "floor", 0) WHEN "aloneMs" > 0 THEN "alone" END`;

export const computeEstimatedUsage = (sums: HomeSums): MilliwattHours =>
  castToMilliwattHours(Math.min(sums.estimated, computeHomeUsage(sums) ?? 0));

/** The parts of the home that its present and former devices measure. */
export interface ContributingPlacements {
  grid: boolean;
  production: boolean;
  storage: boolean;
  consumption: boolean;
}

/** Measures in mWh. Null: unknown, or not applicable to this home. */
export interface HomeMeasures {
  used: MilliwattHours | null;
  gridImport: MilliwattHours | null;
  gridExport: MilliwattHours | null;
  production: MilliwattHours | null;
  charged: MilliwattHours | null;
  discharged: MilliwattHours | null;
  consumption: MilliwattHours | null;
  untracked: MilliwattHours | null;
  /** Null for a home. */
  exported: MilliwattHours | null;
  selfConsumed: MilliwattHours | null;
  /** Share of usage that was not imported, 0 to 1. */
  autarky: number | null;
  estimated: MilliwattHours | null;
  coverage: number | null;
  isComplete: boolean | null;
}

export const roundDownRatio = (part: number, whole: number): number => Math.floor((1_000 * part) / whole) / 1_000;

/** Derives the measures of a home from all of its sums. `expectedMs`: time for which data are expected. */
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
    // Null instead of 0 if the home has no production or its production is unknown.
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
