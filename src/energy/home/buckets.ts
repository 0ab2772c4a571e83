import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { localTime } from '../local-time.ts';
import type { Range } from '../ranges.ts';
import type { Home } from './home.ts';
import { homeHours, homeSpan, sumColumns, summed } from './pieces.ts';
import { type HomeSums, sumNames, USED_SQL } from './sums.ts';

/** What a home's devices add up to in an hour, day or month of a zone. Rows exist where something is known of any of them. */
export interface HomeHour extends HomeSums {
  hour: Date;
}
export interface HomeDay extends HomeSums {
  /** YYYY-MM-DD in the range's zone. */
  day: string;
  /** Start of the hour with the highest use, the earliest of equals; null where nothing was used, or no hour was mostly measured. */
  peak: Date | null;
}
export interface HomeMonth extends HomeSums {
  /** First day of the month, YYYY-MM-DD. */
  month: string;
  /** Hour of the day, 0 to 23, with the highest total, as `peak`. */
  peakHourOfDay: number | null;
}

/** Of a row that has sums: what was used, and whether at least half of it was measured (docs/home.md, peak hours). */
const USED = sql.raw(USED_SQL);
const IS_PEAK = sql.raw(`used > 0 AND 2 * "estimated" <= used`);

/** The hours of a home, in order. */
export async function homeByHour(db: Database, home: Home, range: Range): Promise<HomeHour[]> {
  const { rows } = await sql<HomeHour>`SELECT * FROM (${homeHours(home, range)}) h ORDER BY hour`.execute(db);
  return rows;
}

/** The days of a home, in order. */
export async function homeByDay(db: Database, home: Home, range: Range): Promise<HomeDay[]> {
  // Raw SQL: the hot path of every answer about a home.
  const { rows } = await sql<HomeDay>`
    WITH hours AS (SELECT hour, ${sumColumns([home])}, ${USED} AS used FROM (${homeHours(home, range)}) h)
    SELECT to_char(${localTime(sql`hour`, range)}, 'YYYY-MM-DD') AS day, ${summed([home])},
      (array_agg(hour ORDER BY used DESC, hour) FILTER (WHERE ${IS_PEAK}))[1] AS peak
    FROM hours GROUP BY 1 ORDER BY 1`.execute(db);
  return rows;
}

/** The months of a home, in order; a month counts with the days that lie in the range. */
export async function homeByMonth(db: Database, home: Home, range: Range): Promise<HomeMonth[]> {
  const { rows } = await sql<HomeMonth>`
    WITH hours AS (${homeHours(home, range)}),
    profile AS (
      SELECT to_char(${localTime(sql`hour`, range)}, 'YYYY-MM-01') AS month, extract(hour FROM ${localTime(sql`hour`, range)})::int AS hour_of_day, ${summed([home])}
      FROM hours GROUP BY 1, 2),
    used AS (SELECT *, ${USED} AS used FROM profile)
    SELECT month, ${summed([home])}, (array_agg(hour_of_day ORDER BY used DESC, hour_of_day) FILTER (WHERE ${IS_PEAK}))[1] AS "peakHourOfDay"
    FROM used GROUP BY 1 ORDER BY 1`.execute(db);
  return rows;
}

/** All of a range: its sums, the number of its days of which something used is known, and its peak hour of the day. */
export async function homeSummary(
  db: Database,
  home: Home,
  range: Range,
): Promise<HomeSums & { days: number; peakHourOfDay: number | null }> {
  const { rows } = await sql<HomeSums & { days: number; peakHourOfDay: number | null }>`
    WITH hours AS MATERIALIZED (${homeHours(home, range)}),
    profile AS (
      SELECT extract(hour FROM ${localTime(sql`hour`, range)})::int AS hour_of_day, ${summed([home])} FROM hours GROUP BY 1),
    used AS (SELECT *, ${USED} AS used FROM profile),
    days AS (SELECT ${localTime(sql`hour`, range)}::date AS day, ${summed([home])} FROM hours GROUP BY 1)
    SELECT ${summed([home])}, (array_agg(hour_of_day ORDER BY used DESC, hour_of_day) FILTER (WHERE ${IS_PEAK}))[1] AS "peakHourOfDay",
      (SELECT count(${USED})::int FROM days) AS days
    FROM used`.execute(db);
  const [row] = rows;
  return { ...known(home, row), days: row?.days ?? 0, peakHourOfDay: row?.peakHourOfDay ?? null };
}

/** All of `[from, to)`, starts of quarter-hours; of nothing, nothing. */
export async function homeBetween(db: Database, home: Home, range: { from: Date; to: Date }): Promise<HomeSums> {
  if (range.from >= range.to) return known(home, undefined);
  const { rows } = await homeSpan(home, range).execute(db);
  return known(home, rows[0] as HomeSums | undefined);
}

/** A sum over nothing is null. */
const known = (home: Home, row: HomeSums | undefined): HomeSums =>
  Object.fromEntries(sumNames(home.isMoreAsked).map((name) => [name, row?.[name] ?? 0])) as HomeSums;
