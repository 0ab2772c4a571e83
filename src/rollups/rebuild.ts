import type { Pool } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { getClosedHoursRelation, getExpectedValuesRelation, listLevelColumns, STORED_ROLLUP_LEVELS } from './levels.ts';

/**
 * Records that all days of some users may have changed although ingest has written nothing. The stored sums of groups that contain these
 * users then become invalid.
 */
export async function recordAllDaysChanged(client: Pick<Pool, 'query'>, userIds: readonly string[]): Promise<void> {
  await client.query(
    `INSERT INTO changed_home_days (user_id, day)
     SELECT DISTINCT split_part(u, '/', 1), '-infinity'::timestamptz FROM unnest($1::text[]) u, group_sums_progress WHERE noted_before > '-infinity'`,
    [userIds],
  );
}

/**
 * Recomputes the aggregates of one user (or of a separately aggregated quantity of the user's devices: `getSeparateQuantityKey`) from the
 * load profile, from `since` (a start of a month) on. Used if aggregates are tables, not continuous aggregates. Runs in one transaction.
 * Like a writer, it locks the heads (states) of the user's devices, so that nothing is written concurrently; messages that arrive during
 * the transaction wait unacknowledged.
 */
export async function rebuildUserRollupTables(pool: Pool, userId: string, since: Date): Promise<void> {
  await runInTransaction(pool, async (client) => {
    // Raw SQL: the names of the relations come from src/rollups/levels.ts at run time.
    await client.query(
      `SELECT FROM device_heads WHERE user_id = split_part($1, '/', 1) ORDER BY device_id FOR NO KEY UPDATE`,
      [userId],
    );
    await recordAllDaysChanged(client, [userId]);
    for (const level of STORED_ROLLUP_LEVELS) {
      const { time } = level;
      const stored = getClosedHoursRelation(level);
      const columns = listLevelColumns(level).join(', ');
      await client.query(`DELETE FROM ${stored} WHERE user_id = $1 AND ${time} >= $2`, [userId, since]);
      await client.query(
        `INSERT INTO ${stored} (${columns}) SELECT ${columns} FROM ${getExpectedValuesRelation(level)}
         WHERE user_id = $1 AND ${time} >= $2`,
        [userId, since],
      );
    }
  });
}
