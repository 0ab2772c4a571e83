import { DAY_MS } from '#src/core/units.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { type LockSession, withExclusiveLock } from '#src/database/exclusive-lock.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { CONTINUOUS_LEVELS, type Level, storedOf } from './levels.ts';

/** Continuous aggregates by the length of their buckets; the daily one is made of an hourly one, so it comes after. */
const of = (wanted: Level['unit']) => CONTINUOUS_LEVELS.filter(({ unit }) => unit === wanted);
const [HOURLY, DAILY] = [of('hour'), of('day')];
/** Most days that one refresh computes in one go. */
const MAX_DAYS = 31;
/** Devices whose open hours are closed in one transaction. */
const MAX_CLOSED = 1_000;
/** Devices of which a late day is folded in one transaction: 48,000 quarter-hours at most, some 7 MB. */
const MAX_FOLDED = 500;
/** How long a pass waits for transactions that began before the border moved; then the next pass goes on. */
const WAIT_MS = 5_000;

/** What a pass over the continuous aggregates did. */
export interface RefreshReport {
  /** Another process is refreshing; nothing was done. */
  busy: boolean;
  /** Late differences that went into the load profile. */
  folded: number;
  /** Days of the past that were computed anew. */
  days: number;
  /** Whether everything that was there when the pass began is in the aggregates now. */
  complete: boolean;
}

/**
 * One pass that keeps the continuous aggregates right: adds the late differences that wait to the load profile, a day
 * of some devices a transaction; materialises days that have become old enough; computes days anew that have changed since. Bottom up,
 * one pass at a time in the whole installation, never beyond the start of yesterday, where readings still come in, and
 * never before the oldest load profile that is there. Safe to kill at any point: what is left is done by the next pass.
 * `waitMs`: for writers that hold up the border. `devices`: of which a transaction folds a day. `signal`: ends the pass between two
 * of those.
 */
export async function refreshRollups(
  pool: Pool,
  now: Date,
  { waitMs = WAIT_MS, devices = MAX_FOLDED, signal }: { waitMs?: number; devices?: number; signal?: AbortSignal } = {},
): Promise<RefreshReport> {
  const report = await withExclusiveLock(pool, ADVISORY_LOCKS.refresh, async (client) => {
    // Raw SQL: functions of the schema, and snapshots of transactions.
    await moveBorder(client, now);
    const folded = await foldLateDays(client, { devices, signal });
    if (signal?.aborted) return { busy: false, folded, days: 0, complete: false };
    const advanced = await advance(client, waitMs);
    const refreshed = await refreshStaleDays(client);
    return { busy: false, folded, days: refreshed, complete: advanced };
  });
  return report ?? { busy: true, folded: 0, days: 0, complete: false };
}

/**
 * Moves the border between what writers add to the load profile themselves and what they leave to the refresh to the
 * start of yesterday, and closes the hours that it passes while they still go straight into the load profile. It never moves
 * back: a clock that was set back changes nothing.
 */
async function moveBorder(client: LockSession, now: Date): Promise<void> {
  const yesterday = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - 1));
  const { rows } = await client.query('SELECT direct_from < $1 AS "mustMove" FROM rollup_progress', [yesterday]);
  if (!rows[0].mustMove) return;
  await closeHoursBefore(client, yesterday);
  await client.query('UPDATE rollup_progress SET direct_from = $1 WHERE direct_from < $1', [yesterday]);
}

/** Closes the open hours before a time, so that what is stored of them is all that is known. */
export async function closeHoursBefore(client: LockSession, before: Date): Promise<void> {
  for (let last: string | null = ''; last !== null; last = await closeOpenHours(client, before, last));
}

/** Closes open hours before a time of some devices after one; answers the last of them, null where there was none. */
async function closeOpenHours(client: LockSession, before: Date, afterId: string): Promise<string | null> {
  const { rows } = await client.query('SELECT close_open_hours($1, $2, $3) AS last', [before, afterId, MAX_CLOSED]);
  return rows[0].last;
}

/**
 * Adds the late differences that wait to the load profile, under the lock of the refresh: of so many devices a day in one statement.
 * Returns how many. `signal`: ends it between two statements.
 */
