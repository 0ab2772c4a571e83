import { asMilliwattHours, type MilliwattHours } from '#src/core/units.ts';

/**
 * What a home's devices add up to in a bucket: each a plain sum over devices and time, in mWh (`…Ms`: known time in ms, summed over channels).
 * `…Beside`: while a grid device is there; `alone`: while none is. What a home used follows from them (`usedOf`), bucket by bucket.
 */
const SUMS = [
  'gridImport',
  'gridExport',
  /** Part of `gridExport`, while there is neither production nor storage that it could come from. */
  'gridExportAlone',
  'production',
  'productionBeside',
  'charged',
  'chargedBeside',
  'discharged',
  'dischargedBeside',
  'consumption',
  'consumptionAlone',
  /** Estimated parts of what `used` is made of. */
  'estimated',
  'gridMs',
  'productionMs',
  'storageMs',
  'consumptionMs',
  'consumptionAloneMs',
  /** Known time of the channels that count towards `used`. */
  'countedMs',
] as const;

export type HomeSum = (typeof SUMS)[number];
export type HomeSums = Record<HomeSum, number>;
export const HOME_SUMS: readonly HomeSum[] = SUMS;

/** The sum of sums. */
export const addedSums = (all: readonly HomeSums[]): HomeSums =>
  Object.fromEntries(SUMS.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)])) as HomeSums;

/** Where a grid device is there: what flowed into the home and did not leave it. Below `floor` meters disagree. */
const balance = (sums: HomeSums): number =>
  sums.gridImport -
  (sums.gridExport - sums.gridExportAlone) +
  sums.productionBeside +
  sums.dischargedBeside -
  sums.chargedBeside;
const floor = (sums: HomeSums): number => Math.max(sums.gridImport - sums.chargedBeside, 0);

/** What a home used while a grid device was there; null where nothing is known of the grid. */
const usedBesideGrid = (sums: HomeSums): number | null =>
  sums.gridMs > 0 ? Math.max(balance(sums), floor(sums)) : null;

/** What a home used in a bucket, mWh; null where it is not known. The bound of physics is applied here, on the bucket's sums. Pure. */
export function usedOf(sums: HomeSums): MilliwattHours | null {
  const beside = usedBesideGrid(sums);
  if (beside === null && sums.consumptionAloneMs <= 0) return null;
  return asMilliwattHours((beside ?? 0) + sums.consumptionAlone);
}

/** The estimated part of what was used, mWh, at most all of it. Pure. */
export const estimatedOf = (sums: HomeSums): MilliwattHours =>
  asMilliwattHours(Math.min(sums.estimated, Math.max(usedOf(sums) ?? 0, 0)));

/** A name of a sum as a column. */
export const sumColumn = (name: HomeSum): string => `"${name}"`;

/**
 * `usedOf` and `estimatedOf` in SQL, for what must be compared within a statement: of a row that has the sums as columns. Null where
 * nothing is known. A property test holds them to be the same.
 */
export const USED_SQL = `CASE WHEN "gridMs" > 0 OR "consumptionAloneMs" > 0 THEN "consumptionAlone" + CASE WHEN "gridMs" > 0 THEN greatest(
  "gridImport" - ("gridExport" - "gridExportAlone") + "productionBeside" + "dischargedBeside" - "chargedBeside", "gridImport" - "chargedBeside", 0) ELSE 0 END END`;

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
  selfConsumed: MilliwattHours | null;
  /** 0 to 1, a thousandth at most, rounded down. */
  autarky: number | null;
  estimated: MilliwattHours | null;
  coverage: number | null;
  isComplete: boolean | null;
}

const shareOf = (part: number, whole: number): number => Math.floor((1_000 * part) / whole) / 1_000;

/** The measures of a bucket. `expectedMs`: how long its counted channels should be known (roles.ts). Pure. */
export function measuresOf(sums: HomeSums, had: HadPlacements, expectedMs: number): HomeMeasures {
  const known = (has: boolean, ms: number, sum: number) => (has && ms > 0 ? asMilliwattHours(sum) : null);
  const used = usedOf(sums);
  const beside = usedBesideGrid(sums);
  const whileGrid = (value: number) => (beside === null ? null : asMilliwattHours(value));
  return {
    used,
    gridImport: known(had.grid, sums.gridMs, sums.gridImport),
    gridExport: known(had.grid, sums.gridMs, sums.gridExport),
    production: known(had.production, sums.productionMs, sums.production),
    charged: known(had.storage, sums.storageMs, sums.charged),
    discharged: known(had.storage, sums.storageMs, sums.discharged),
    consumption: known(had.consumption, sums.consumptionMs, sums.consumption),
    untracked: whileGrid((beside ?? 0) - (sums.consumption - sums.consumptionAlone)),
    selfConsumed: had.production
      ? whileGrid(Math.max(0, sums.productionBeside - (sums.gridExport - sums.gridExportAlone)))
      : null,
    autarky: beside ? shareOf(Math.max(0, beside - sums.gridImport), beside) : null,
    estimated: used === null ? null : estimatedOf(sums),
    coverage: expectedMs > 0 ? Math.min(1, shareOf(sums.countedMs, expectedMs)) : null,
    isComplete:
      used === null || expectedMs === 0
        ? null
        : sums.countedMs >= expectedMs && sums.gridExportAlone === 0 && (beside === null || beside === balance(sums)),
  };
}
