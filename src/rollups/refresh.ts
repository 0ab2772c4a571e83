import { DAY_MS } from '#src/core/units.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { type LockSession, withExclusiveLock } from '#src/database/exclusive-lock.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { CONTINUOUS_AGGREGATE_LEVELS, getClosedHoursRelation, type RollupLevel } from './levels.ts';

/**
 * Returns the continuous aggregates whose buckets have this length. The daily aggregate comes last, because it is computed from an hourly
 * one.
 */
const of = (wanted: RollupLevel['unit']) => CONTINUOUS_AGGREGATE_LEVELS.filter(({ unit }) => unit === wanted);
const [HOURLY, DAILY] = [of('hour'), of('day')];
/** Maximum number of days that one call of TimescaleDB's refresh procedure computes. */
const MAX_DAYS = 31;
/** Number of devices whose open hours (the latest hour of a device, stored in its head) are closed in one transaction. */
const MAX_CLOSED = 1_000;
/** Maximum number of devices whose late changes of one day are added in one transaction: at most 48,000 quarter-hours, about 7 MB. */
const MAX_FOLDED = 500;
/**
 * Maximum time, in ms, for which a refresh waits for transactions that began before the refresh boundary (`direct_from`; see `moveBorder`)
 * moved. If they take longer, the next refresh continues.
 */
const WAIT_MS = 5_000;

/** Result of a refresh of the continuous aggregates. */
export interface RefreshReport {
  /** Whether nothing was done, because another process is refreshing. */
  busy: boolean;
  /** Number of late changes of consumption that were added to the load profile. */
  folded: number;
  /** Number of past days that were recomputed. */
  days: number;
  /** Whether the aggregates now contain everything that existed when the refresh began. */
  complete: boolean;
}

/**
 * Refreshes the continuous aggregates once: adds pending late changes to the load profile, in one transaction for each day and batch of
 * devices; computes and stores (materialises) days that have become old enough; and recomputes stored days that have changed. Levels are
 * processed from the lowest up. In the whole installation, only one refresh runs at a time. A refresh covers no time after the start of
 * yesterday, because readings of later times still arrive, and no time before the oldest load profile. Safe to kill at any point: the next
 * refresh continues. `waitMs`: maximum wait for writers that began before the refresh boundary moved. `devices`: maximum number of devices
 * whose late changes one transaction adds. `signal`: stops the refresh between two transactions.
 */
export async function refreshRollups(
  pool: Pool,
  now: Date,
  { waitMs = WAIT_MS, devices = MAX_FOLDED, signal }: { waitMs?: number; devices?: number; signal?: AbortSignal } = {},
): Promise<RefreshReport> {
  const report = await withExclusiveLock(pool, ADVISORY_LOCKS.refresh, async (client) => {
    // Raw SQL in this file: its statements call functions of the schema, and compare snapshots of transactions.
    await moveBorder(client, now);
    const folded = await applyLateChanges(client, { devices, signal });
    if (signal?.aborted) return { busy: false, folded, days: 0, complete: false };
    const advanced = await advance(client, waitMs);
    const refreshed = await refreshStaleDays(client);
    return { busy: false, folded, days: refreshed, complete: advanced };
  });
  return report ?? { busy: true, folded: 0, days: 0, complete: false };
}

/**
 * Moves the refresh boundary to the start of yesterday. The boundary (`rollup_progress.direct_from`) is the time from which on writers add
 * changes to the load profile themselves; they leave changes of earlier times to the refresh. Open hours before the new boundary are closed
 * first, while their changes can still be written directly. The boundary never moves back, so a clock that was set back has no effect.
 */
async function moveBorder(client: LockSession, now: Date): Promise<void> {
  const yesterday = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - 1));
  const { rows } = await client.query('SELECT direct_from < $1 AS "mustMove" FROM rollup_progress', [yesterday]);
  if (!rows[0].mustMove) return;
  await closeOpenHoursBefore(client, yesterday);
  await client.query('UPDATE rollup_progress SET direct_from = $1 WHERE direct_from < $1', [yesterday]);
}

