import { type RawBuilder, sql } from 'kysely';
import { DateTime } from 'luxon';
import { castToMilliwattHours, type MilliwattHours } from '#src/core/units.ts';
import {
  createCachedStatement,
  type Database,
  PREPARED_STATEMENT_PREFIX_SQL,
  parseBigints,
  parseBigintsWithNulls,
} from '#src/database/connect.ts';
import { type RollupOwner, rollupRowsSql, userOrDeviceLoadProfilesSql } from '#src/rollups/level-queries.ts';
import { COLUMN_BY_MEASURE, findRollupLevel } from '#src/rollups/levels.ts';
import { localTimeSql, startOfSubDayUnitSql } from '../local-time.ts';
import { type DayRange, findCommonIntervalMinutes, isSubDayUnit, type SubDayUnit } from '../ranges.ts';
import { filterUsersWithComposedHomes, isComposedHomeSql } from './composed-homes.ts';
import { groupQuarterHoursBySubDayUnit, readQuarterHours, sumQuarterHourGroup } from './quarter-hours.ts';

/**
 * Imports of a user or a device. The usage of a home with a single meter, or with appliances only, is its import. For all other homes, the
 * functions of this file return null.
 */

const ENERGY = sql.ref(COLUMN_BY_MEASURE.energyMilliwattHours);
const ESTIMATED = sql.ref(COLUMN_BY_MEASURE.estimatedMilliwattHours);
/** SQL condition that an hour can be the peak hour: it has usage, and at most half of this usage is estimated. */
const CAN_BE_PEAK = sql`used > 0 AND 2 * ${ESTIMATED} <= used`;
const READ = [
  COLUMN_BY_MEASURE.energyMilliwattHours,
  COLUMN_BY_MEASURE.estimatedMilliwattHours,
  COLUMN_BY_MEASURE.coveredMs,
];
const SUMS = ['energyMilliwattHours', 'estimatedMilliwattHours'] as const;

/** Length of a range in ms above which running a statement takes longer than planning it. */
const WEEKS_MS = 10 * 7 * 86_400_000;

export type UserOrDevice = { userId: string } | { deviceId: string };

export type BucketUnit = SubDayUnit | 'day' | 'month';

/** Imports in order. Times without data are left out. */
export interface ImportedEnergyByBucket {
  /** Unix seconds: start of an hour; for a day or month, 00:00 UTC of its first date. */
  at: readonly number[];
  milliwattHours: readonly MilliwattHours[];
  /**
   * For a day: start of the hour with the highest import (Unix seconds). For a month: hour of the day (0 to 23) with the highest total.
   * Null if there is none.
   */
  peaks: readonly (number | null)[];
}

interface TotalImportedEnergy {
  milliwattHours: MilliwattHours;
  days: number;
  /** Hour of the day (0 to 23) with the highest total. Null if there is none. */
  peakHourOfDay: number | null;
}

/** Cache of `formatEpochDate`. It has at most one entry for each day since 1970, because no reading has a future time. */
const dates = new Map<number, string>();

/**
 * Formats the first date of a row, YYYY-MM-DD. `second`: 00:00 UTC of the date. Formatting 30 dates takes ten times as long as finding them
 * in the cache. `Date.toISOString` takes four times as long as formatting here.
 */
export function formatEpochDate(second: number): string {
  const known = dates.get(second);
  if (known !== undefined) return known;
  const date = new Date(second * 1_000);
  const twoDigits = (value: number) => (value < 10 ? `0${value}` : String(value));
  const text = `${date.getUTCFullYear()}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`;
  dates.set(second, text);
  return text;
}

const ownerOf = (whose: UserOrDevice): RollupOwner =>
  'userId' in whose ? { key: 'user_id', id: whose.userId } : { key: 'device_id', id: whose.deviceId };

const hourlyOf = (whose: UserOrDevice) => findRollupLevel('userId' in whose ? 'user_hourly' : 'device_hourly');

/** Reads the imports by hour, day or month of the range's zone. Null if the home's usage is not the sum of its imports. */
export async function readImportedEnergy(
  db: Database,
  whose: UserOrDevice,
  range: DayRange,
  bucket: BucketUnit,
): Promise<ImportedEnergyByBucket | null> {
  const isShort = range.to.getTime() - range.from.getTime() <= WEEKS_MS;
  if (isSubDayUnit(bucket) && findCommonIntervalMinutes(range, bucket) < 60)
    return sumImportQuarterHours(db, whose, range, bucket);
  if (isSubDayUnit(bucket))
    return columnsOf(
      db,
      whose,
      sql`SELECT ${epoch(sql`hour`)} AS at, used, NULL::bigint AS peak FROM (${hoursOf(whose, range)}) h`,
      true,
    );
  if (bucket === 'month') return columnsOf(db, whose, monthsOf(whose, range), false);
  if (range.zone !== 'UTC' || 'deviceId' in whose) return columnsOf(db, whose, localDaysOf(whose, range), isShort);
  const { rows } = await runUserDays(db, whose.userId, range.from, range.to);
  return importsOf(rows);
}

