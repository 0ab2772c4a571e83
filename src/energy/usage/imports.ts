import { type RawBuilder, sql } from 'kysely';
import { DateTime } from 'luxon';
import { asMilliwattHours, type MilliwattHours } from '#src/core/units.ts';
import { type Database, PREPARED, wholeNumbers, wholeNumbersOrNulls } from '#src/database/connect.ts';
import { COLUMN, levelOf } from '#src/rollups/levels.ts';
import { addedUp, type Owner, piecesOfEach } from '#src/rollups/parts.ts';
import { localTime, startOfHour } from '../local-time.ts';
import { pieceMinutes, type Range } from '../ranges.ts';
import { isComposedSql } from './composed.ts';

/**
 * What a user or a device imported, by bucket. A home of one meter, or of appliances alone, used what it imported: the statement that reads the
 * imports also finds out whether the home is more than that, and then reads nothing.
 */

const ENERGY = sql.ref(COLUMN.energyMilliwattHours);
const ESTIMATED = sql.ref(COLUMN.estimatedMilliwattHours);
/** An hour, or an hour of the day, can be the peak if something was used in it and at most half of that is estimated (docs/home.md, peak hours). */
const CAN_BE_PEAK = sql`used > 0 AND 2 * ${ESTIMATED} <= used`;
const READ = [COLUMN.energyMilliwattHours, COLUMN.estimatedMilliwattHours, COLUMN.coveredMs];
const SUMS = ['energyMilliwattHours', 'estimatedMilliwattHours'] as const;

/** Up to this length it takes longer to plan a statement than to run it. */
const WEEKS_MS = 10 * 7 * 86_400_000;

/** Whose imports: those of all devices of a user, or those of one device (which the caller must have found within its reach). */
export type Whose = { userId: string } | { deviceId: string };

export type Bucket = 'hour' | 'day' | 'month';

/** Imports by bucket, in order. A bucket of which nothing is known is missing. */
export interface Imports {
  /** Unix seconds: start of an hour; of a day or month 00:00 UTC of its first date in the range's zone. */
  at: readonly number[];
  milliwattHours: readonly MilliwattHours[];
  /**
   * Of a day: start of the hour with the highest import (Unix seconds), of equal ones the first. Of a month: the hour of the day, 0 to 23, with the highest
   * total. Null: nothing was imported, or too much of it is estimated.
   */
  peaks: readonly (number | null)[];
}

/** All of a range. */
export interface ImportedTotal {
  milliwattHours: MilliwattHours;
  /** Number of days of which anything is known. */
  days: number;
  /** Hour of the day, 0 to 23, as for a month. */
  peakHourOfDay: number | null;
}

/** First date of a day or a month of `Imports`, YYYY-MM-DD. */
export const dateOf = (second: number): string => new Date(second * 1_000).toISOString().slice(0, 10);

const ownerOf = (whose: Whose): Owner =>
  'userId' in whose ? { key: 'user_id', id: whose.userId } : { key: 'device_id', id: whose.deviceId };

/** The level that has the UTC hours of a user or device. */
const hourlyOf = (whose: Whose) => levelOf('userId' in whose ? 'user_hourly' : 'device_hourly');

/** Reads the imports by clock hour, day or month of the range's zone. Null: the home of the user is put together of its devices. */
export function importsBy(db: Database, whose: Whose, range: Range, bucket: Bucket): Promise<Imports | null> {
  const isShort = range.to.getTime() - range.from.getTime() <= WEEKS_MS;
  if (bucket === 'hour')
    return columnsOf(
      db,
      whose,
      sql`SELECT ${epoch(sql`hour`)} AS at, used, NULL::bigint AS peak FROM (${hoursOf(whose, range)}) h`,
      true,
    );
  if (bucket === 'month') return columnsOf(db, whose, monthsOf(whose, range), false);
  if (range.zone !== 'UTC' || 'deviceId' in whose) return columnsOf(db, whose, localDaysOf(whose, range), isShort);
  const days = addedUp(levelOf('user_daily'), ownerOf(whose), range, ['energyMilliwattHours']);
  const rows = sql`SELECT ${epoch(sql`day`)} AS at, ${ENERGY} AS used, ${epoch(sql`peak_hour`)} AS peak FROM (${days}) d`;
  return columnsOf(db, whose, rows, true);
}

