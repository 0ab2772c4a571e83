import { setTimeout } from 'node:timers/promises';
import { DAY_MS } from '#src/core/units.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool } from '#src/database/connect.ts';
import { type LockSession, withExclusiveLock } from '#src/database/exclusive-lock.ts';

/** Number of recent days that are stored by hour. Most late readings arrive within this time. */
const DAYS_AS_HOURS = 3;
/** Maximum number of devices per transaction. */
const MAX_DEVICES = 500;
/** Pause after a transaction, as a multiple of its duration, so that packing uses one connection for only a third of the time. */
const PAUSE_FACTOR = 2;

/**
 * Packs stored hours that are older than three days into one row per device and day. Only one process of the installation does this at a
 * time. Safe to interrupt: the next call continues. Returns the number of days, or null if another process is packing. `devices`: devices
 * per transaction. `rest`: pause as a multiple of a transaction's duration.
 */
export async function packHoursIntoDays(
  pool: Pool,
  now: Date,
  {
    devices = MAX_DEVICES,
    rest = PAUSE_FACTOR,
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

/** Packs one day of some devices whose ids follow `afterId`. Returns the id of the last one, or null if there are none left. */
async function packSome(client: LockSession, day: Date, afterId: string, devices: number): Promise<string | null> {
  const { rows } = await client.query('SELECT pack_day($1, $2, $3) AS last', [day, afterId, devices]);
  return rows[0].last;
}

/** Frees the disk space of indexes on packed hours, in one transaction per month, because each locks the table of its month. */
async function releaseHours(client: LockSession): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT release_hours() AS released');
    if (rows[0].released === null) return;
  }
}

/**
 * Unpacks all packed days into hours, or only those of some users. Required before a migration to continuous aggregates. Safe to interrupt.
 */
export async function unpackDaysIntoHours(pool: Pool, userIds: readonly string[] | null = null): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('SELECT unpack_days($1, $2) AS unpacked', [MAX_DEVICES, userIds]);
    if (Number(rows[0].unpacked) === 0) return;
  }
}
