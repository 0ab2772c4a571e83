import { sql } from 'kysely';
import type { Billionths } from '#src/core/decimal.ts';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import {
  createPriceLookup,
  getStartOfUtcDay,
  listPricesOfDay,
  type PackedPriceDay,
  type PackedPrices,
  type TimedPrice,
  unpackPrices,
} from './packed-days.ts';
import { queueCostRecomputationOfSeries } from './queue-costs.ts';

/** Column expression that returns the array of prices as text, because the driver would create an object for each price. */
const SLOTS = sql<string>`array_to_string(prices, ',', '')`.as('slots');

/**
 * Stores prices that the owner of a series has set, and queues a recomputation of the affected costs. Prices that are fetched later do not
 * replace them.
 */
export async function storePrices(db: Database, seriesId: string, days: readonly PackedPriceDay[]): Promise<void> {
  if (days.length === 0) return;
  const [starts, prices] = [days.map(({ day }) => day), days.map((one) => one.prices)];
  // Raw SQL: the days are passed as two lists, sorted so that two writers cannot deadlock.
  await joinOrBeginTransaction(db, async (trx) => {
    await sql`INSERT INTO prices (series_id, day, prices)
    SELECT ${seriesId}, day, slots::bigint[] FROM unnest(${starts}::timestamptz[], ${prices}::text[]) AS told (day, slots) ORDER BY day
    ON CONFLICT (series_id, day) DO UPDATE SET (prices, is_fetched) = (
      SELECT array_agg(coalesce(new, old) ORDER BY place),
        CASE WHEN prices.is_fetched IS NOT NULL THEN array_agg(new IS NULL AND coalesce(was, false) ORDER BY place) END
      FROM unnest(excluded.prices, prices.prices, prices.is_fetched) WITH ORDINALITY AS slot (new, old, was, place))`.execute(
      trx,
    );
    await queueCostRecomputationOfSeries(trx, seriesId);
  });
}

/**
 * Stores prices fetched from a series' source, in the caller's transaction. They replace earlier fetched prices, but no price of the owner.
 * Queues a recomputation of the affected costs. Returns whether any price has changed.
 */
export async function storeFetchedPrices(
  trx: Database,
  seriesId: string,
  days: readonly PackedPriceDay[],
): Promise<boolean> {
  const [starts, prices] = [days.map(({ day }) => day), days.map((one) => one.prices)];
  // Raw SQL: the days are passed as two lists. Unchanged days are not written.
  const { numAffectedRows = 0n } = await sql`INSERT INTO prices (series_id, day, prices, fetched, is_fetched)
    SELECT ${seriesId}, day, slots::bigint[], slots::bigint[],
      (SELECT array_agg(price IS NOT NULL ORDER BY place) FROM unnest(slots::bigint[]) WITH ORDINALITY AS slot (price, place))
    FROM unnest(${starts}::timestamptz[], ${prices}::text[]) AS told (day, slots) ORDER BY day
    ON CONFLICT (series_id, day) DO UPDATE SET (prices, fetched, is_fetched) = (
      SELECT array_agg(CASE WHEN is_free THEN coalesce(new, old) ELSE old END ORDER BY place),
        array_agg(coalesce(new, known) ORDER BY place),
        array_agg(is_free AND coalesce(new, old) IS NOT NULL ORDER BY place)
      FROM (SELECT new, old, known, place, old IS NULL OR coalesce(was, false) AS is_free
        FROM unnest(excluded.prices, prices.prices, prices.fetched, prices.is_fetched)
          WITH ORDINALITY AS slot (new, old, known, was, place)) slots)
    WHERE EXISTS (SELECT FROM unnest(excluded.prices, prices.fetched) AS slot (new, known)
      WHERE new IS NOT NULL AND new IS DISTINCT FROM known)`.execute(trx);
  if (numAffectedRows === 0n) return false;
  await queueCostRecomputationOfSeries(trx, seriesId);
  return true;
}

/**
 * Removes prices that the owner of a series has set and that begin in `[from, to)`. Fetched prices then apply again. Queues a recomputation
 * of the affected costs.
 */
