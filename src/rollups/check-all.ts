import { DAY_MS } from '#src/core/units.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import type { Pool } from '#src/database/connect.ts';
import { checkUserRollups, listUsersToCheck, MAX_REPORTED_DIFFERENCES, type RollupDifference } from './check.ts';
import { rebuildUserRollupTables, recordAllDaysChanged } from './rebuild.ts';
import { markDaysStale, refreshUntilComplete, runWithRefreshLocked } from './refresh.ts';

export interface RollupCheckReport {
  users: number;
  checked: number;
  /**
   * `differing`: number of wrong rows (at most `MAX_REPORTED_DIFFERENCES` per user and relation). `differences`: the first of these rows.
   */
  differing: number;
  differences: RollupDifference[];
  /** Number of users whose stored sums were rebuilt. */
  rebuilt: number;
}

export interface RollupCheckOptions {
  capabilities: Capabilities;
  since: Date;
  /** `check` only reports wrong sums; `repair` rebuilds the sums of users with wrong ones; `rebuild` rebuilds those of all users. */
  mode: 'check' | 'repair' | 'rebuild';
  userId?: string;
  /** If this signal aborts, the check ends before the next user. */
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}

const MAX_SHOWN = 100;

/**
 * Checks or rebuilds the stored sums of all users, or of one. Users are processed one by one, so that memory and locks do not grow with
 * their number.
 */
export async function checkAllRollups(pool: Pool, options: RollupCheckOptions): Promise<RollupCheckReport> {
  const { capabilities, since, mode, userId, signal, onProgress } = options;
  const { continuousAggregates } = capabilities;
  const users = await listUsersToCheck(pool, userId);
  const report: RollupCheckReport = { users: users.length, checked: 0, differing: 0, differences: [], rebuilt: 0 };
  const days = new Set<number>();
  const wanted: string[] = [];
  for (const user of users) {
    if (signal?.aborted) break;
    const differences = mode === 'rebuild' ? [] : await differencesOf(pool, capabilities, user, since);
    report.differing += differences.length;
    report.differences.push(...differences.slice(0, MAX_SHOWN - report.differences.length));
    const isWanted = mode === 'rebuild' || (mode === 'repair' && differences.length > 0);
    if (isWanted) report.rebuilt++;
    if (isWanted && continuousAggregates) wanted.push(user);
    if (isWanted && !continuousAggregates) await rebuildUserRollupTables(pool, user, since);
    if (differences.length > 0 && mode === 'repair' && continuousAggregates) {
      for (const day of await daysToMend(pool, since, user, differences)) days.add(day.getTime());
    }
    report.checked++;
    onProgress?.(report.checked, users.length);
  }
  // A continuous aggregate contains all users, so each affected day is recomputed only once.
  if (continuousAggregates && report.rebuilt > 0) {
    const stale = [...days].map((day) => new Date(day));
    await markDaysStale(pool, mode === 'rebuild' ? await daysToRebuild(pool, since, userId) : stale);
    // The changes are recorded after their days were marked as outdated. While a day is outdated, its recorded changes are not processed.
    await recordAllDaysChanged(pool, wanted);
    await refreshUntilComplete(pool, new Date());
  }
  return report;
}

/** Returns the days with consumption or stored sums, of all users or of one. */
async function daysToRebuild(pool: Pool, since: Date, userId: string | undefined): Promise<Date[]> {
  // Raw SQL: names of relations are known only at run time.
  const { rows } = await pool.query(
    `SELECT date_trunc('day', starts_at, 'UTC') AS day FROM device_hours
     WHERE starts_at >= $1 AND ($2::text IS NULL OR split_part(user_id, '/', 1) = split_part($2, '/', 1))
     UNION SELECT day FROM closed_user_daily WHERE day >= $1 AND ($2::text IS NULL OR split_part(user_id, '/', 1) = split_part($2, '/', 1))`,
    [since, userId ?? null],
  );
  return rows.map(({ day }) => day);
}

/** Returns the days on which a user's sums are wrong; all days if the list of differences was truncated. */
async function daysToMend(
  pool: Pool,
  since: Date,
  userId: string,
  differences: readonly RollupDifference[],
): Promise<Date[]> {
  const byRelation = Map.groupBy(differences, ({ relation }) => relation);
  const isCut = [...byRelation.values()].some(({ length }) => length >= MAX_REPORTED_DIFFERENCES);
  return isCut ? daysToRebuild(pool, since, userId) : daysOf(differences);
}

/** A wrong sum of a month adds no day, because the sums of its hours are then wrong, too, and add their days. */
function daysOf(differences: readonly RollupDifference[]): Date[] {
  const times = differences.flatMap(({ key }) => key.day ?? key.hour ?? []);
  return [...new Set(times.map((time) => Math.floor(Date.parse(time) / DAY_MS)))].map((day) => new Date(day * DAY_MS));
}

/**
 * Returns the wrong sums of one user. Continuous aggregates are updated with a delay, so the check is repeated after all pending changes
 * are applied.
 */
async function differencesOf(
  pool: Pool,
  { continuousAggregates }: Capabilities,
  userId: string,
  since: Date,
): Promise<RollupDifference[]> {
  const differences = await checkUserRollups(pool, userId, since);
  if (differences.length === 0 || !continuousAggregates) return differences;
  await refreshUntilComplete(pool, new Date());
  return runWithRefreshLocked(pool, (client) => checkUserRollups(client, userId, since));
}
