import { type RawBuilder, sql } from 'kysely';
import { asMilliwattHours, type MilliwattHours } from '#src/core/units.ts';
import { type Database, PREPARED, wholeNumbers } from '#src/database/connect.ts';
import { COLUMN, levelOf } from '#src/rollups/levels.ts';
import { addedUp, type Owner, piecesWithin } from '#src/rollups/parts.ts';
import { localTime, startOfHour } from './local-time.ts';
import { pieceMinutes, type Range } from './ranges.ts';

const ENERGY = sql.ref(COLUMN.energyMilliwattHours);
const ESTIMATED = sql.ref(COLUMN.estimatedMilliwattHours);
/** Of an hour, or of an hour of the day: something was used, and at least half of it was measured (docs/home.md, peak hours). */
const IS_PEAK = sql`"milliwattHours" > 0 AND 2 * ${ESTIMATED} <= "milliwattHours"`;
const READ = [COLUMN.energyMilliwattHours, COLUMN.estimatedMilliwattHours, COLUMN.coveredMs];

/** Up to here the plan of a statement takes longer to make than to run. */
const WEEKS_MS = 10 * 7 * 86_400_000;

/** Consumption of a bucket. Rows exist only where something is known. */
export interface HourRow {
  hour: Date;
  milliwattHours: MilliwattHours;
}

export interface DayRow {
  /** YYYY-MM-DD in the range's zone. */
  day: string;
  milliwattHours: MilliwattHours;
  /** Start of the hour with the highest consumption, the earliest of equals; null where nothing was consumed. */
  peak: Date | null;
}

export interface MonthRow {
  /** First day of the month, YYYY-MM-DD. */
  month: string;
  milliwattHours: MilliwattHours;
  /** Hour of the day, 0 to 23, with the highest total. */
  peakHourOfDay: number | null;
}

export interface Summary {
  milliwattHours: MilliwattHours;
  daysWithData: number;
  peakHourOfDay: number | null;
}

/** Whose consumption is asked for: all of a user's, or that of one device (which the caller must have found within its reach). */
export type Whose = { userId: string } | { deviceId: string };

const ownerOf = (whose: Whose): Owner =>
  'userId' in whose ? { key: 'user_id', id: whose.userId } : { key: 'device_id', id: whose.deviceId };

/** The level that has the UTC hours of a user or device. */
const hourlyOf = (whose: Whose) => levelOf('userId' in whose ? 'user_hourly' : 'device_hourly');

/**
 * Clock hours in the range, in SQL: UTC hours, or quarter-hours put together where the zone's hours lie otherwise. Columns:
 * hour, milliwattHours, estimated_milliwatt_hours.
 */
function hoursOf(whose: Whose, range: Range): RawBuilder<unknown> {
  const owner = ownerOf(whose);
  // Raw SQL: the hot path of every answer about usage; measured as it is written.
  const minutes = pieceMinutes(range);
  if (minutes === 60) {
    const hours = addedUp(hourlyOf(whose), owner, range, ['energyMilliwattHours', 'estimatedMilliwattHours']);
    return sql`SELECT hour, ${ENERGY} AS "milliwattHours", ${ESTIMATED} FROM (${hours}) u`;
  }
  // Devices are summed first: a calendar takes longer than a sum.
  return sql`
    SELECT ${startOfHour(sql`starts_at`, range)} AS hour, sum(${ENERGY})::bigint AS "milliwattHours", sum(${ESTIMATED})::bigint AS estimated_milliwatt_hours
    FROM (
      SELECT starts_at, sum(${ENERGY})::bigint AS ${ENERGY}, sum(${ESTIMATED})::bigint AS ${ESTIMATED}
      FROM ${piecesWithin(owner, range, minutes, READ)} q GROUP BY 1 HAVING sum(${sql.ref(COLUMN.coveredMs)}) <> 0
    ) quarters GROUP BY 1`;
}

/**
 * Consumption by clock hour of the range's zone, in order. A row of two lists: the driver takes six milliseconds of the process at a time
 * for a thousand rows of their own.
 */
export async function consumptionByHour(db: Database, whose: Whose, range: Range): Promise<HourRow[]> {
  const { rows } = await sql<{ hours: string | null; energies: string | null }>`${PREPARED}
    SELECT array_agg(date_part('epoch', hour)::bigint ORDER BY hour)::text AS hours,
      array_agg("milliwattHours" ORDER BY hour)::text AS energies
    FROM (${hoursOf(whose, range)}) h`.execute(db);
  const [hours, energies] = [wholeNumbers(rows[0]?.hours), wholeNumbers(rows[0]?.energies)];
  return hours.map((second, index) => ({
    hour: new Date(second * 1_000),
    milliwattHours: asMilliwattHours(energies[index] as number),
  }));
}

