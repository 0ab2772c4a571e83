import type { Pool } from './connect.ts';

const DAY_MS = 86_400_000;
/** Readings later than this are unusual: what is older is compressed. They are still taken. */
const LATE_WINDOW_DAYS = 7;

/** Start of the retention: the same day and time so many calendar months before, in Unix ms. Older readings are refused. */
export function retentionStartMs(nowMs: number, retentionMonths: number): number {
  const start = new Date(nowMs);
  start.setUTCMonth(start.getUTCMonth() - retentionMonths);
  return start.getTime();
}

/**
 * Drops the readings before the retention, in whole partitions or chunks. A day later than they are refused, so that
 * no writer, whatever its clock says, adds to what is being dropped. Returns the names of what it dropped.
 */
export async function dropReadings(pool: Pool, now: Date, retentionMonths: number): Promise<string[]> {
  const before = new Date(retentionStartMs(now.getTime(), retentionMonths) - DAY_MS);
  const { rows } = await pool.query('SELECT drop_readings($1) AS dropped', [before]);
  return rows[0].dropped;
}

/** Compresses what is older than the late-data window and chooses the length of new chunks, where the database can. */
export async function compressHistory(
  pool: Pool,
  now: Date,
): Promise<{ compressed: string[]; nextChunks: string | null }> {
  const before = new Date(now.getTime() - LATE_WINDOW_DAYS * DAY_MS);
  const { rows } = await pool.query('SELECT compress_history($1) AS compressed, adapt_layout() AS "nextChunks"', [
    before,
  ]);
  return rows[0];
}