/** Closes all open hours before a time, so that the stored data up to that time are complete. */
export async function closeOpenHoursBefore(client: LockSession, before: Date): Promise<void> {
  for (let last: string | null = ''; last !== null; last = await closeOpenHours(client, before, last));
}

/**
 * Closes the open hours before a time for the next batch of devices, in order of their ids, after `afterId`. Returns the id of the last
 * device in the batch, or null if no device was left.
 */
async function closeOpenHours(client: LockSession, before: Date, afterId: string): Promise<string | null> {
  const { rows } = await client.query('SELECT close_open_hours($1, $2, $3) AS last', [before, afterId, MAX_CLOSED]);
  return rows[0].last;
}

/**
 * Adds pending late changes to the load profile, under the lock of the refresh. Each statement adds the changes of one day for up to
 * `devices` devices. Returns the number of changes. `signal`: stops between two statements.
 */
export async function applyLateChanges(
  client: LockSession,
  { devices = MAX_FOLDED, signal }: { devices?: number; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const { rows } = await client.query('SELECT DISTINCT day FROM late_deltas ORDER BY day');
  let folded = 0;
  for (const { day } of rows) {
    for (let last: string | null = ''; last !== null; ) {
      if (signal?.aborted) return folded;
      const piece = await foldSome(client, day, last, devices);
      folded += piece.folded;
      last = piece.last;
    }
  }
  return folded;
}

/**
 * Adds the pending late changes of one day to the load profile, for at most `devices` devices whose ids follow `afterId`. Returns the
 * number of changes, and the id of the last device or null if no device is left.
 */
async function foldSome(
  client: LockSession,
  day: Date,
  afterId: string,
  devices: number,
): Promise<{ folded: number; last: string | null }> {
  const { rows } = await client.query('SELECT * FROM fold_late_devices($1, $2, $3)', [day, afterId, devices]);
  return rows[0];
}

/**
 * Materialises the days between the last refresh and the refresh boundary. Returns false if a writer that began before the boundary moved
 * is still running.
 */
async function advance(client: LockSession, waitMs: number): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT direct_from, greatest(materialised_to, (SELECT date_trunc('day', min(starts_at), 'UTC') FROM device_hours)) AS start
     FROM rollup_progress WHERE materialised_to < direct_from`,
  );
  if (rows.length === 0) return true;
  if (!(await waitForEarlierWriters(client, waitMs))) return false;
  const { direct_from: to, start } = rows[0];
  // If there is no load profile yet, `start` is infinity, which the driver returns as a number instead of a Date.
  const windows = start instanceof Date && start < to ? parts({ from: start, to }, MAX_DAYS) : [];
  for (const window of windows) {
    await refresh(client, [...HOURLY, ...DAILY], window);
    await client.query('UPDATE rollup_progress SET materialised_to = $1', [window.to]);
  }
  await client.query('UPDATE rollup_progress SET materialised_to = $1', [to]);
  return true;
}

/**
 * Waits until every transaction that is open now has ended. A writer that read the refresh boundary before it moved may still add to days
 * before the new boundary. A writer gets its transaction id before it reads the boundary, so this id is lower than the id that this
 * function draws. (The snapshot's xmax is unsuitable: it is the id after the last ended transaction, and open transactions may have higher
 * ids.)
 */
export async function waitForEarlierWriters(client: LockSession, waitMs: number): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_current_xact_id()::text AS drawn');
  const deadline = performance.now() + waitMs;
  for (;;) {
    const { rows: state } = await client.query(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 AS "areGone"',
      [rows[0].drawn],
    );
    if (state[0].areGone) return true;
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function refreshStaleDays(client: LockSession): Promise<number> {
  const { rows: stale } = await client.query(
    'SELECT day, from_hour, to_hour, marks FROM stale_days WHERE day < (SELECT materialised_to FROM rollup_progress) ORDER BY day',
  );
  // These are the time ranges to recompute: whole days for the daily aggregate, and the changed hours of each day for the hourly ones.
  const daily: Window[] = stale.map(({ day }) => ({ from: day, to: dayAfter(day) }));
  const hourly: Window[] = stale.map(({ from_hour, to_hour }) => ({ from: from_hour, to: to_hour }));
  for (const window of joined(hourly, MAX_DAYS)) await refresh(client, HOURLY, window);
  for (const window of joined(daily, MAX_DAYS)) await refresh(client, DAILY, window);
  // A day's mark is removed only if its counter `marks` has not changed. If the day was marked again in the meantime, the next refresh
  // recomputes it.
  await client.query(
    `DELETE FROM stale_days s USING unnest($1::timestamptz[], $2::bigint[]) d (day, marks)
     WHERE s.day = d.day AND s.marks = d.marks`,
    [stale.map(({ day }) => day), stale.map(({ marks }) => marks)],
  );
  return stale.length;
}

/**
 * Refreshes these levels with TimescaleDB's option `force`. Without it, TimescaleDB recomputes only the ranges in its own invalidation log,
 * and this log loses entries while other sessions write (2.28.3, one refresh in a few thousand, found by the property test). The service
 * records the changed ranges itself.
 */
async function refresh(client: LockSession, levels: readonly RollupLevel[], { from, to }: Window): Promise<void> {
  for (const level of levels) {
    await client.query(
      `CALL refresh_continuous_aggregate('${getClosedHoursRelation(level)}', '${from.toISOString()}'::timestamptz, '${to.toISOString()}'::timestamptz, force => true)`,
    );
  }
}

/** Marks stored days of the continuous aggregates as stale, so that the next refresh recomputes them. `days`: starts of UTC days. */
export async function markDaysStale(pool: Pool, days: readonly Date[]): Promise<void> {
  await pool.query(
    `INSERT INTO stale_days AS s (day, from_hour, to_hour) SELECT d, d, d + interval '24 hours' FROM unnest($1::timestamptz[]) d
     WHERE d < (SELECT materialised_to FROM rollup_progress)
     ON CONFLICT (day) DO UPDATE SET marks = s.marks + 1, from_hour = excluded.from_hour, to_hour = excluded.to_hour`,
    [days],
  );
}

/** Repeats the refresh until the aggregates contain everything that was committed before the call. */
export async function refreshUntilComplete(pool: Pool, now: Date): Promise<void> {
  for (;;) {
    const { complete } = await refreshRollups(pool, now);
    if (complete) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Runs a function in a new transaction that prevents any refresh until it ends. */
export async function runWithRefreshLocked<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  return runInTransaction(pool, async (client) => {
    await client.query('SELECT hold_refresh()');
    return run(client);
  });
}

/** Time range in UTC, `[from, to)`. */
interface Window {
  from: Date;
  to: Date;
}

/** Returns the start of the next UTC day. */
const dayAfter = (day: Date): Date => new Date(day.getTime() + DAY_MS);

/** Splits a time range into parts of at most `mostDays` days. */
function parts({ from, to }: Window, mostDays: number): Window[] {
  const windows: Window[] = [];
  for (let ms = from.getTime(); ms < to.getTime(); ms += mostDays * DAY_MS) {
    windows.push({ from: new Date(ms), to: new Date(Math.min(to.getTime(), ms + mostDays * DAY_MS)) });
  }
  return windows;
}

/** Merges adjacent time ranges as long as the result has at most `mostDays` days. The ranges must be in order and must not overlap. */
function joined(windows: readonly Window[], mostDays: number): Window[] {
  const result: Window[] = [];
  for (const { from, to } of windows) {
    const last = result.at(-1);
    if (last?.to.getTime() === from.getTime() && to.getTime() - last.from.getTime() <= mostDays * DAY_MS) last.to = to;
    else result.push({ from, to });
  }
  return result;
}
