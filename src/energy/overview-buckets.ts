import { sql } from 'kysely';
import type { MilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { hoursOf, type Whose } from './consumption.ts';
import { localTime, startOfHour } from './local-time.ts';
import type { Range } from './ranges.ts';
import { type Months, wholeMonths } from './whole-months.ts';

/** Spans of the lists of an overview. */
export interface Spans {
  /** All clock hours that any of them needs, up to the end of today. */
  range: Range;
  daysFrom: Date;
  weekFrom: Date;
  months: Months;
}

/** Something is known of it. */
export interface Bucket {
  /** hour: Unix ms of its start; day: YYYY-MM-DD; month: YYYY-MM; cell: ISO weekday and hour of the day, `1 23`. */
  name: string;
  milliwattHours: MilliwattHours;
  estimatedMilliwattHours: MilliwattHours;
}

export type BucketKind = 'hour' | 'day' | 'month' | 'cell';

/**
 * The clock hours of a zone in three ways, each in order: the last 48 of them, days, and the mean hours of a week (`cell`);
 * and months. One statement that reads the hours once: it runs whenever an open page has new readings.
 */
export async function overviewBuckets(
  db: Database,
  whose: Whose,
  { range, daysFrom, weekFrom, months }: Spans,
  now: Date,
): Promise<Record<BucketKind, Bucket[]>> {
  const thisHour = startOfHour(sql`${now}::timestamptz`, range);
  // Raw SQL: the hot path of the dashboard: four groupings of one range in one statement.
  const { rows } = await sql<Bucket & { kind: BucketKind }>`
    WITH hours AS MATERIALIZED (
      SELECT hour, ${localTime(sql`hour`, range)} AS local, "milliwattHours", estimated_milliwatt_hours
      FROM (${hoursOf(whose, range)}) h)
    SELECT 'hour' AS kind, (1000 * extract(epoch FROM hour))::bigint::text AS name, "milliwattHours"::float8, estimated_milliwatt_hours::float8 AS "estimatedMilliwattHours"
    FROM hours WHERE hour > ${thisHour} - interval '48 hours' AND hour <= ${now}
    UNION ALL
    SELECT 'day', to_char(date_trunc('day', local), 'YYYY-MM-DD'), sum("milliwattHours")::float8, sum(estimated_milliwatt_hours)::float8
    FROM hours WHERE hour >= ${daysFrom} GROUP BY date_trunc('day', local)
    UNION ALL
    SELECT 'month', name, "milliwattHours"::float8, estimated_milliwatt_hours::float8 FROM (${wholeMonths(whose, months)}) m
    UNION ALL
    -- Without the hour under way: it would always draw its mean down. Numbers of a kind that is cheap to sort and group.
    SELECT 'cell', to_char(min(local), 'ID HH24'), avg("milliwattHours")::float8, avg(estimated_milliwatt_hours)::float8
    FROM hours WHERE hour >= ${weekFrom} AND hour < ${thisHour} GROUP BY extract(isodow FROM local)::int, extract(hour FROM local)::int
    ORDER BY 1, 2`.execute(db);
  const buckets: Record<BucketKind, Bucket[]> = { hour: [], day: [], month: [], cell: [] };
  for (const { kind, ...bucket } of rows) buckets[kind].push(bucket);
  return buckets;
}
