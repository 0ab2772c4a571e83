import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { closedAndOpenHourRowsOfUsersSql, userOrDeviceLoadProfilesSql } from '#src/rollups/level-queries.ts';
import { COLUMN_BY_MEASURE, findRollupLevel } from '#src/rollups/levels.ts';
import { type MonthToDate, monthToDateHomesSql } from '../group/month-to-date.ts';
import type { BucketPartUsage } from '../group/part.ts';
import type { Home } from '../home/home.ts';
import { HOME_USAGE_SQL, type HomeSums } from '../home/sums.ts';
import { localTimeSql, startOfSubDayUnitSql } from '../local-time.ts';
import { type DayRange, findCommonIntervalMinutes, isSubDayUnit, type SubDayUnit } from '../ranges.ts';
import { homeSumColumnsSql, homeSumsBySubDayUnitSql, totalsOfHomeSumsSql } from './home-sums.ts';

/** The time that each row of a group covers. `span`: the whole range. */
export type GroupBucketUnit = SubDayUnit | 'day' | 'month' | 'span';

/** Returns the unit of the rows that are read from the database. They are added up to rows of `unit`. */
const readUnit = (unit: GroupBucketUnit): SubDayUnit => (isSubDayUnit(unit) ? unit : 'hour');

/** Sums of one home. `home`: index in the list of homes. */
type HomeBucketSums = HomeSums & { home: number; bucket: string };

const [ENERGY, ESTIMATED, COVERED] = [
  COLUMN_BY_MEASURE.energyMilliwattHours,
  COLUMN_BY_MEASURE.estimatedMilliwattHours,
  COLUMN_BY_MEASURE.coveredMs,
] as const;
const READ = [ENERGY, ESTIMATED, COVERED];
/** Doubles are ten times as fast as bigints in SQL, and exact below 2^53 mWh. */
const SUMS = sql.raw(`sum(${ENERGY}::float8) AS used, sum(${ESTIMATED}::float8) AS estimated`);
const IS_KNOWN = sql.raw(`sum(${COVERED}) <> 0`);

/** Returns SQL for the row that contains an hour (`bucket`), and for the hour's part of this row (`BucketPartUsage`). */
function placeOf(unit: GroupBucketUnit, range: DayRange): { bucket: RawBuilder<unknown>; part: RawBuilder<unknown> } {
  const local = localTimeSql(sql`hour`, range);
  const second = sql`date_part('epoch', hour)`;
  const hourOfDay = sql`date_part('hour', ${local})`;
  switch (unit) {
    case 'day':
      return { bucket: sql`to_char(${local}, 'YYYY-MM-DD')`, part: second };
    case 'month':
      return { bucket: sql`to_char(${local}, 'YYYY-MM-01')`, part: hourOfDay };
    case 'span':
      return { bucket: sql`''::text`, part: hourOfDay };
    default:
      return { bucket: sql`${second}::bigint::text`, part: second };
  }
}

export async function readUsageOfPlainHomes(
  db: Database,
  userIds: readonly string[],
  range: DayRange,
  unit: GroupBucketUnit,
): Promise<BucketPartUsage[]> {
  const minutes = findCommonIntervalMinutes(range, readUnit(unit));
  const pieces = userOrDeviceLoadProfilesSql({ key: 'user_id', ids: userIds }, range, minutes, READ);
  // Adds up by UTC hour first, because computing local times takes longer than summing.
  const at = sql`SELECT at, ${SUMS} FROM (${pieces}) p GROUP BY 1 HAVING ${IS_KNOWN}`;
  const { bucket, part } = placeOf(unit, range);
  const start = minutes === 60 ? sql`at` : startOfSubDayUnitSql(sql`at`, range, readUnit(unit));
  // Raw SQL: names of relations are known only at run time.
  const { rows } = await sql<BucketPartUsage>`
    SELECT ${bucket} AS bucket, ${part} AS part, sum(used) AS used, sum(estimated) AS estimated
    FROM (SELECT ${start} AS hour, used, estimated FROM (${at}) a) h GROUP BY 1, 2`.execute(db);
  return rows;
}

/**
 * Returns the same as `readUsageOfPlainHomes` for a range that is most of a UTC month, but reads only a thirtieth of the rows. Subtracts
 * the days outside the range (`rest`) from the stored sums of the month.
 */
