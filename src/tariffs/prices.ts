import { sql } from 'kysely';
import type { Billionths } from '#src/core/decimal.ts';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { noteCostsBy } from './changed-costs.ts';
import { dayOf, type PackedDay, type PriceAt, priceIn, pricesOf, unpacked } from './packed-days.ts';

/** Bigints as text: the driver would make an object of each on the way. */
const SLOTS = sql<string>`array_to_string(prices, ',', '')`.as('slots');

/**
 * Stores prices, in the place of those that were told of the same times before, and leaves to the workers whose costs that changes. In one
 * statement a day's row takes what is new and keeps the rest: of two that write to a day at once neither loses what the other one told.
 */
export async function putPrices(db: Database, seriesId: string, days: readonly PackedDay[]): Promise<void> {
  if (days.length === 0) return;
  const [starts, prices] = [days.map(({ day }) => day), days.map((one) => one.prices)];
  // Raw SQL: days side by side, one parameter each. They come in order, so that two writers do not wait for each other in a circle.
  await joinOrBeginTransaction(db, async (trx) => {
    await sql`INSERT INTO prices (series_id, day, prices)
    SELECT ${seriesId}, day, slots::bigint[] FROM unnest(${starts}::timestamptz[], ${prices}::text[]) AS told (day, slots) ORDER BY day
    ON CONFLICT (series_id, day) DO UPDATE SET prices = (SELECT array_agg(coalesce(new, old) ORDER BY place)
      FROM unnest(excluded.prices, prices.prices) WITH ORDINALITY AS slot (new, old, place))`.execute(trx);
    await noteCostsBy(trx, seriesId);
  });
}

/** The prices of a series that begin in `[from, to)`, in order. */
export async function listPrices(db: Database, seriesId: string, { from, to }: { from: Date; to: Date }) {
  const rows = await daysBetween(db, [seriesId], { from, to });
  return rows
    .flatMap(({ day, slots }) => pricesOf(day, unpacked(slots)))
    .filter(({ startsAtMs }) => startsAtMs >= from.getTime() && startsAtMs < to.getTime()) satisfies PriceAt[];
}

/**
 * What series tell of the times in `[from, to)`, read at once: the price of a series at a time (Unix ms) in billionths, null where none is
 * known. A year of quarter-hours takes some milliseconds. Of whatever series: those that a tariff names were checked when it was made.
 */
export async function pricesBetween(
  db: Database,
  seriesIds: readonly string[],
  range: { from: Date; to: Date },
): Promise<(seriesId: string, ms: number) => Billionths | null> {
  const series = new Map<string, Map<number, (Billionths | null)[]>>(seriesIds.map((id) => [id, new Map()]));
  for (const { series_id, day, slots } of await daysBetween(db, seriesIds, range))
    series.get(series_id)?.set(day.getTime(), unpacked(slots));
  return (seriesId, ms) => {
    const slots = series.get(seriesId)?.get(dayOf(ms));
    return slots ? priceIn(slots, ms) : null;
  };
}

/** How many prices each of some series has, and when the last of them ends to hold; a series without prices is not in it. */
export async function knownPrices(
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
      const slots = unpacked(last_slots);
      const last = slots.findLastIndex((price) => price !== null);
      return [series_id, { count, until: new Date(last_day.getTime() + ((last + 1) * DAY_MS) / slots.length) }];
    }),
  );
}

async function daysBetween(db: Database, seriesIds: readonly string[], { from, to }: { from: Date; to: Date }) {
  if (seriesIds.length === 0) return [];
  return db
    .selectFrom('prices')
    .select(['series_id', 'day', SLOTS])
    .where('series_id', 'in', [...seriesIds])
    .where('day', '>=', new Date(dayOf(from.getTime())))
    .where('day', '<', to)
    .orderBy('series_id')
    .orderBy('day')
    .execute();
}
