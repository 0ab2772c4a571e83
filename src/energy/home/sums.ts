import { asMilliwattHours, type MilliwattHours } from '#src/core/units.ts';

/**
 * What a home's devices add up to in a bucket: plain sums over devices and time, in mWh (`…Ms`: known time in ms, summed over channels).
 * What a home used follows from them (`usedOf`), bucket by bucket.
 */
const USED_SUMS = [
  /** While a grid device is there: import − export + production + discharged − charged; without production and storage the import. */
  'balance',
  /** The same of import − charged, which it cannot be below. */
  'floor',
  /** While no grid device is there: what the consumption devices used. */
  'alone',
  /** Estimated parts of what `used` is made of. */
  'estimated',
  /** Of grid devices. */
  'gridMs',
  /** Of consumption devices while no grid device is there. */
  'aloneMs',
] as const;

/** What further measures are made of; read where any of them is asked for. */
const MORE_SUMS = [
  'gridImport',
  'gridExport',
  /** While there was neither production nor storage that it could come from. */
  'gridExportAlone',
  'production',
  /** While a grid device was there. */
  'productionBeside',
  'charged',
  'discharged',
  'consumption',
  'productionMs',
  'storageMs',
  'consumptionMs',
  /** Of the channels that count towards `used`. */
  'countedMs',
] as const;

type UsedSum = (typeof USED_SUMS)[number];
export type HomeSum = UsedSum | (typeof MORE_SUMS)[number];
/** Those that are there in any case, and the others where more is asked for than what was used. */
export type HomeSums = Record<UsedSum, number> & Partial<Record<HomeSum, number>>;

/** Names of the sums: all of them, or those that `used` needs. */
export const sumNames = (isMoreAsked: boolean): readonly HomeSum[] =>
  isMoreAsked ? [...USED_SUMS, ...MORE_SUMS] : USED_SUMS;

/** The sum of sums as far as `used` needs them. */
export const addedSums = (all: readonly HomeSums[]): HomeSums =>
  Object.fromEntries(USED_SUMS.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)])) as HomeSums;

/** What was used while a grid device was there; null where nothing is known of it. What is below `floor` says that meters disagree. */
export const usedBesideGrid = ({ balance, floor, gridMs }: HomeSums): number | null =>
  gridMs > 0 ? Math.max(balance, floor, 0) : null;

/** What a home used in a bucket, mWh; null where it is not known. The bound of physics is applied here, on the bucket's sums. Pure. */
export function usedOf(sums: HomeSums): MilliwattHours | null {
  const beside = usedBesideGrid(sums);
  if (beside === null && sums.aloneMs <= 0) return null;
  return asMilliwattHours((beside ?? 0) + sums.alone);
}

/** `usedOf` in SQL, for what is compared within a statement: of a row that has the sums as columns. */
export const USED_SQL = `CASE WHEN "gridMs" > 0 THEN "alone" + greatest("balance", "floor", 0) WHEN "aloneMs" > 0 THEN "alone" END`;

/** The estimated part of what was used, mWh, at most all of it. Pure. */
export const estimatedOf = (sums: HomeSums): MilliwattHours =>
  asMilliwattHours(Math.min(sums.estimated, usedOf(sums) ?? 0));

/** Placements of which a home has, or had, a device that counts. */
export interface HadPlacements {
  grid: boolean;
  production: boolean;
  storage: boolean;
  consumption: boolean;
}

/** Everything that an answer may tell of a bucket, mWh; null: not known, or not to be known in this home. */
export interface HomeMeasures {
  used: MilliwattHours | null;
  gridImport: MilliwattHours | null;
  gridExport: MilliwattHours | null;
  production: MilliwattHours | null;
  charged: MilliwattHours | null;
  discharged: MilliwattHours | null;
  consumption: MilliwattHours | null;
  untracked: MilliwattHours | null;
  /** Of one device; of a home null. */
  exported: MilliwattHours | null;
  selfConsumed: MilliwattHours | null;
  /** 0 to 1, a thousandth at most, rounded down. */
  autarky: number | null;
  estimated: MilliwattHours | null;
  coverage: number | null;
  isComplete: boolean | null;
}

/** Thousandths at most, rounded down: 1 is all. */
export const shareOf = (part: number, whole: number): number => Math.floor((1_000 * part) / whole) / 1_000;

/** The measures of a bucket, of all sums. `expectedMs`: how long its counted channels should be known (roles.ts). Pure. */
export function measuresOf(sums: HomeSums, had: HadPlacements, expectedMs: number): HomeMeasures {
  const of = (name: HomeSum): number => sums[name] ?? 0;
  const known = (isThere: boolean, ms: number, value: number) => (isThere && ms > 0 ? asMilliwattHours(value) : null);
  const used = usedOf(sums);
  const beside = usedBesideGrid(sums);
  const whileGrid = (value: number) => (beside === null ? null : asMilliwattHours(value));
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
    // Before there is anything that produces, and while nothing is known of it, no 0.
    selfConsumed:
      production === null
        ? null
        : whileGrid(Math.max(0, of('productionBeside') - (of('gridExport') - of('gridExportAlone')))),
    autarky: beside ? shareOf(Math.max(0, beside - of('gridImport')), beside) : null,
    estimated: used === null ? null : estimatedOf(sums),
    coverage: expectedMs > 0 ? Math.min(1, shareOf(of('countedMs'), expectedMs)) : null,
    isComplete:
      used === null || expectedMs === 0
        ? null
        : of('countedMs') >= expectedMs && of('gridExportAlone') === 0 && !isBound,
  };
}
