import { DateTime } from 'luxon';
import { DAY_MS } from '#src/core/units.ts';
import type { Pool } from './connect.ts';

/** A pool, or the session that holds the lock of the upkeep. */
type Queried = Pick<Pool, 'query'>;

/** Readings rarely come later than this: older chunks are compressed. Late readings are still accepted. */
const LATE_WINDOW_DAYS = 7;

/**
 * Start of the retention in Unix ms: the same day and time so many calendar months before, or the last day of a month that
 * is too short for it, so that it never moves back. Older readings are refused.
 */
export function retentionStartMs(nowMs: number, retentionMonths: number): number {
  return DateTime.fromMillis(nowMs, { zone: 'utc' }).minus({ months: retentionMonths }).toMillis();
}

/**
 * Drops the readings before the retention, in whole partitions or chunks. A day later than they are refused, so that
 * no writer, whatever its clock says, adds to what is being dropped. Returns the names of what it dropped.
 */
export async function dropReadings(pool: Queried, now: Date, retentionMonths: number): Promise<string[]> {
  const before = new Date(retentionStartMs(now.getTime(), retentionMonths) - DAY_MS);
  // Raw SQL: functions of the schema, which each tier has in its own way.
  const { rows } = await pool.query('SELECT drop_readings($1) AS dropped', [before]);
  return rows[0].dropped;
}

/**
 * Compresses what lies before a time (by default what is older than the late-data window) and chooses the length of new
 * chunks, where the database can. A transaction a chunk: it is locked while it is compressed, and only it. `signal`: ends it
 * between two chunks.
 */
export async function compressHistory(
  pool: Queried,
  now: Date,
  before: Date = new Date(now.getTime() - LATE_WINDOW_DAYS * DAY_MS),
  signal?: AbortSignal,
): Promise<{ compressed: string[]; nextChunks: string | null }> {
  const { rows } = await pool.query('SELECT history_to_compress($1) AS pieces', [before]);
  const compressed: string[] = [];
  for (const piece of rows[0].pieces) {
    if (signal?.aborted) break;
    await pool.query('SELECT compress_piece($1)', [piece]);
    compressed.push(piece);
  }
  const { rows: layout } = await pool.query('SELECT adapt_layout() AS chosen');
  return { compressed, nextChunks: layout[0].chosen };
}