export async function readMonthUsageOfPlainHomes(
  db: Database,
  userIds: readonly string[],
  month: { from: Date; to: Date },
  rest: readonly { from: Date; to: Date }[],
): Promise<BucketPartUsage[]> {
  const whole = closedAndOpenHourRowsOfUsersSql(findRollupLevel('user_monthly_by_hour'), userIds, month, READ);
  const others = rest.map((range) => {
    const pieces = userOrDeviceLoadProfilesSql({ key: 'user_id', ids: userIds }, range, 60, READ);
    const less = sql.raw(READ.map((column) => `-${column}`).join(', '));
    return sql`SELECT date_part('hour', at AT TIME ZONE 'UTC') AS hour_of_day, ${less} FROM (${pieces}) r`;
  });
  const read = sql.raw(READ.join(', '));
  // Raw SQL: with two statements, an hour that is written in between would be missing in one of the results.
  const { rows } = await sql<Omit<BucketPartUsage, 'bucket'>>`
    SELECT hour_of_day::float8 AS part, ${SUMS}
    FROM (${sql.join([sql`SELECT hour_of_day, ${read} FROM (${whole}) m`, ...others], sql` UNION ALL `)}) p GROUP BY 1 HAVING ${IS_KNOWN}`.execute(
    db,
  );
  const bucket = `${month.from.toISOString().slice(0, 8)}01`;
  return rows.map((row) => ({ bucket, ...row }));
}

/**
 * Returns the sums of each home whose usage is not the sum of its imports (`buckets`), and the combined usage of these homes (`parts`).
 * `monthToDate`: stored sums of the current month's first days.
 */
export async function readUsageOfComposedHomes(
  db: Database,
  homes: readonly Home[],
  range: DayRange,
  unit: GroupBucketUnit,
  monthToDate: MonthToDate | null,
): Promise<{ buckets: HomeBucketSums[]; parts: BucketPartUsage[] }> {
  // Raw SQL: with two statements, an hour that is stored in between would be counted twice or not at all.
  const { rows } = await sql<{ buckets: HomeBucketSums[] | null; parts: BucketPartUsage[] | null }>`
    WITH profile AS MATERIALIZED (
      SELECT home, bucket, part, ${totalsOfHomeSumsSql(homes)} FROM (${homesLoadProfileSql(homes, range, unit, monthToDate)}) h GROUP BY 1, 2, 3),
    parts AS (
      SELECT bucket, part, sum(used) AS used, sum(least(estimated, used)) AS estimated
      FROM (SELECT bucket, part, "estimated" AS estimated, ${sql.raw(HOME_USAGE_SQL)} AS used FROM profile) p
      WHERE used IS NOT NULL GROUP BY 1, 2),
    buckets AS (SELECT home, bucket, ${isSubDayUnit(unit) ? homeSumColumnsSql(homes) : totalsOfHomeSumsSql(homes)} FROM profile ${isSubDayUnit(unit) ? sql`` : sql`GROUP BY 1, 2`})
    SELECT (SELECT json_agg(b) FROM buckets b) AS buckets, (SELECT json_agg(p) FROM parts p) AS parts`.execute(db);
  return { buckets: rows[0]?.buckets ?? [], parts: rows[0]?.parts ?? [] };
}

/**
 * Builds a query for the sums of some homes from the hours of a range and from the stored sums of the current month's first days. The
 * column `home` is the home's index in `homes`. The query may return several rows for the same part.
 */
export function homesLoadProfileSql(
  homes: readonly Home[],
  range: DayRange,
  unit: GroupBucketUnit,
  monthToDate: MonthToDate | null,
): RawBuilder<unknown> {
  const { bucket, part } = placeOf(unit, range);
  const rows = monthToDate ? [monthToDateHomesSql(monthToDate, homes)] : [];
  if (range.from < range.to)
    rows.push(
      sql`SELECT home, ${bucket} AS bucket, ${part} AS part, ${homeSumColumnsSql(homes)} FROM (${homeSumsBySubDayUnitSql(homes, range, readUnit(unit))}) h`,
    );
  return sql.join(rows, sql` UNION ALL `);
}

export async function findFirstStoredDay(db: Database, userIds: readonly string[]): Promise<Date | null> {
  const { rows } = await sql<{ first: Date | null }>`
    SELECT min(d.first) AS first FROM unnest(${userIds}::text[]) u (user_id)
    CROSS JOIN LATERAL (SELECT min(day) AS first FROM closed_user_daily c WHERE c.user_id = u.user_id) d`.execute(db);
  return rows[0]?.first ?? null;
}

/**
 * Builds a query for the latest hours (in `device_heads`) of devices before a time. `users`: query that returns `user_id`. `before`: SQL
 * expression.
 */
export const openHoursBeforeSql = (users: string, before: string): string =>
  `SELECT DISTINCT hour FROM open_hours WHERE user_id IN (${users}) AND hour < ${before}`;