export async function removePricesInRange(
  db: Database,
  seriesId: string,
  { from, to }: { from: Date; to: Date },
): Promise<void> {
  const range = sql`series_id = ${seriesId} AND day > ${from}::timestamptz - interval '24 hours' AND day < ${to}`;
  const startsAt = sql`day + (place - 1) * (interval '24 hours' / cardinality(prices.prices))`;
  const hasSource = sql`EXISTS (SELECT FROM series_sources WHERE series_id = ${seriesId})`;
  // Raw SQL: array operations on the prices in a row.
  await joinOrBeginTransaction(db, async (trx) => {
    await sql`UPDATE prices SET (prices, fetched, is_fetched) = (
      SELECT array_agg(CASE WHEN is_hit THEN known ELSE price END ORDER BY place),
        CASE WHEN prices.fetched IS NOT NULL THEN array_agg(known ORDER BY place) END,
        CASE WHEN prices.fetched IS NOT NULL
          THEN array_agg(CASE WHEN is_hit THEN known IS NOT NULL ELSE coalesce(was, false) END ORDER BY place) END
      FROM (SELECT place, price, was, CASE WHEN NOT is_hit OR ${hasSource} THEN known END AS known, is_hit
        FROM (SELECT slot.*, ${startsAt} >= ${from} AND ${startsAt} < ${to} AS is_hit
          FROM unnest(prices.prices, prices.fetched, prices.is_fetched) WITH ORDINALITY AS slot (price, known, was, place)) slots) slots)
      WHERE ${range}`.execute(trx);
    await sql`DELETE FROM prices WHERE ${range} AND cardinality(array_remove(prices, NULL)) = 0`.execute(trx);
    await queueCostRecomputationOfSeries(trx, seriesId);
  });
}

/** Returns the prices of a series that begin in `[from, to)`, in order. */
export async function listPrices(db: Database, seriesId: string, { from, to }: { from: Date; to: Date }) {
  const rows = await readPackedPrices(db, [seriesId], { from, to });
  return rows
    .flatMap(({ day, slots }) => listPricesOfDay(day, unpackPrices(slots)))
    .filter(({ startsAtMs }) => startsAtMs >= from.getTime() && startsAtMs < to.getTime()) satisfies TimedPrice[];
}

/**
 * Reads the prices of several series in `[from, to)`. Returns a function that looks up the price of a series at a time (Unix ms), in
 * billionths; null if unknown. Does not check access.
 */
export async function loadPrices(
  db: Database,
  seriesIds: readonly string[],
  range: { from: Date; to: Date },
): Promise<(seriesId: string, ms: number) => Billionths | null> {
  return createPriceLookup(await readPackedPrices(db, seriesIds, range));
}

/** Returns the number of prices of each series, and the time at which the last price ends. Series without prices are omitted. */
export async function summarisePrices(
  db: Database,
  seriesIds: readonly string[],
): Promise<ReadonlyMap<string, { count: number; until: Date }>> {
  if (seriesIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('prices')
    .select(['series_id', sql<number>`sum(cardinality(array_remove(prices, NULL)))::int`.as('count')])
    .select(sql<Date>`max(day)`.as('last_day'))
    .select(sql<string>`(array_agg(array_to_string(prices, ',', '') ORDER BY day DESC))[1]`.as('last_slots'))
    .where('series_id', 'in', [...seriesIds])
    .groupBy('series_id')
    .execute();
  return new Map(
    rows.map(({ series_id, count, last_day, last_slots }) => {
      const slots = unpackPrices(last_slots);
      const last = slots.findLastIndex((price) => price !== null);
      return [series_id, { count, until: new Date(last_day.getTime() + ((last + 1) * DAY_MS) / slots.length) }];
    }),
  );
}

/** Reads the stored prices of series in `[from, to)`: one row for each series and day, in order. */
export async function readPackedPrices(
  db: Database,
  seriesIds: readonly string[],
  { from, to }: { from: Date; to: Date },
): Promise<PackedPrices[]> {
  if (seriesIds.length === 0) return [];
  return db
    .selectFrom('prices')
    .select(['series_id', 'day', SLOTS])
    .where('series_id', 'in', [...seriesIds])
    .where('day', '>=', new Date(getStartOfUtcDay(from.getTime())))
    .where('day', '<', to)
    .orderBy('series_id')
    .orderBy('day')
    .execute();
}
