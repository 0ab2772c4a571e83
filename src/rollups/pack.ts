import { setTimeout } from 'node:timers/promises';
import { DAY_MS } from '#src/core/units.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool } from '#src/database/connect.ts';
import { type LockSession, withExclusiveLock } from '#src/database/exclusive-lock.ts';

/** Number of recent days of the load profile that are stored as hours. Most late readings arrive within this time. */
const DAYS_AS_HOURS = 3;
/** Maximum number of devices whose hours of a day are packed in one transaction. */
const MAX_DEVICES = 500;
/**
 * Duration of the pause after a transaction, as a multiple of the transaction's duration. Packing therefore keeps one connection busy for
 * only a third of the time, even if years of the past are packed while meters send.
 */
const REST = 2;

/**
 * Packs hours of the load profile (rows of `device_hours`) that are older than three days into days (rows of `device_days`), one row for
 * each device and day, in transactions of bounded size. In the whole installation, only one process packs at a time. The next call adds
 * hours that arrive later for a packed day. Safe to kill at any point: the next call continues. Returns the number of days processed, or
 * null if another process is packing. `devices`: number of devices for each transaction; `rest`: pause after each transaction, as a
 * multiple of its duration; `signal`: stops between two transactions; `onProgress`: called with the numbers of days at the start and after
 * each day.
 */
export async function packHoursIntoDays(
  pool: Pool,
  now: Date,
  {
    devices = MAX_DEVICES,
    rest = REST,
    signal,
    onProgress,
  }: { devices?: number; rest?: number; signal?: AbortSignal; onProgress?: (done: number, of: number) => void } = {},
): Promise<number | null> {
  const before = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - DAYS_AS_HOURS * DAY_MS);
  return withExclusiveLock(pool, ADVISORY_LOCKS.packing, async (client) => {
    // Raw SQL: the statements call functions of the schema.
    const { rows } = await client.query(
      `SELECT DISTINCT date_trunc('day', starts_at, 'UTC') AS day FROM device_hours WHERE starts_at < $1 ORDER BY 1`,
      [before],
    );
    onProgress?.(0, rows.length);
    for (const [index, { day }] of rows.entries()) {
      for (let last: string | null = ''; last !== null; ) {
        if (signal?.aborted) return index;
        const startedAt = performance.now();
        last = await packSome(client, day, last, devices);
        await setTimeout(rest * (performance.now() - startedAt), undefined, { signal }).catch(() => {});
      }
      onProgress?.(index + 1, rows.length);
    }
    await releaseHours(client);
    return rows.length;
  });
}

/**
 * Packs one day for at most `devices` devices whose ids follow `afterId`. Returns the id of the last device, or null if no device was left.
 */
async function packSome(client: LockSession, day: Date, afterId: string, devices: number): Promise<string | null> {
  const { rows } = await client.query('SELECT pack_day($1, $2, $3) AS last', [day, afterId, devices]);
  return rows[0].last;
}

/**
 * Frees the disk space of indexes on hours that have been packed. Calls `release_hours` in a separate transaction for each month, because
 * the function locks the table of the month.
 */
async function releaseHours(client: LockSession): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT release_hours() AS released');
    if (rows[0].released === null) return;
  }
}

/**
 * Unpacks all packed days (rows of `device_days`) into hours (rows of `device_hours`), or only the days of some users and of the separately
 * aggregated quantities of their devices (`getSeparateQuantityKey`). Required after a migration to a database with continuous aggregates.
 * Safe to kill at any point.
 */
export async function unpackDaysIntoHours(pool: Pool, userIds: readonly string[] | null = null): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('SELECT unpack_days($1, $2) AS unpacked', [MAX_DEVICES, userIds]);
    if (Number(rows[0].unpacked) === 0) return;
  }
}