/** The text of this query, which is the most frequent one, is built only once. */
const runUserDays = createCachedStatement((userId: string, from: Date, to: Date) => {
  const days = rollupRowsSql(findRollupLevel('user_daily'), { key: 'user_id', id: userId }, { from, to }, [
    'energyMilliwattHours',
  ]);
  const rows = sql`SELECT ${epoch(sql`day`)} AS at, ${ENERGY} AS used, ${epoch(sql`peak_hour`)} AS peak FROM (${days}) d`;
  return columnsSql({ userId }, rows, true);
});

export async function readTotalImportedEnergy(
  db: Database,
  whose: UserOrDevice,
  range: DayRange,
): Promise<TotalImportedEnergy | null> {
  const hourOfDay = sql`extract(hour FROM ${localTimeSql(sql`hour`, range)})::int`;
  // Raw SQL, here and below: this form was the fastest of those measured, and names of relations are known only at run time.
  const { rows } = await sql<{ isComposed: boolean; used: MilliwattHours; days: number; peak: number | null }>`
    WITH ${homeOf(whose)}, hours AS MATERIALIZED (SELECT * FROM (${hoursOf(whose, range)}) h WHERE NOT ${IS_COMPOSED}),
    profile AS (SELECT ${hourOfDay} AS hour_of_day, sum(used)::bigint AS used, sum(${ESTIMATED})::bigint AS ${ESTIMATED} FROM hours GROUP BY 1)
    SELECT ${IS_COMPOSED} AS "isComposed", (SELECT coalesce(sum(used), 0)::bigint FROM hours) AS used,
      (SELECT count(DISTINCT ${localTimeSql(sql`hour`, range)}::date)::int FROM hours) AS days,
      (SELECT hour_of_day FROM profile WHERE ${CAN_BE_PEAK} ORDER BY used DESC, hour_of_day LIMIT 1) AS peak`.execute(
    db,
  );
  const [row] = rows;
  if (!row || row.isComposed) return null;
  return { milliwattHours: row.used, days: row.days, peakHourOfDay: row.peak };
}

const IS_COMPOSED = sql`(SELECT is_composed FROM home)`;
const homeOf = (whose: UserOrDevice) =>
  sql`home AS MATERIALIZED (SELECT ${'userId' in whose ? isComposedHomeSql(sql`${whose.userId}::text`) : sql`false`} AS is_composed)`;
const epoch = (time: RawBuilder<unknown>) => sql`date_part('epoch', ${time})::bigint`;

/** One row with lists: with one row per hour, the driver would block the process for six milliseconds per thousand rows. */
interface Columns {
  isComposed: boolean;
  at: string | null;
  used: string | null;
  peaks: string | null;
}

/** Builds the statement that returns the rows of a query as lists. */
const columnsSql = (whose: UserOrDevice, buckets: RawBuilder<unknown>, isPrepared: boolean): RawBuilder<Columns> => sql`
    ${isPrepared ? PREPARED_STATEMENT_PREFIX_SQL : sql``}WITH ${homeOf(whose)}
    SELECT ${IS_COMPOSED} AS "isComposed", array_agg(at ORDER BY at)::text AS at, array_agg(used ORDER BY at)::text AS used, array_agg(peak ORDER BY at)::text AS peaks
    FROM (${buckets}) b WHERE NOT ${IS_COMPOSED}`;

async function columnsOf(
  db: Database,
  whose: UserOrDevice,
  buckets: RawBuilder<unknown>,
  isPrepared: boolean,
): Promise<ImportedEnergyByBucket | null> {
  const { rows } = await columnsSql(whose, buckets, isPrepared).execute(db);
  return importsOf(rows);
}

function importsOf([row]: readonly Columns[]): ImportedEnergyByBucket | null {
  if (!row || row.isComposed) return null;
  return {
    at: parseBigints(row.at),
    milliwattHours: parseBigints(row.used).map(castToMilliwattHours),
    peaks: parseBigintsWithNulls(row.peaks),
  };
}

const QUARTER_HOURS = ['energyMilliwattHours', 'coveredMs'] as const;

/**
 * Reads the imports by half-hours, quarter-hours, or local hours that do not coincide with UTC hours. Null if the home's usage is not the
 * sum of its imports.
 */
