import { DAY_MS } from '#src/core/units.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import type { Pool } from '#src/database/connect.ts';
import { checkUser, type Difference, MAX_DIFFERENCES, usersToCheck } from './check.ts';
import { noteAllDays, rebuildTables } from './rebuild.ts';
import { markStale, settleRollups, withRefreshHeld } from './refresh.ts';

/** What a pass over all users did. */
export interface RollupReport {
  users: number;
  /** Users that were looked at before the pass was told to stop: all of them, otherwise. */
  checked: number;
  /** Rows that differ, of one user and relation `MAX_DIFFERENCES` at most; and the first of them. */
  differing: number;
  differences: Difference[];
  /** Users whose aggregates were computed anew. */
  rebuilt: number;
}

export interface RollupOptions {
  capabilities: Capabilities;
  /** Start of the first month to look at. */
  since: Date;
  /** `check` reports only; `repair` rebuilds users that differ; `rebuild` rebuilds all. */
  mode: 'check' | 'repair' | 'rebuild';
  /** Limits the pass to one user. */
  userId?: string;
  /** Stops the pass before the next user. */
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}

/** Differences that a report shows. */
const MAX_SHOWN = 100;

/** Goes through all users (or one), user by user, so that neither memory nor locks grow with their number. */
export async function passOverRollups(pool: Pool, options: RollupOptions): Promise<RollupReport> {
  const { capabilities, since, mode, userId, signal, onProgress } = options;
  const { continuousAggregates } = capabilities;
  const users = await usersToCheck(pool, userId);
  const report: RollupReport = { users: users.length, checked: 0, differing: 0, differences: [], rebuilt: 0 };
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
    if (isWanted && !continuousAggregates) await rebuildTables(pool, user, since);
    if (differences.length > 0 && mode === 'repair' && continuousAggregates) {
      for (const day of await daysToMend(pool, since, user, differences)) days.add(day.getTime());
    }
    report.checked++;
    onProgress?.(report.checked, users.length);
  }
  // Continuous aggregates know no users: the days are computed anew for everybody, each once.
  if (continuousAggregates && report.rebuilt > 0) {
    const stale = [...days].map((day) => new Date(day));
    await markStale(pool, mode === 'rebuild' ? await daysToRebuild(pool, since, userId) : stale);
    // After the days: as long as one of them is stale nobody takes this note (src/energy/group/progress.ts).
    await noteAllDays(pool, wanted);
    await settleRollups(pool, new Date());
  }
  return report;
}

/** Days of the load profile (all of it hours, where aggregates are continuous), and those that aggregates have and the load profile no longer knows of. */
async function daysToRebuild(pool: Pool, since: Date, userId: string | undefined): Promise<Date[]> {
  // Raw SQL: relations are named at run time, out of src/rollups/levels.ts.
  const { rows } = await pool.query(
    `SELECT date_trunc('day', starts_at, 'UTC') AS day FROM device_hours
     WHERE starts_at >= $1 AND ($2::text IS NULL OR split_part(user_id, '/', 1) = $2)
     UNION SELECT day FROM closed_user_daily WHERE day >= $1 AND ($2::text IS NULL OR split_part(user_id, '/', 1) = $2)`,
    [since, userId ?? null],
  );
  return rows.map(({ day }) => day);
}

/** The days of one user that differ; all of them, where there are more than are told of. */
async function daysToMend(
  pool: Pool,
  since: Date,
  userId: string,
  differences: readonly Difference[],
): Promise<Date[]> {
  const byRelation = Map.groupBy(differences, ({ relation }) => relation);
  const isCut = [...byRelation.values()].some(({ length }) => length >= MAX_DIFFERENCES);
  return isCut ? daysToRebuild(pool, since, userId) : daysOf(differences);
}

/** The days that differences lie in. A month that differs does so by its hours, which are among them. */
function daysOf(differences: readonly Difference[]): Date[] {
  const times = differences.flatMap(({ key }) => key.day ?? key.hour ?? []);
  return [...new Set(times.map((time) => Math.floor(Date.parse(time) / DAY_MS)))].map((day) => new Date(day * DAY_MS));
}

/**
 * What differs for one user. Continuous aggregates follow corrections of the past with a delay: what differs there is
 * looked at again after everything that waits is in, with the refresh held.
 */
async function differencesOf(
  pool: Pool,
  { continuousAggregates }: Capabilities,
  userId: string,
  since: Date,
): Promise<Difference[]> {
  const differences = await checkUser(pool, userId, since);
  if (differences.length === 0 || !continuousAggregates) return differences;
  await settleRollups(pool, new Date());
  return withRefreshHeld(pool, (client) => checkUser(client, userId, since));
}
