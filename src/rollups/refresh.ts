import { DAY_MS } from '#src/core/units.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { type LockSession, withExclusiveLock } from '#src/database/exclusive-lock.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { CONTINUOUS_AGGREGATE_LEVELS, getClosedHoursRelation, type RollupLevel } from './levels.ts';

/** The daily aggregate comes last, because it is computed from an hourly one. */
const of = (wanted: RollupLevel['unit']) => CONTINUOUS_AGGREGATE_LEVELS.filter(({ unit }) => unit === wanted);
const [HOURLY, DAILY] = [of('hour'), of('day')];
const MAX_DAYS = 31;
/** Maximum number of devices whose latest hours one transaction moves to the stored consumption. */
const MAX_CLOSED = 1_000;
/** Maximum number of devices whose late changes one transaction adds. Such a transaction takes about 7 MB. */
const MAX_FOLDED = 500;
/** Maximum time in ms that a refresh waits for earlier write transactions. If they take longer, the next refresh continues. */
const WAIT_MS = 5_000;

interface RefreshReport {
  /** Whether nothing was done, because another process is refreshing. */
  busy: boolean;
  /** Number of late changes that were added to the stored consumption. */
  folded: number;
  days: number;
  /** Whether the sums now contain everything that existed when the refresh began. */
  complete: boolean;
}

/**
 * Refreshes the continuous aggregates once: adds late changes of consumption, computes the sums of days that have become old enough, and
 * recomputes changed days. The last two days are left out, because their readings still arrive. Only one process of the installation does
 * this at a time. Safe to interrupt. `waitMs`: maximum wait for earlier writers. `devices`: devices per transaction.
 */
