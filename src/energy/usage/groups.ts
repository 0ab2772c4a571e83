import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { COLUMN, levelOf } from '#src/rollups/levels.ts';
import { partsOfUsers, piecesOfEach } from '#src/rollups/parts.ts';
import { type Begun, begunHours } from '../group/begun.ts';
import type { Part } from '../group/part.ts';
import type { Home } from '../home/home.ts';
import { type HomeSums, USED_SQL } from '../home/sums.ts';
import { localTime, startOfHour } from '../local-time.ts';
import { pieceMinutes, type Range } from '../ranges.ts';
import { homesHours, sumColumns, summed } from './home-sums.ts';

/** What rows of a group are about. `span`: all of the range. */
export type GroupUnit = 'hour' | 'day' | 'month' | 'span';

/** What one home's devices add up to in a bucket. `home`: its place in the list. */
export type HomeBucket = HomeSums & { home: number; bucket: string };

const [ENERGY, ESTIMATED, COVERED] = [
  COLUMN.energyMilliwattHours,
  COLUMN.estimatedMilliwattHours,
  COLUMN.coveredMs,
] as const;
const READ = [ENERGY, ESTIMATED, COVERED];
/** Doubles, which are added ten times as fast as bigints and have all mWh below 2^53. */
const SUMS = sql.raw(`sum(${ENERGY}::float8) AS used, sum(${ESTIMATED}::float8) AS estimated`);
const IS_KNOWN = sql.raw(`sum(${COVERED}) <> 0`);

/** Expressions of an `hour` of a range: its bucket, and its part of that. */
function placeOf(unit: GroupUnit, range: Range): { bucket: RawBuilder<unknown>; part: RawBuilder<unknown> } {
  const local = localTime(sql`hour`, range);
  const second = sql`date_part('epoch', hour)`;
  const hourOfDay = sql`date_part('hour', ${local})`;
  switch (unit) {
    case 'hour':
      return { bucket: sql`${second}::bigint::text`, part: second };
    case 'day':
      return { bucket: sql`to_char(${local}, 'YYYY-MM-DD')`, part: second };
    case 'month':
      return { bucket: sql`to_char(${local}, 'YYYY-MM-01')`, part: hourOfDay };
    case 'span':
      return { bucket: sql`''::text`, part: hourOfDay };
  }
}

/** What homes used together that are the sum of what their devices import: hours of all of them, added up. */
export async function readPlain(
  db: Database,
  userIds: readonly string[],
  range: Range,
  unit: GroupUnit,
): Promise<Part[]> {
  const minutes = pieceMinutes(range);
  const pieces = piecesOfEach({ key: 'user_id', ids: userIds }, range, minutes, READ);
  // Hours first: a calendar takes longer than a sum.
  const at = sql`SELECT at, ${SUMS} FROM (${pieces}) p GROUP BY 1 HAVING ${IS_KNOWN}`;
  const { bucket, part } = placeOf(unit, range);
  const start = minutes === 60 ? sql`at` : startOfHour(sql`at`, range);
  // Raw SQL: the hot path of every answer about a group; relations are named out of src/rollups/levels.ts.
  const { rows } = await sql<Part>`
    SELECT ${bucket} AS bucket, ${part} AS part, sum(used) AS used, sum(estimated) AS estimated
    FROM (SELECT ${start} AS hour, used, estimated FROM (${at}) a) h GROUP BY 1, 2`.execute(db);
  return rows;
}

/**
 * The same of days of a UTC month that are most of it, by hours of the day that are kept by month, without those of its other days: a thirtieth of
 * the rows. `rest`: stretches of the month that are not asked for.
 */