async function sumImportQuarterHours(
  db: Database,
  whose: UserOrDevice,
  range: DayRange,
  unit: SubDayUnit,
): Promise<ImportedEnergyByBucket | null> {
  if ('userId' in whose && (await filterUsersWithComposedHomes(db, [whose.userId])).size > 0) return null;
  const { key, id } = ownerOf(whose);
  const { quarters, units } = groupQuarterHoursBySubDayUnit(range, unit);
  const found = (await readQuarterHours(db, { key, ids: [id] }, quarters, QUARTER_HOURS)).get(id);
  if (!found) return { at: [], milliwattHours: [], peaks: [] };
  const known = units.filter((one) => sumQuarterHourGroup(found.coveredMs, one) !== 0);
  return {
    at: known.map(({ startMs }) => startMs / 1_000),
    milliwattHours: known.map((one) => castToMilliwattHours(sumQuarterHourGroup(found.energyMilliwattHours, one))),
    peaks: [],
  };
}

/** Builds a query for the local hours of a range. */
function hoursOf(whose: UserOrDevice, range: DayRange): RawBuilder<unknown> {
  const owner = ownerOf(whose);
  const minutes = findCommonIntervalMinutes(range);
  if (minutes === 60)
    return sql`SELECT hour, ${ENERGY} AS used, ${ESTIMATED} FROM (${rollupRowsSql(hourlyOf(whose), owner, range, SUMS)}) u`;
  const pieces = userOrDeviceLoadProfilesSql({ key: owner.key, ids: [owner.id] }, range, minutes, READ);
  // Adds up over devices first, because computing local times takes longer than summing.
  return sql`
    SELECT ${startOfSubDayUnitSql(sql`at`, range)} AS hour, sum(${ENERGY})::bigint AS used, sum(${ESTIMATED})::bigint AS ${ESTIMATED}
    FROM (
      SELECT at, sum(${ENERGY})::bigint AS ${ENERGY}, sum(${ESTIMATED})::bigint AS ${ESTIMATED}
      FROM (${pieces}) q GROUP BY 1 HAVING sum(${sql.ref(COLUMN_BY_MEASURE.coveredMs)}) <> 0
    ) quarters GROUP BY 1`;
}

/** Builds a query that adds up local hours to local days. */
const localDaysOf = (whose: UserOrDevice, range: DayRange): RawBuilder<unknown> => sql`
  SELECT ${epoch(sql`date_trunc('day', ${localTimeSql(sql`hour`, range)})`)} AS at, sum(used)::bigint AS used,
    ${epoch(sql`(array_agg(hour ORDER BY used DESC, hour) FILTER (WHERE ${CAN_BE_PEAK}))[1]`)} AS peak
  FROM (${hoursOf(whose, range)}) h GROUP BY 1`;

/** Builds a query for months, from the days within the range. */
function monthsOf(whose: UserOrDevice, range: DayRange): RawBuilder<unknown> {
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

/** Builds a query for months from rows by month and hour of the day. */
const monthsOfProfile = (profile: RawBuilder<unknown>) => sql`
  SELECT ${epoch(sql`month`)} AS at, sum(used)::bigint AS used,
    (array_agg(hour_of_day::bigint ORDER BY used DESC, hour_of_day) FILTER (WHERE ${CAN_BE_PEAK}))[1] AS peak
  FROM (${profile}) p GROUP BY 1`;

function monthsOfHours(whose: UserOrDevice, range: DayRange): RawBuilder<unknown> {
  const local = localTimeSql(sql`hour`, range);
  return monthsOfProfile(sql`
    SELECT date_trunc('month', ${local}) AS month, extract(hour FROM ${local})::int AS hour_of_day, sum(used)::bigint AS used,
      sum(${ESTIMATED})::bigint AS ${ESTIMATED}
    FROM (${hoursOf(whose, range)}) h GROUP BY 1, 2`);
}

/** `from` and `to` are starts of UTC months. */
function wholeMonths(whose: UserOrDevice, range: { from: Date; to: Date }): RawBuilder<unknown> {
  const hours = rollupRowsSql(findRollupLevel('user_monthly_by_hour'), ownerOf(whose), range, SUMS);
  return monthsOfProfile(sql`SELECT month, hour_of_day, ${ENERGY} AS used, ${ESTIMATED} FROM (${hours}) h`);
}

function monthAtOrAfter(date: Date): Date {
  const start = DateTime.fromJSDate(date, { zone: 'utc' }).startOf('month');
  return (start.toMillis() === date.getTime() ? start : start.plus({ months: 1 })).toJSDate();
}
