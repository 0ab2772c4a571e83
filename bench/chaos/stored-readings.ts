import type { Pool } from '#src/database/connect.ts';
import type { PairedDevice } from '../support.ts';
import { scaleTimeLimitMs } from '../time-limits.ts';

/** Number of distinct readings that are stored, and number of readings that were stored or counted more than once. */
export interface StoredReadingCounts {
  stored: number;
  double: number;
}

const POLL_MS = 250;

const ids = (players: readonly PairedDevice[]) => players.map(({ deviceId }) => deviceId);

/** Counts the stored readings of a fleet's devices. */
export async function countStoredReadings(pool: Pool, players: readonly PairedDevice[]): Promise<StoredReadingCounts> {
  const { rows } = await pool.query(
    `WITH mine AS (SELECT device_id, read_at, value FROM readings JOIN series USING (series_id)
       WHERE device_id = ANY ($1) AND kind = 'register'),
     each AS (SELECT device_id, count(*) AS n, count(DISTINCT read_at) AS times, max(value) - min(value) AS used FROM mine GROUP BY 1)
     SELECT coalesce(sum(times), 0)::int AS stored, coalesce(sum(n - times), 0)::int AS doubled,
       (SELECT coalesce(sum(energy_milliwatt_hours), 0) FROM user_hourly
         WHERE user_id IN (SELECT user_id FROM devices WHERE device_id = ANY ($1)))::bigint - coalesce(sum(used), 0)::bigint AS excess_milliwatt_hours FROM each`,
    [ids(players)],
  );
  // Each reading adds 1 mWh. If the stored energy is greater than the difference of the register values, the surplus was counted twice.
  return { stored: rows[0].stored, double: rows[0].doubled + Math.max(0, Number(rows[0].excess_milliwatt_hours)) };
}

/** Returns the number of stored register readings. The statement is cheap enough to run many times a second during a fault. */
export async function countStoredRows(pool: Pool, players: readonly PairedDevice[]): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS n FROM readings
     WHERE series_id IN (SELECT series_id FROM series WHERE device_id = ANY ($1) AND kind = 'register')`,
    [ids(players)],
  );
  return rows[0].n;
}

/** Waits until all acknowledged messages are stored. Gives up if no message has been stored for `quietMs` (longer on a slow machine). */
export async function waitUntilMessagesStored(
  count: () => Promise<number>,
  acknowledged: number,
  quietMs: number,
): Promise<void> {
  let stored = await count();
  let lastChange = performance.now();
  while (stored < acknowledged && performance.now() - lastChange < scaleTimeLimitMs(quietMs)) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const next = await count();
    if (next !== stored) lastChange = performance.now();
    stored = next;
  }
}
