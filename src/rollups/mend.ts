import type { Capabilities } from '#src/database/capabilities.ts';
import type { Pool } from '#src/database/connect.ts';
import { checkUser, type Difference, usersToCheck } from './check.ts';
import { rebuildUser } from './rebuild.ts';
import { settleRollups } from './refresh.ts';

/** What a pass over all users did. */
export interface RollupReport {
  users: number;
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
  onProgress?: (done: number, total: number) => void;
}

/** Goes through all users (or one), user by user, so that neither memory nor locks grow with their number. */
export async function passOverRollups(pool: Pool, options: RollupOptions): Promise<RollupReport> {
  const { capabilities, since, mode, userId, onProgress } = options;
  const users = userId === undefined ? await usersToCheck(pool) : [userId];
  const report: RollupReport = { users: users.length, differences: [], rebuilt: 0 };
  for (const [index, user] of users.entries()) {
    const differences = mode === 'rebuild' ? [] : await differencesOf(pool, capabilities, user, since);
    report.differences.push(...differences);
    if (mode === 'rebuild' || (mode === 'repair' && differences.length > 0)) {
      await rebuildUser(pool, capabilities, user, since);
      report.rebuilt++;
    }
    onProgress?.(index + 1, users.length);
  }
  return report;
}

/**
 * What differs for one user. Continuous aggregates follow corrections of the past with a delay: what differs there is
 * looked at again after everything that waits is in.
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
  return checkUser(pool, userId, since);
}
