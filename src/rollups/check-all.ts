import { DAY_MS } from '#src/core/units.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import type { Pool } from '#src/database/connect.ts';
import { checkUserRollups, listUsersToCheck, MAX_REPORTED_DIFFERENCES, type RollupDifference } from './check.ts';
import { rebuildUserRollupTables, recordAllDaysChanged } from './rebuild.ts';
import { markDaysStale, refreshUntilComplete, runWithRefreshLocked } from './refresh.ts';

/** Result of a check or rebuild of all users. */
export interface RollupCheckReport {
  users: number;
  /** Number of checked users: fewer than all if the check was stopped. */
  checked: number;
  /** Number of rows that differ (at most `MAX_REPORTED_DIFFERENCES` for each user and relation), and the first of these rows. */
  differing: number;
  differences: RollupDifference[];
  /** Number of users whose aggregates were rebuilt. */
  rebuilt: number;
}

export interface RollupCheckOptions {
  capabilities: Capabilities;
  /** Start of the first month to check. */
  since: Date;
  /** `check` only reports; `repair` rebuilds the aggregates of users that differ; `rebuild` rebuilds those of all users. */
  mode: 'check' | 'repair' | 'rebuild';
  /** If set, only this user is checked. */
  userId?: string;
  /** If the signal aborts, the pass ends before the next user. */
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}

/** Maximum number of differences in a report. */
const MAX_SHOWN = 100;

/**
 * Checks or rebuilds the aggregates of all users, or of one. Users are processed one by one, so that memory and locks do not grow with
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
  // A continuous aggregate contains all users, so each affected day is recomputed once for all users.
  if (continuousAggregates && report.rebuilt > 0) {
    const stale = [...days].map((day) => new Date(day));
    await markDaysStale(pool, mode === 'rebuild' ? await daysToRebuild(pool, since, userId) : stale);
    // This is recorded after the days were marked as stale, because the record is not processed while one of these days is stale
    // (src/energy/group/progress.ts).
    await recordAllDaysChanged(pool, wanted);
    await refreshUntilComplete(pool, new Date());
  }
  return report;
}

/**
 * Returns the days that the load profile or an aggregate contains. (With continuous aggregates, no days are packed: all closed hours are
 * rows of `device_hours`.) `userId`: if set, only the days of this user, or of the user of this separately aggregated quantity
 * (`meterKey`).
 */
async function daysToRebuild(pool: Pool, since: Date, userId: string | undefined): Promise<Date[]> {
  // Raw SQL: the names of the relations come from src/rollups/levels.ts at run time.
  const { rows } = await pool.query(
    `SELECT date_trunc('day', starts_at, 'UTC') AS day FROM device_hours
     WHERE starts_at >= $1 AND ($2::text IS NULL OR split_part(user_id, '/', 1) = split_part($2, '/', 1))
     UNION SELECT day FROM closed_user_daily WHERE day >= $1 AND ($2::text IS NULL OR split_part(user_id, '/', 1) = split_part($2, '/', 1))`,
    [since, userId ?? null],
  );
  return rows.map(({ day }) => day);
}

/** Returns the days on which one user's aggregates differ; all days if the list of differences was truncated. */
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

/** Returns the days that contain a difference. A differing month adds no day, because its hours differ, too. */
function daysOf(differences: readonly RollupDifference[]): Date[] {
  const times = differences.flatMap(({ key }) => key.day ?? key.hour ?? []);
  return [...new Set(times.map((time) => Math.floor(Date.parse(time) / DAY_MS)))].map((day) => new Date(day * DAY_MS));
}

/**
 * Returns the differences of one user. Continuous aggregates follow corrections of the past with a delay. If there are differences, the
 * user is therefore compared again after all pending changes are applied, while no refresh can run.
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
