import { type RawBuilder, sql } from 'kysely';
import { asMilliwattHours, type MilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { COLUMN } from '#src/rollups/levels.ts';
import { needsQuarterHours, type Range } from './ranges.ts';

const ENERGY = sql.ref(COLUMN.energyMilliwattHours);
const ESTIMATED = sql.ref(COLUMN.estimatedMilliwattHours);
/** Something is known of a row's consumption. */
const IS_KNOWN = sql`${sql.ref(COLUMN.coveredMs)} > 0`;

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

/**
 * Clock hours in the range, in SQL: UTC hours, or quarter-hours put together where the zone's hours lie otherwise. Columns:
 * hour, milliwattHours, and where they are asked for estimated_milliwatt_hours.
 */
export function hoursOf(whose: Whose, range: Range, { estimates = false } = {}): RawBuilder<unknown> {
  const { from, to, zone } = range;
  const [hourly, condition] =
    'userId' in whose
      ? [sql.table('user_hourly'), sql`user_id = ${whose.userId}`]
      : [sql.table('device_hourly'), sql`device_id = ${whose.deviceId}`];
  if (!needsQuarterHours(range)) {
    // Raw SQL: the hot path of every answer about usage; measured as it is written.
    return sql`SELECT hour, ${ENERGY} AS "milliwattHours" ${estimates ? sql`, ${ESTIMATED} AS estimated_milliwatt_hours` : sql``} FROM ${hourly}
      WHERE ${condition} AND hour >= ${from} AND hour < ${to} AND ${IS_KNOWN}`;
  }
  // Where the clock jumps over the start of an hour (Lord Howe Island: from 02:00 to 02:30) the hour starts at the jump.
  return sql`
    SELECT CASE WHEN date_trunc('hour', starts_at AT TIME ZONE ${zone}) = hour AT TIME ZONE ${zone} THEN hour
      ELSE date_bin('30 minutes', starts_at, 'epoch') END AS hour, sum(${ENERGY})::bigint AS "milliwattHours"
      ${estimates ? sql`, sum(${ESTIMATED})::bigint AS estimated_milliwatt_hours` : sql``}
    FROM device_intervals, date_trunc('hour', starts_at, ${zone}) hour
    WHERE ${condition} AND starts_at >= ${from} AND starts_at < ${to} AND ${IS_KNOWN} GROUP BY 1`;
}

/** Consumption by clock hour of the range's zone, in order. */
export async function consumptionByHour(db: Database, whose: Whose, range: Range): Promise<HourRow[]> {
  const { rows } = await sql<HourRow>`${hoursOf(whose, range)} ORDER BY 1`.execute(db);
  return rows;
}

/** Consumption by day of the range's zone, in order. */
export async function consumptionByDay(db: Database, whose: Whose, range: Range): Promise<DayRow[]> {
  const { from, to, zone } = range;
  if (zone === 'UTC' && 'userId' in whose) {
    const { rows } = await sql<Omit<DayRow, 'day'> & { day: Date }>`
      SELECT day, ${ENERGY} AS "milliwattHours", peak_hour AS peak FROM user_daily
      WHERE user_id = ${whose.userId} AND day >= ${from} AND day < ${to} AND ${IS_KNOWN} ORDER BY day`.execute(db);
    return rows.map((row) => ({ ...row, day: row.day.toISOString().slice(0, 10) }));
  }
  const { rows } = await sql<DayRow>`
    WITH hours AS (${hoursOf(whose, range)})
    SELECT to_char(hour AT TIME ZONE ${zone}, 'YYYY-MM-DD') AS day, sum("milliwattHours")::bigint AS "milliwattHours",
      (array_agg(hour ORDER BY "milliwattHours" DESC, hour) FILTER (WHERE "milliwattHours" > 0))[1] AS peak
    FROM hours GROUP BY 1 ORDER BY 1`.execute(db);
  return rows;
}

/** Totals per month and hour of the day, from the range's clock hours. */
const profileOf = (whose: Whose, range: Range) => sql`
  SELECT to_char(hour AT TIME ZONE ${range.zone}, 'YYYY-MM-01') AS month,
    extract(hour FROM hour AT TIME ZONE ${range.zone})::int AS hour_of_day, sum("milliwattHours")::bigint AS "milliwattHours"
  FROM (${hoursOf(whose, range)}) h GROUP BY 1, 2`;

/** Consumption by month of the range's zone, in order; a month counts with the days that lie in the range. */
export async function consumptionByMonth(db: Database, whose: Whose, range: Range): Promise<MonthRow[]> {
  const { rows } = await sql<MonthRow>`
    SELECT month, sum("milliwattHours")::bigint AS "milliwattHours",
      (array_agg(hour_of_day ORDER BY "milliwattHours" DESC, hour_of_day) FILTER (WHERE "milliwattHours" > 0))[1] AS "peakHourOfDay"
    FROM (${profileOf(whose, range)}) p GROUP BY 1 ORDER BY 1`.execute(db);
  return rows;
}

/** Consumption by whole month in UTC, from the monthly aggregate. `from` and `to` are starts of months. */
export async function consumptionByWholeMonth(db: Database, userId: string, from: Date, to: Date): Promise<MonthRow[]> {
  const { rows } = await sql<Omit<MonthRow, 'month'> & { month: Date }>`
    SELECT month, ${ENERGY} AS "milliwattHours", peak_hour AS "peakHourOfDay" FROM user_monthly
    WHERE user_id = ${userId} AND month >= ${from} AND month < ${to} AND ${IS_KNOWN} ORDER BY month`.execute(db);
  return rows.map((row) => ({ ...row, month: row.month.toISOString().slice(0, 10) }));
}

/** Total of the range, the number of its days about which something is known, and its peak hour of the day. */
export async function consumptionSummary(db: Database, whose: Whose, range: Range): Promise<Summary> {
  const { rows } = await sql<{ milliwattHours: MilliwattHours; days: number; hour_of_day: number | null }>`
    WITH hours AS (${hoursOf(whose, range)}),
    profile AS (
      SELECT extract(hour FROM hour AT TIME ZONE ${range.zone})::int AS hour_of_day, sum("milliwattHours")::bigint AS "milliwattHours"
      FROM hours GROUP BY 1)
    SELECT (SELECT coalesce(sum("milliwattHours"), 0)::bigint FROM hours) AS "milliwattHours",
      (SELECT count(DISTINCT (hour AT TIME ZONE ${range.zone})::date)::int FROM hours) AS days,
      (SELECT hour_of_day FROM profile WHERE "milliwattHours" > 0 ORDER BY "milliwattHours" DESC, hour_of_day LIMIT 1) AS hour_of_day`.execute(
    db,
  );
  const [row] = rows;
  return {
    milliwattHours: row?.milliwattHours ?? asMilliwattHours(0),
    daysWithData: row?.days ?? 0,
    peakHourOfDay: row?.hour_of_day ?? null,
  };
}
