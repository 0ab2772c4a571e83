import type { Database } from '#src/database/connect.ts';
import { createRowTimeLabeller, type RowTimeLabels } from '#src/energy/clock-labels.ts';
import type { GroupBy } from '#src/energy/insights.ts';
import { type DayRange, isSubDayUnit } from '#src/energy/ranges.ts';
import { getStartOfSubDayUnit } from '#src/energy/wall-clock.ts';
import { loadPrices, readPackedPrices } from '#src/tariffs/prices.ts';
import { loadAllTariffs } from '#src/tariffs/store.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import { createBoughtEnergySource, type HomeOrDevice } from './bought-energy.ts';
import { type Cost, type CostSums, roundCost } from './cost.ts';
import { type CostInputs, loadEnergyOfRange } from './cost-inputs.ts';
import {
  assertSingleCurrency,
  type BucketKeyFunction,
  type CostSources,
  computeCostSums,
  computeTotalCost,
  getCostedTimeRange,
} from './sums.ts';

export interface CostBucket {
  labels: RowTimeLabels;
  cost: Cost;
}

/** Number of additional decimals of a cost if the row covers an hour or less. */
const DECIMALS_OF_HOURS = 2;

/** A query for costs up to `now`. Later quarter-hours have no cost yet. */
export interface CostQuery {
  buyer: HomeOrDevice;
  range: DayRange;
  now: Date;
}

/**
 * Returns the costs of the rows of a range. Rows without a valid tariff and future rows are left out. Error 422 if tariffs of two
 * currencies are valid in the range.
 */
export async function loadCosts(db: Database, asked: CostQuery, groupBy: GroupBy): Promise<CostBucket[]> {
  const rows = await sumCostsOfRows(await loadCostSources(db, asked.buyer), asked, groupBy);
  return rows.flatMap(({ labels, sums }) => {
    const cost = roundCost(sums, isSubDayUnit(groupBy) ? DECIMALS_OF_HOURS : 0);
    return cost ? [{ labels, cost }] : [];
  });
}

export async function sumCostsOfRows(
  sources: CostSources,
  asked: { range: DayRange; now: Date },
  groupBy: GroupBy,
): Promise<{ labels: RowTimeLabels; sums: CostSums }[]> {
  const { range } = asked;
  const labelsOf = isSubDayUnit(groupBy) ? createRowTimeLabeller(range, groupBy) : null;
  const keyOf: BucketKeyFunction = (ms, clock) => {
    if (isSubDayUnit(groupBy)) return String(getStartOfSubDayUnit(ms, clock, groupBy));
    return groupBy === 'day' ? clock.day.date : `${clock.day.date.slice(0, 7)}-01`;
  };
  const sums = await computeCostSums(sources, asked, keyOf, groupBy === 'month');
  return [...sums].map(([key, one]) => ({
    labels: labelsOf ? labelsOf(new Date(Number(key))) : { date: key },
    sums: one,
  }));
}

export async function loadTotalCost(db: Database, asked: CostQuery): Promise<Cost | null> {
  return computeTotalCost(await loadCostSources(db, asked.buyer), asked);
}

export async function assertOneCurrencyInRange(db: Database, userId: string, range: DayRange): Promise<void> {
  assertSingleCurrency(await loadAllTariffs(db, userId), range, await zoneOf(db, userId));
}

/** Loads the inputs of a cost computation except energy and prices. `known`: tariffs to use instead of the user's own tariffs. */
export async function loadCostSources(
  db: Database,
  buyer: HomeOrDevice,
  known?: readonly Tariff[],
): Promise<CostSources<number>> {
  const [tariffs, zone, meter] = await Promise.all([
    known ?? loadAllTariffs(db, buyer.userId),
    zoneOf(db, buyer.userId),
    createBoughtEnergySource(db, buyer),
  ]);
  const series = seriesOf(tariffs);
  const isHome = buyer.deviceId === undefined;
  return { tariffs, zone, meter, isHome, pricesIn: (stretch) => loadPrices(db, series, stretch) };
}

/** Reads the energy and prices for the costs of a user's home in a range. Aborting the signal stops the reading. */
export async function loadCostInputs(
  db: Database,
  userId: string,
  tariffs: readonly Tariff[],
  { range, now }: { range: DayRange; now: Date },
  signal: AbortSignal = new AbortController().signal,
): Promise<CostInputs> {
  const [zone, meter] = await Promise.all([zoneOf(db, userId), createBoughtEnergySource(db, { userId })]);
  const stretches = await loadEnergyOfRange(meter, tariffs, { range, zone, now }, signal);
  return { zone, beginsAtMs: meter.beginsAtMs, stretches, prices: await loadPricesOfTariffs(db, tariffs, range, now) };
}

/** Reads the prices of all price series that the tariffs use. */
export function loadPricesOfTariffs(
  db: Database,
  tariffs: readonly Tariff[],
  range: DayRange,
  now: Date,
): Promise<CostInputs['prices']> {
  const { fromMs, toMs } = getCostedTimeRange(range, now);
  return readPackedPrices(db, seriesOf(tariffs), { from: new Date(fromMs), to: new Date(toMs) });
}

async function zoneOf(db: Database, userId: string): Promise<string> {
  const row = await db.selectFrom('users').select('timezone').where('user_id', '=', userId).executeTakeFirst();
  return row?.timezone ?? 'UTC';
}

const seriesOf = (tariffs: readonly Tariff[]): string[] => [
  ...new Set(
    tariffs.flatMap((tariff) =>
      [tariff.import, tariff.export].flatMap((rates) => (rates?.kind === 'series' ? [rates.seriesId] : [])),
    ),
  ),
];