/** Reads the total of a range. Null as above. */
export async function importedTotal(db: Database, whose: Whose, range: Range): Promise<ImportedTotal | null> {
  const hourOfDay = sql`extract(hour FROM ${localTime(sql`hour`, range)})::int`;
  // Raw SQL: the hot path of every answer about usage, here and below; measured as it is written.
  const { rows } = await sql<{ isComposed: boolean; used: MilliwattHours; days: number; peak: number | null }>`
    WITH ${homeOf(whose)}, hours AS MATERIALIZED (SELECT * FROM (${hoursOf(whose, range)}) h WHERE NOT ${IS_COMPOSED}),
    profile AS (SELECT ${hourOfDay} AS hour_of_day, sum(used)::bigint AS used, sum(${ESTIMATED})::bigint AS ${ESTIMATED} FROM hours GROUP BY 1)
    SELECT ${IS_COMPOSED} AS "isComposed", (SELECT coalesce(sum(used), 0)::bigint FROM hours) AS used,
      (SELECT count(DISTINCT ${localTime(sql`hour`, range)}::date)::int FROM hours) AS days,
      (SELECT hour_of_day FROM profile WHERE ${CAN_BE_PEAK} ORDER BY used DESC, hour_of_day LIMIT 1) AS peak`.execute(
    db,
  );
  const [row] = rows;
  if (!row || row.isComposed) return null;
  return { milliwattHours: row.used, days: row.days, peakHourOfDay: row.peak };
}

const IS_COMPOSED = sql`(SELECT is_composed FROM home)`;
const homeOf = (whose: Whose) =>
  sql`home AS MATERIALIZED (SELECT ${'userId' in whose ? isComposedSql(sql`${whose.userId}::text`) : sql`false`} AS is_composed)`;
const epoch = (time: RawBuilder<unknown>) => sql`date_part('epoch', ${time})::bigint`;

/**
 * Runs a statement of rows `at`, `used` and `peak`. Its answer is one row of lists: the driver takes six milliseconds of the process at a time
 * for a thousand rows.
 */
async function columnsOf(
  db: Database,
  whose: Whose,
  buckets: RawBuilder<unknown>,
  isPrepared: boolean,
): Promise<Imports | null> {
  const { rows } = await sql<{ isComposed: boolean; at: string | null; used: string | null; peaks: string | null }>`
    ${isPrepared ? PREPARED : sql``}WITH ${homeOf(whose)}
    SELECT ${IS_COMPOSED} AS "isComposed", array_agg(at ORDER BY at)::text AS at, array_agg(used ORDER BY at)::text AS used, array_agg(peak ORDER BY at)::text AS peaks
    FROM (${buckets}) b WHERE NOT ${IS_COMPOSED}`.execute(db);
  const [row] = rows;
  if (!row || row.isComposed) return null;
  return {
    at: wholeNumbers(row.at),
    milliwattHours: wholeNumbers(row.used).map(asMilliwattHours),
    peaks: wholeNumbersOrNulls(row.peaks),
  };
}

/**
 * Clock hours in the range, in SQL: UTC hours, or quarter-hours put together where the zone's hours lie otherwise. Columns:
 * hour, used, estimated_milliwatt_hours.
 */
