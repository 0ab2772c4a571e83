import type { Pool } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import {
  getClosedHoursRelation,
  getExpectedValuesRelation,
  listRollupColumns,
  STORED_ROLLUP_LEVELS,
} from './levels.ts';

/** Records that all days of some users may have changed, so that stored sums of their groups become invalid. */
export async function recordAllDaysChanged(client: Pick<Pool, 'query'>, userIds: readonly string[]): Promise<void> {
  await client.query(
    `INSERT INTO changed_home_days (user_id, day)
     SELECT DISTINCT split_part(u, '/', 1), '-infinity'::timestamptz FROM unnest($1::text[]) u, group_sums_progress WHERE noted_before > '-infinity'`,
    [userIds],
  );
}

/**
 * Recomputes the stored sums of one user, or of one of its gas, heat or water meters, from `since` (a start of a month) on. For databases
 * without continuous aggregates. Locks the user's devices, so that nothing is written at the same time.
 */
export async function rebuildUserRollupTables(pool: Pool, userId: string, since: Date): Promise<void> {
  await runInTransaction(pool, async (client) => {
    // Raw SQL: names of relations are known only at run time.
    await client.query(
      `SELECT FROM device_heads WHERE user_id = split_part($1, '/', 1) ORDER BY device_id FOR NO KEY UPDATE`,
      [userId],
    );
    await recordAllDaysChanged(client, [userId]);
    for (const level of STORED_ROLLUP_LEVELS) {
      const { time } = level;
      const stored = getClosedHoursRelation(level);
      const columns = listRollupColumns(level).join(', ');
      await client.query(`DELETE FROM ${stored} WHERE user_id = $1 AND ${time} >= $2`, [userId, since]);
      await client.query(
        `INSERT INTO ${stored} (${columns}) SELECT ${columns} FROM ${getExpectedValuesRelation(level)}
         WHERE user_id = $1 AND ${time} >= $2`,
        [userId, since],
      );
    }
  });
}
