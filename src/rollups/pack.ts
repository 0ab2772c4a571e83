import { setTimeout } from 'node:timers/promises';
import { DAY_MS } from '#src/core/units.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool } from '#src/database/connect.ts';
import { type LockSession, withExclusiveLock } from '#src/database/exclusive-lock.ts';

/** Days of the load profile whose hours are left as they are: what is late is late by less, mostly. */
const DAYS_AS_HOURS = 3;
/** Devices of which a day is packed in one transaction. */
const MAX_DEVICES = 500;
/** Of the time that a piece took: the past of years is packed while meters send, and has a third of one connection. */
const REST = 2;

/**
 * Packs the hours of the load profile that are older than three days into days, a row a device, in transactions of bounded size; one
 * pass at a time in the whole installation. Hours that come later, being late, are added by the next pass. Safe to kill at any
 * point: what is left is done by the next pass. Returns how many days it went through; null where another process packs. `devices`: how many a transaction packs;
 * `rest`: how many times as long as each it rests after it; `signal`: ends it between two of them; `onProgress`: told of the days at
 * the start and after each of them.
 */
export async function packDays(
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
    // Raw SQL: functions of the schema.
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

/** Packs a day of so many devices after one; answers the last of them, null where there was none. */
async function packSome(client: LockSession, day: Date, afterId: string, devices: number): Promise<string | null> {
  const { rows } = await client.query('SELECT pack_day($1, $2, $3) AS last', [day, afterId, devices]);
  return rows[0].last;
}

/** A month a transaction: its table is locked for so long. */
async function releaseHours(client: LockSession): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT release_hours() AS released');
    if (rows[0].released === null) return;
  }
}

/**
 * Makes hours again of all packed days, or of those of some users (with what is told apart of their devices: `meterKey`): what a
 * database with continuous aggregates needs after a move. Safe to kill, too.
 */
export async function unpackDays(pool: Pool, userIds: readonly string[] | null = null): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('SELECT unpack_days($1, $2) AS unpacked', [MAX_DEVICES, userIds]);
    if (Number(rows[0].unpacked) === 0) return;
  }
}
