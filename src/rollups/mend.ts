import type { Pool } from '#src/database/connect.ts';
import { checkUser, type Difference, usersToCheck } from './check.ts';
import { rebuildUser } from './rebuild.ts';

/** What a pass over all users did. */
export interface RollupReport {
  users: number;
  differences: Difference[];
  /** Users whose aggregates were computed anew. */
  rebuilt: number;
}

export interface RollupOptions {
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
  const { since, mode, userId, onProgress } = options;
  const users = userId === undefined ? await usersToCheck(pool) : [userId];
  const report: RollupReport = { users: users.length, differences: [], rebuilt: 0 };
  for (const [index, user] of users.entries()) {
    const differences = mode === 'rebuild' ? [] : await checkUser(pool, user, since);
    report.differences.push(...differences);
    if (mode === 'rebuild' || (mode === 'repair' && differences.length > 0)) {
      await rebuildUser(pool, user, since);
      report.rebuilt++;
    }
    onProgress?.(index + 1, users.length);
  }
  return report;
}