function hoursOf(whose: Whose, range: Range): RawBuilder<unknown> {
  const owner = ownerOf(whose);
  const minutes = pieceMinutes(range);
  if (minutes === 60)
    return sql`SELECT hour, ${ENERGY} AS used, ${ESTIMATED} FROM (${addedUp(hourlyOf(whose), owner, range, SUMS)}) u`;
  const pieces = piecesOfEach({ key: owner.key, ids: [owner.id] }, range, minutes, READ);
  // Devices are summed first: a calendar takes longer than a sum.
  return sql`
    SELECT ${startOfHour(sql`at`, range)} AS hour, sum(${ENERGY})::bigint AS used, sum(${ESTIMATED})::bigint AS ${ESTIMATED}
    FROM (
      SELECT at, sum(${ENERGY})::bigint AS ${ENERGY}, sum(${ESTIMATED})::bigint AS ${ESTIMATED}
      FROM (${pieces}) q GROUP BY 1 HAVING sum(${sql.ref(COLUMN.coveredMs)}) <> 0
    ) quarters GROUP BY 1`;
}

/** Days of any zone, from the range's clock hours. */
const localDaysOf = (whose: Whose, range: Range): RawBuilder<unknown> => sql`
  SELECT ${epoch(sql`date_trunc('day', ${localTime(sql`hour`, range)})`)} AS at, sum(used)::bigint AS used,
    ${epoch(sql`(array_agg(hour ORDER BY used DESC, hour) FILTER (WHERE ${CAN_BE_PEAK}))[1]`)} AS peak
  FROM (${hoursOf(whose, range)}) h GROUP BY 1`;

/** A month counts with the days that lie in the range. Whole UTC months come from the monthly aggregate, parts of months and other zones from hours. */
function monthsOf(whose: Whose, range: Range): RawBuilder<unknown> {
  if (range.zone !== 'UTC' || 'deviceId' in whose) return monthsOfHours(whose, range);
  const firstWhole = monthAtOrAfter(range.from);
  const afterWhole = DateTime.fromJSDate(range.to, { zone: 'utc' }).startOf('month').toJSDate();
  if (firstWhole >= afterWhole) return monthsOfHours(whose, range);
  const part = (from: Date, to: Date) => (from < to ? [monthsOfHours(whose, { ...range, from, to })] : []);
  const parts = [
    ...part(range.from, firstWhole),
    wholeMonths(whose, { from: firstWhole, to: afterWhole }),
    ...part(afterWhole, range.to),
  ];
  return sql.join(parts, sql` UNION ALL `);
}

/** Months of rows by month and hour of the day. */
const monthsOfProfile = (profile: RawBuilder<unknown>) => sql`
  SELECT ${epoch(sql`month`)} AS at, sum(used)::bigint AS used,
    (array_agg(hour_of_day::bigint ORDER BY used DESC, hour_of_day) FILTER (WHERE ${CAN_BE_PEAK}))[1] AS peak
  FROM (${profile}) p GROUP BY 1`;

function monthsOfHours(whose: Whose, range: Range): RawBuilder<unknown> {
  const local = localTime(sql`hour`, range);
  return monthsOfProfile(sql`
    SELECT date_trunc('month', ${local}) AS month, extract(hour FROM ${local})::int AS hour_of_day, sum(used)::bigint AS used,
      sum(${ESTIMATED})::bigint AS ${ESTIMATED}
    FROM (${hoursOf(whose, range)}) h GROUP BY 1, 2`);
}

/** Whole UTC months. `from` and `to` are starts of months. */
function wholeMonths(whose: Whose, range: { from: Date; to: Date }): RawBuilder<unknown> {
  const hours = addedUp(levelOf('user_monthly_by_hour'), ownerOf(whose), range, SUMS);
  return monthsOfProfile(sql`SELECT month, hour_of_day, ${ENERGY} AS used, ${ESTIMATED} FROM (${hours}) h`);
}

function monthAtOrAfter(date: Date): Date {
  const start = DateTime.fromJSDate(date, { zone: 'utc' }).startOf('month');
  return (start.toMillis() === date.getTime() ? start : start.plus({ months: 1 })).toJSDate();
}