export async function refreshRollups(
  pool: Pool,
  now: Date,
  { waitMs = WAIT_MS, devices = MAX_FOLDED, signal }: { waitMs?: number; devices?: number; signal?: AbortSignal } = {},
): Promise<RefreshReport> {
  const report = await withExclusiveLock(pool, ADVISORY_LOCKS.refresh, async (client) => {
    // Raw SQL in this file: its statements call functions of the schema.
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
 * Moves `rollup_progress.direct_from` to the start of yesterday. Writers add changes of later times themselves, and leave changes of
 * earlier times to the refresh. The latest hours of devices before the new time are stored first. The time never moves back.
 */
async function moveBorder(client: LockSession, now: Date): Promise<void> {
  const yesterday = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - 1));
  const { rows } = await client.query('SELECT direct_from < $1 AS "mustMove" FROM rollup_progress', [yesterday]);
  if (!rows[0].mustMove) return;
  await closeOpenHoursBefore(client, yesterday);
  await client.query('UPDATE rollup_progress SET direct_from = $1 WHERE direct_from < $1', [yesterday]);
}

/** Moves the latest hour of each device to the stored consumption if the hour is before a time. */
export async function closeOpenHoursBefore(client: LockSession, before: Date): Promise<void> {
  for (let last: string | null = ''; last !== null; last = await closeOpenHours(client, before, last));
}

/** Moves the latest hours of some devices whose ids follow `afterId`. Returns the id of the last one, or null if there are none left. */
async function closeOpenHours(client: LockSession, before: Date, afterId: string): Promise<string | null> {
  const { rows } = await client.query('SELECT close_open_hours($1, $2, $3) AS last', [before, afterId, MAX_CLOSED]);
  return rows[0].last;
}

/**
 * Adds late changes to the stored consumption. Each statement adds the changes of one day for up to `devices` devices. Returns the number
 * of changes.
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
 * Adds late changes of one day for some devices whose ids follow `afterId`. Returns their number, and the id of the last device or null.
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

/** Computes the sums of the days since the last refresh. Returns false if an earlier writer is still running. */
async function advance(client: LockSession, waitMs: number): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT direct_from, greatest(materialised_to, (SELECT date_trunc('day', min(starts_at), 'UTC') FROM device_hours)) AS start
     FROM rollup_progress WHERE materialised_to < direct_from`,
  );
  if (rows.length === 0) return true;
  if (!(await waitForEarlierWriters(client, waitMs))) return false;
  const { direct_from: to, start } = rows[0];
  // If nothing is stored yet, `start` is infinity, which the driver returns as a number.
  const windows = start instanceof Date && start < to ? parts({ from: start, to }, MAX_DAYS) : [];
  for (const window of windows) {
    await refresh(client, [...HOURLY, ...DAILY], window);
    await client.query('UPDATE rollup_progress SET materialised_to = $1', [window.to]);
  }
  await client.query('UPDATE rollup_progress SET materialised_to = $1', [to]);
  return true;
}

/**
 * Waits until every transaction that is open now has ended. Such a transaction may still use a previous bound (for example of
 * `direct_from`), and add changes to days before the current bound. Returns false if this takes too long.
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
  // Daily sums are recomputed for whole days, and hourly sums for the changed hours of each day.
  const daily: Window[] = stale.map(({ day }) => ({ from: day, to: dayAfter(day) }));
  const hourly: Window[] = stale.map(({ from_hour, to_hour }) => ({ from: from_hour, to: to_hour }));
  for (const window of joined(hourly, MAX_DAYS)) await refresh(client, HOURLY, window);
  for (const window of joined(daily, MAX_DAYS)) await refresh(client, DAILY, window);
  // If the day was marked again in the meantime, the mark remains, and the next refresh recomputes the day.
  await client.query(
    `DELETE FROM stale_days s USING unnest($1::timestamptz[], $2::bigint[]) d (day, marks)
     WHERE s.day = d.day AND s.marks = d.marks`,
    [stale.map(({ day }) => day), stale.map(({ marks }) => marks)],
  );
  return stale.length;
}

/**
 * Refreshes continuous aggregates with TimescaleDB's option `force`: without it, TimescaleDB relies on its own log of changes, which loses
 * entries while other sessions write (2.28.3).
 */
async function refresh(client: LockSession, levels: readonly RollupLevel[], { from, to }: Window): Promise<void> {
  for (const level of levels) {
    await client.query(
      `CALL refresh_continuous_aggregate('${getClosedHoursRelation(level)}', '${from.toISOString()}'::timestamptz, '${to.toISOString()}'::timestamptz, force => true)`,
    );
  }
}

/** Marks days so that the next refresh recomputes them. `days`: starts of UTC days. */
export async function markDaysStale(pool: Pool, days: readonly Date[]): Promise<void> {
  await pool.query(
    `INSERT INTO stale_days AS s (day, from_hour, to_hour) SELECT d, d, d + interval '24 hours' FROM unnest($1::timestamptz[]) d
     WHERE d < (SELECT materialised_to FROM rollup_progress)
     ON CONFLICT (day) DO UPDATE SET marks = s.marks + 1, from_hour = excluded.from_hour, to_hour = excluded.to_hour`,
    [days],
  );
}

/** Repeats the refresh until the sums contain everything that was committed before the call. */
export async function refreshUntilComplete(pool: Pool, now: Date): Promise<void> {
  for (;;) {
    const { complete } = await refreshRollups(pool, now);
    if (complete) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Runs a function in a transaction that prevents any refresh until it ends. */
export async function runWithRefreshLocked<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  return runInTransaction(pool, async (client) => {
    await client.query('SELECT hold_refresh()');
    return run(client);
  });
}

interface Window {
  from: Date;
  to: Date;
}

const dayAfter = (day: Date): Date => new Date(day.getTime() + DAY_MS);

function parts({ from, to }: Window, mostDays: number): Window[] {
  const windows: Window[] = [];
  for (let ms = from.getTime(); ms < to.getTime(); ms += mostDays * DAY_MS) {
    windows.push({ from: new Date(ms), to: new Date(Math.min(to.getTime(), ms + mostDays * DAY_MS)) });
  }
  return windows;
}

/** Merges adjacent time ranges into ranges of at most `mostDays` days. The ranges must be in order. */
function joined(windows: readonly Window[], mostDays: number): Window[] {
  const result: Window[] = [];
  for (const { from, to } of windows) {
    const last = result.at(-1);
    if (last?.to.getTime() === from.getTime() && to.getTime() - last.from.getTime() <= mostDays * DAY_MS) last.to = to;
    else result.push({ from, to });
  }
  return result;
}
