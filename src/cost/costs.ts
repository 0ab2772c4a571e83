import type { Database } from '#src/database/connect.ts';
import { type HourLabels, hourLabels } from '#src/energy/hour-labels.ts';
import type { GroupBy } from '#src/energy/insights.ts';
import type { Range } from '#src/energy/ranges.ts';
import { pricesBetween } from '#src/tariffs/prices.ts';
import { tariffsOf } from '#src/tariffs/store.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import { type Buyer, meterOf } from './bought.ts';
import { type Cost, costOf } from './cost.ts';
import { type CostSources, checkCurrency, costSums, type KeyOf } from './sums.ts';

/** What a row by hour is called, or a row by day or month by its `date` alone. */
export type BucketLabels = Pick<HourLabels, 'date'> & Partial<HourLabels>;

/** What a bucket costs. */
export interface CostBucket {
  labels: BucketLabels;
  cost: Cost;
}

/** Rows by hour are rounded to a hundredth of the minor unit. */
const DECIMALS_OF_HOURS = 2;

/** Whose costs are asked for, and when. `now`: what has not begun then costs nothing yet. */
export interface AskedCosts {
  buyer: Buyer;
  range: Range;
  now: Date;
}

/**
 * What the rows of a range cost, in order, as far as a tariff held in them and they have begun: also those of which no energy is known. 422
 * where tariffs of two currencies hold in the range.
 */
export async function costsOf(db: Database, asked: AskedCosts, groupBy: GroupBy): Promise<CostBucket[]> {
  return bucketsOf(await sourcesOf(db, asked.buyer), asked, groupBy);
}

/** The same of what is loaded already. */
export async function bucketsOf(
  sources: CostSources,
  asked: { range: Range; now: Date },
  groupBy: GroupBy,
): Promise<CostBucket[]> {
  const { range } = asked;
  const labelsOf = hourLabels(range);
  const keyOf: KeyOf = (_ms, clock) => {
    if (groupBy === 'hour') return String(clock.hourMs);
    return groupBy === 'day' ? clock.day.date : `${clock.day.date.slice(0, 7)}-01`;
  };
  const sums = await costSums(sources, asked, keyOf, groupBy === 'month');
  return [...sums].flatMap(([key, one]) => {
    const cost = costOf(one, groupBy === 'hour' ? DECIMALS_OF_HOURS : 0);
    if (!cost) return [];
    return [{ labels: groupBy === 'hour' ? labelsOf(new Date(Number(key))) : { date: key }, cost }];
  });
}

/** What all of a range costs; null where no tariff held. */
export async function totalCostOf(db: Database, asked: AskedCosts): Promise<Cost | null> {
  return totalOf(await sourcesOf(db, asked.buyer), asked);
}

/** The same of what is loaded already. */
export async function totalOf(sources: CostSources, asked: { range: Range; now: Date }): Promise<Cost | null> {
  const [all] = (await costSums(sources, asked, () => '', true)).values();
  return all ? costOf(all) : null;
}

/** 422 where tariffs of two currencies hold in the range. */
export async function checkOneCurrency(db: Database, userId: string, range: Range): Promise<void> {
  checkCurrency(await tariffsOf(db, userId), range, await zoneOf(db, userId));
}

/** What a range would cost by one tariff, whenever that holds from. */
export async function costByTariff(db: Database, tariff: Tariff, asked: AskedCosts): Promise<Cost | null> {
  const always = { ...tariff, validFrom: asked.range.start };
  const sums = await costSums(await sourcesOf(db, asked.buyer, [always]), asked, () => '', true);
  const [all] = sums.values();
  return all ? costOf(all) : null;
}

/** What costs are made of, but for what is read stretch by stretch. `known`: in place of the tariffs of the user. */
export async function sourcesOf(db: Database, buyer: Buyer, known?: readonly Tariff[]): Promise<CostSources> {
  const [tariffs, zone, meter] = await Promise.all([
    known ?? tariffsOf(db, buyer.userId),
    zoneOf(db, buyer.userId),
    meterOf(db, buyer),
  ]);
  const series = seriesOf(tariffs);
  const isHome = buyer.deviceId === undefined;
  return { tariffs, zone, meter, isHome, pricesIn: (stretch) => pricesBetween(db, series, stretch) };
}

async function zoneOf(db: Database, userId: string): Promise<string> {
  const row = await db.selectFrom('users').select('timezone').where('user_id', '=', userId).executeTakeFirst();
  return row?.timezone ?? 'UTC';
}

/** The series that some tariffs take prices from. */
const seriesOf = (tariffs: readonly Tariff[]): string[] => [
  ...new Set(
    tariffs.flatMap((tariff) =>
      [tariff.import, tariff.export].flatMap((rates) => (rates?.kind === 'series' ? [rates.seriesId] : [])),
    ),
  ),
];