export async function foldLateDays(
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

/** Folds a day of so many devices after one: how many differences, and the last device, null where none is left. */
async function foldSome(
  client: LockSession,
  day: Date,
  afterId: string,
  devices: number,
): Promise<{ folded: number; last: string | null }> {
  const { rows } = await client.query('SELECT * FROM fold_late_devices($1, $2, $3)', [day, afterId, devices]);
  return rows[0];
}

/** Materialises what lies between the last pass and the border. Answers false where it has to wait for a writer. */
async function advance(client: LockSession, waitMs: number): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT direct_from, greatest(materialised_to, (SELECT date_trunc('day', min(starts_at), 'UTC') FROM device_hours)) AS start
     FROM rollup_progress WHERE materialised_to < direct_from`,
  );
  if (rows.length === 0) return true;
  if (!(await earlierWritersAreGone(client, waitMs))) return false;
  const { direct_from: to, start } = rows[0];
  // pg gives an infinite time as a number: no load profile at all yet.
  const windows = start instanceof Date && start < to ? parts({ from: start, to }, MAX_DAYS) : [];
  for (const window of windows) {
    await refresh(client, [...HOURLY, ...DAILY], window);
    await client.query('UPDATE rollup_progress SET materialised_to = $1', [window.to]);
  }
  await client.query('UPDATE rollup_progress SET materialised_to = $1', [to]);
  return true;
}

/**
 * A writer that read the border before it moved may still add to days before it. Waits until every transaction that
 * was open is over: a writer has its number before it reads the border, so it is one below the number drawn here. (The
 * snapshot's xmax would not do: it is the number after the last that is over, and open ones may be above it.)
 */
export async function earlierWritersAreGone(client: LockSession, waitMs: number): Promise<boolean> {
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
  // By day, and by those hours of each that changed.
  const daily: Window[] = stale.map(({ day }) => ({ from: day, to: dayAfter(day) }));
  const hourly: Window[] = stale.map(({ from_hour, to_hour }) => ({ from: from_hour, to: to_hour }));
  for (const window of joined(hourly, MAX_DAYS)) await refresh(client, HOURLY, window);
  for (const window of joined(daily, MAX_DAYS)) await refresh(client, DAILY, window);
  // Only as they were seen: a day that was marked again meanwhile stays for the next pass.
  await client.query(
    `DELETE FROM stale_days s USING unnest($1::timestamptz[], $2::bigint[]) d (day, marks)
     WHERE s.day = d.day AND s.marks = d.marks`,
    [stale.map(({ day }) => day), stale.map(({ marks }) => marks)],
  );
  return stale.length;
}

/**
 * With force: without it TimescaleDB computes what its own invalidation log names, and loses some of it while others
 * write (2.28.3, one pass in a few thousand, found by the property test). What changed is known here.
 */
async function refresh(client: LockSession, levels: readonly Level[], { from, to }: Window): Promise<void> {
  for (const level of levels) {
    await client.query(
      `CALL refresh_continuous_aggregate('${storedOf(level)}', '${from.toISOString()}'::timestamptz, '${to.toISOString()}'::timestamptz, force => true)`,
    );
  }
}

/** Marks days (their starts, UTC) as stale where they are materialised, so that the next pass computes them anew. */
export async function markStale(pool: Pool, days: readonly Date[]): Promise<void> {
  await pool.query(
    `INSERT INTO stale_days AS s (day, from_hour, to_hour) SELECT d, d, d + interval '24 hours' FROM unnest($1::timestamptz[]) d
     WHERE d < (SELECT materialised_to FROM rollup_progress)
     ON CONFLICT (day) DO UPDATE SET marks = s.marks + 1, from_hour = excluded.from_hour, to_hour = excluded.to_hour`,
    [days],
  );
}

/** Passes until everything that was committed before the call is in the aggregates. */
export async function settleRollups(pool: Pool, now: Date): Promise<void> {
  for (;;) {
    const { complete } = await refreshRollups(pool, now);
    if (complete) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Runs something while no refresh does, in one transaction of its own. */
export async function withRefreshHeld<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT hold_refresh()');
    return run(client);
  });
}

/** A stretch of time in UTC, `[from, to)`. */
interface Window {
  from: Date;
  to: Date;
}

/** The start of the UTC day after the one that starts at `day`. */
const dayAfter = (day: Date): Date => new Date(day.getTime() + DAY_MS);

/** Cuts a window into parts of so many days; the last may be shorter. */
function parts({ from, to }: Window, mostDays: number): Window[] {
  const windows: Window[] = [];
  for (let ms = from.getTime(); ms < to.getTime(); ms += mostDays * DAY_MS) {
    windows.push({ from: new Date(ms), to: new Date(Math.min(to.getTime(), ms + mostDays * DAY_MS)) });
  }
  return windows;
}

/** Puts windows that follow each other without a gap together, up to so many days; windows in order, none over another. */
function joined(windows: readonly Window[], mostDays: number): Window[] {
  const result: Window[] = [];
  for (const { from, to } of windows) {
    const last = result.at(-1);
    if (last?.to.getTime() === from.getTime() && to.getTime() - last.from.getTime() <= mostDays * DAY_MS) last.to = to;
    else result.push({ from, to });
  }
  return result;
}