export async function readPlainMonth(
  db: Database,
  userIds: readonly string[],
  month: { from: Date; to: Date },
  rest: readonly { from: Date; to: Date }[],
): Promise<Part[]> {
  const whole = partsOfUsers(levelOf('user_monthly_by_hour'), userIds, month, READ);
  const others = rest.map((range) => {
    const pieces = piecesOfEach({ key: 'user_id', ids: userIds }, range, 60, READ);
    const less = sql.raw(READ.map((column) => `-${column}`).join(', '));
    return sql`SELECT date_part('hour', at AT TIME ZONE 'UTC') AS hour_of_day, ${less} FROM (${pieces}) r`;
  });
  const read = sql.raw(READ.join(', '));
  // Raw SQL: as above; one statement, since an hour that is written between two would count in one of them.
  const { rows } = await sql<Omit<Part, 'bucket'>>`
    SELECT hour_of_day::float8 AS part, ${SUMS}
    FROM (${sql.join([sql`SELECT hour_of_day, ${read} FROM (${whole}) m`, ...others], sql` UNION ALL `)}) p GROUP BY 1 HAVING ${IS_KNOWN}`.execute(
    db,
  );
  const bucket = `${month.from.toISOString().slice(0, 8)}01`;
  return rows.map((row) => ({ bucket, ...row }));
}

/**
 * What homes used that are more than that: their sums by home and bucket, and parts of all of them together, read at one moment. The bound of
 * physics holds for each home in each bucket and part (docs/home.md), so what is kept of a month is put to the rest of it before. `begun`: what that is.
 */
export async function readHomes(
  db: Database,
  homes: readonly Home[],
  range: Range,
  unit: GroupUnit,
  begun: Begun | null,
): Promise<{ buckets: HomeBucket[]; parts: Part[] }> {
  // Raw SQL: as above; both halves in one statement, since an hour that closed between two would count twice or not at all.
  const { rows } = await sql<{ buckets: HomeBucket[] | null; parts: Part[] | null }>`
    WITH profile AS MATERIALIZED (
      SELECT home, bucket, part, ${summed(homes)} FROM (${profileOf(homes, range, unit, begun)}) h GROUP BY 1, 2, 3),
    parts AS (
      SELECT bucket, part, sum(used) AS used, sum(least(estimated, used)) AS estimated
      FROM (SELECT bucket, part, "estimated" AS estimated, ${sql.raw(USED_SQL)} AS used FROM profile) p
      WHERE used IS NOT NULL GROUP BY 1, 2),
    buckets AS (SELECT home, bucket, ${unit === 'hour' ? sumColumns(homes) : summed(homes)} FROM profile ${unit === 'hour' ? sql`` : sql`GROUP BY 1, 2`})
    SELECT (SELECT json_agg(b) FROM buckets b) AS buckets, (SELECT json_agg(p) FROM parts p) AS parts`.execute(db);
  return { buckets: rows[0]?.buckets ?? [], parts: rows[0]?.parts ?? [] };
}

/**
 * Rows of `home`, the place in the list, `bucket`, `part` and the sums of some homes: of the hours of a range, which may be none, and of what is `begun`
 * before it. A part may have several.
 */
export function profileOf(
  homes: readonly Home[],
  range: Range,
  unit: GroupUnit,
  begun: Begun | null,
): RawBuilder<unknown> {
  const { bucket, part } = placeOf(unit, range);
  const rows = begun ? [begunHours(begun, homes)] : [];
  if (range.from < range.to)
    rows.push(
      sql`SELECT home, ${bucket} AS bucket, ${part} AS part, ${sumColumns(homes)} FROM (${homesHours(homes, range)}) h`,
    );
  return sql.join(rows, sql` UNION ALL `);
}

/** The first UTC day of which anything is stored of some users; null: of none. */
export async function firstDayOf(db: Database, userIds: readonly string[]): Promise<Date | null> {
  const { rows } = await sql<{ first: Date | null }>`
    SELECT min(d.first) AS first FROM unnest(${userIds}::text[]) u (user_id)
    CROSS JOIN LATERAL (SELECT min(day) AS first FROM closed_user_daily c WHERE c.user_id = u.user_id) d`.execute(db);
  return rows[0]?.first ?? null;
}

/** The hours of some users that are still open before a time, in SQL. `users`: a query of `user_id`. `before`: an expression. */
export const openHoursBefore = (users: string, before: string): string =>
  `SELECT DISTINCT hour FROM open_hours WHERE user_id IN (${users}) AND hour < ${before}`;