/** Consumption by day of the range's zone, in order. */
export async function consumptionByDay(db: Database, whose: Whose, range: Range): Promise<DayRow[]> {
  const { zone } = range;
  if (zone === 'UTC' && 'userId' in whose) {
    const days = addedUp(levelOf('user_daily'), ownerOf(whose), range, ['energyMilliwattHours']);
    const { rows } = await sql<Omit<DayRow, 'day'> & { day: Date }>`${PREPARED}
      SELECT day, ${ENERGY} AS "milliwattHours", peak_hour AS peak FROM (${days}) d ORDER BY day`.execute(db);
    return rows.map((row) => ({ ...row, day: row.day.toISOString().slice(0, 10) }));
  }
  // A kept plan takes the rows for few: right for weeks of hours, and not for a year.
  const kept = range.to.getTime() - range.from.getTime() <= WEEKS_MS ? PREPARED : sql``;
  const { rows } = await sql<DayRow>`${kept}
    WITH hours AS (${hoursOf(whose, range)})
    SELECT to_char(${localTime(sql`hour`, range)}, 'YYYY-MM-DD') AS day, sum("milliwattHours")::bigint AS "milliwattHours",
      (array_agg(hour ORDER BY "milliwattHours" DESC, hour) FILTER (WHERE ${IS_PEAK}))[1] AS peak
    FROM hours GROUP BY 1 ORDER BY 1`.execute(db);
  return rows;
}

/** Totals per month and hour of the day, from the range's clock hours. */
const profileOf = (whose: Whose, range: Range) => sql`
  SELECT to_char(${localTime(sql`hour`, range)}, 'YYYY-MM-01') AS month,
    extract(hour FROM ${localTime(sql`hour`, range)})::int AS hour_of_day, sum("milliwattHours")::bigint AS "milliwattHours",
    sum(${ESTIMATED})::bigint AS ${ESTIMATED}
  FROM (${hoursOf(whose, range)}) h GROUP BY 1, 2`;

/** Consumption by month of the range's zone, in order; a month counts with the days that lie in the range. */
export async function consumptionByMonth(db: Database, whose: Whose, range: Range): Promise<MonthRow[]> {
  const { rows } = await sql<MonthRow>`
    SELECT month, sum("milliwattHours")::bigint AS "milliwattHours",
      (array_agg(hour_of_day ORDER BY "milliwattHours" DESC, hour_of_day) FILTER (WHERE ${IS_PEAK}))[1] AS "peakHourOfDay"
    FROM (${profileOf(whose, range)}) p GROUP BY 1 ORDER BY 1`.execute(db);
  return rows;
}

/** Consumption by whole month in UTC, from the monthly aggregate. `from` and `to` are starts of months. */
export async function consumptionByWholeMonth(db: Database, userId: string, from: Date, to: Date): Promise<MonthRow[]> {
  const hours = addedUp(levelOf('user_monthly_by_hour'), ownerOf({ userId }), { from, to }, [
    'energyMilliwattHours',
    'estimatedMilliwattHours',
  ]);
  const { rows } = await sql<Omit<MonthRow, 'month'> & { month: Date }>`${PREPARED}
    SELECT month, sum(${ENERGY})::bigint AS "milliwattHours",
      (array_agg(hour_of_day ORDER BY ${ENERGY} DESC, hour_of_day) FILTER (WHERE ${ENERGY} > 0 AND 2 * ${ESTIMATED} <= ${ENERGY}))[1] AS "peakHourOfDay"
    FROM (${hours}) h GROUP BY 1 ORDER BY 1`.execute(db);
  return rows.map((row) => ({ ...row, month: row.month.toISOString().slice(0, 10) }));
}

/** Total of the range, the number of its days about which something is known, and its peak hour of the day. */
export async function consumptionSummary(db: Database, whose: Whose, range: Range): Promise<Summary> {
  const { rows } = await sql<{ milliwattHours: MilliwattHours; days: number; hour_of_day: number | null }>`
    WITH hours AS (${hoursOf(whose, range)}),
    profile AS (
      SELECT extract(hour FROM ${localTime(sql`hour`, range)})::int AS hour_of_day, sum("milliwattHours")::bigint AS "milliwattHours",
        sum(${ESTIMATED})::bigint AS ${ESTIMATED}
      FROM hours GROUP BY 1)
    SELECT (SELECT coalesce(sum("milliwattHours"), 0)::bigint FROM hours) AS "milliwattHours",
      (SELECT count(DISTINCT ${localTime(sql`hour`, range)}::date)::int FROM hours) AS days,
      (SELECT hour_of_day FROM profile WHERE ${IS_PEAK} ORDER BY "milliwattHours" DESC, hour_of_day LIMIT 1) AS hour_of_day`.execute(
    db,
  );
  const [row] = rows;
  return {
    milliwattHours: row?.milliwattHours ?? asMilliwattHours(0),
    daysWithData: row?.days ?? 0,
    peakHourOfDay: row?.hour_of_day ?? null,
  };
}
