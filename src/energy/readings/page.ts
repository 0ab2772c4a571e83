import { type RawBuilder, sql } from 'kysely';
import { createUnprocessableError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import type { DeviceWithReadings } from './series.ts';

/** A page of the readings in `[from, to)`. `cursor`: position of the reading after which the page begins. */
export interface ReadingsPage {
  from: Date;
  to: Date;
  limit: number;
  cursor?: string;
}

export interface ReadingRow {
  series_id: number;
  read_at: Date;
  interval_ms: number;
  value: number;
  note: string | null;
  is_awaiting: boolean;
  is_lower_kept: boolean;
  previous_at: Date | null;
}

const [BEFORE_ALL, AFTER_ALL] = [-2, Number.MAX_SAFE_INTEGER];
/** Maximum number of excluded readings that the search for the previous reading skips. */
const MAX_PASSED_OVER = 100_000;

/** Throws 422 if the cursor does not belong to this range. */
function placeAfter({ from, to, cursor }: ReadingsPage): { at: Date; seriesId: number; intervalMs: number } {
  if (cursor === undefined) return { at: from, seriesId: 0, intervalMs: BEFORE_ALL };
  const [, ms, seriesId, intervalMs] = /^(\d{1,15}) (\d{1,15}) (-1|\d{1,15})$/.exec(cursor) ?? [];
  const at = new Date(Number(ms));
  if (!(at >= from && at < to))
    throw createUnprocessableError({ field: 'cursor', message: 'must come from a Link of the same range' });
  return { at, seriesId: Number(seriesId), intervalMs: Number(intervalMs) };
}

/** Returns a subquery that finds the stored verdict of a reading. It uses an index for each row. */
const noteOf = (alias: string): RawBuilder<string | null> => sql`(SELECT n.verdict FROM reading_notes n
  WHERE n.series_id = ${sql.ref(`${alias}.series_id`)} AND n.read_at = ${sql.ref(`${alias}.read_at`)} AND n.interval_ms = ${sql.ref(`${alias}.interval_ms`)})`;

/** Reads a page of readings. An index finds the first rows of each series, so the cost does not depend on the position of the page. */
export async function readReadingsPage(
  db: Database,
  { series }: DeviceWithReadings,
  page: ReadingsPage,
): Promise<ReadingRow[]> {
  const { at, ...after } = placeAfter(page);
  const ids = [...series.keys()];
  const afterIntervals = ids.map((id) =>
    id === after.seriesId ? after.intervalMs : id > after.seriesId ? BEFORE_ALL : AFTER_ALL,
  );
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: settings and a lateral join. With the default settings, the planner may read and sort the whole range for each page.
    await sql`SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`.execute(
      trx,
    );
    const { rows } = await sql<ReadingRow>`
      WITH page AS MATERIALIZED (
        SELECT s.series_id, r.read_at, r.interval_ms, r.value
        FROM unnest(${ids}::bigint[], ${afterIntervals}::bigint[]) s (series_id, after_interval_ms)
        CROSS JOIN LATERAL (
          SELECT r.read_at, r.interval_ms, r.value FROM readings r
          WHERE r.series_id = s.series_id AND r.read_at >= ${at} AND r.read_at < ${page.to}
            AND (r.read_at, r.interval_ms) > (${at}, s.after_interval_ms)
          ORDER BY r.read_at, r.interval_ms LIMIT ${page.limit}
        ) r
        ORDER BY r.read_at, s.series_id, r.interval_ms LIMIT ${page.limit}
      ), noted AS (
        SELECT p.*, ${noteOf('p')} AS note FROM page p
      )
      SELECT n.*, CASE WHEN n.note = 'confirming' THEN ${isHeldBefore} ELSE false END AS is_awaiting,
        (SELECT true FROM lower_kept_readings l
         WHERE l.series_id = n.series_id AND l.read_at = n.read_at AND l.interval_ms = n.interval_ms) IS TRUE AS is_lower_kept,
        coalesce(
          max(n.read_at) FILTER (WHERE n.note IS DISTINCT FROM 'excluded')
            OVER (PARTITION BY n.series_id ORDER BY n.read_at, n.interval_ms ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
          CASE WHEN n.note IS DISTINCT FROM 'excluded' THEN ${previousOf} END
        ) AS previous_at
      FROM noted n ORDER BY n.read_at, n.series_id, n.interval_ms`.execute(trx);
    return rows;
  });
}

/** SQL condition on a reading `n` that confirms an earlier one: whether the earlier reading is still held back. */
const isHeldBefore = sql`coalesce((
  SELECT h.verdict = 'held' FROM reading_notes h
  WHERE h.series_id = n.series_id AND h.read_at < n.read_at AND h.verdict NOT IN ('glitch', 'excluded')
  ORDER BY h.read_at DESC LIMIT 1), false)`;

/** SQL: the time of the last reading before the reading `n`, ignoring readings that an edit excludes. */
const previousOf = sql`coalesce(
  (SELECT b.read_at FROM (
    SELECT r.series_id, r.read_at, r.interval_ms FROM readings r WHERE r.series_id = n.series_id AND r.read_at < n.read_at
    ORDER BY r.read_at DESC, r.interval_ms DESC LIMIT ${sql.lit(MAX_PASSED_OVER)}) b
   WHERE ${noteOf('b')} IS DISTINCT FROM 'excluded' ORDER BY b.read_at DESC LIMIT 1),
  (SELECT max(k.read_at) FROM closed_readings k WHERE k.series_id = n.series_id AND k.read_at < n.read_at),
  (SELECT f.read_at FROM readings f WHERE f.series_id = n.series_id AND f.read_at < n.read_at
     AND ${noteOf('f')} IS DISTINCT FROM 'excluded' ORDER BY f.read_at LIMIT 1))`;
