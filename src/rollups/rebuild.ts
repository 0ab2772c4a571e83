import type { Pool } from '#src/database/connect.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { columnsOf, expectedOf, STORED_LEVELS, storedOf } from './levels.ts';

/** Notes that any day of some users may have changed without a write: sums of groups that they are in hold no longer. */
export async function noteAllDays(client: Pick<Pool, 'query'>, userIds: readonly string[]): Promise<void> {
  await client.query(
    `INSERT INTO changed_home_days (user_id, day)
     SELECT DISTINCT split_part(u, '/', 1), '-infinity'::timestamptz FROM unnest($1::text[]) u, group_sums_progress WHERE noted_before > '-infinity'`,
    [userIds],
  );
}

/**
 * Computes the aggregates of one user (or of what is told apart of its devices: `meterKey`) anew from the load profile, from `since` (a start of a month) on, where they are tables; in
 * one transaction. Holds the heads of the user's devices locked, as writers do, so that nothing is written in between: readings that
 * arrive meanwhile wait, unacknowledged, for the moment that it takes.
 */
export async function rebuildTables(pool: Pool, userId: string, since: Date): Promise<void> {
  await inTransaction(pool, async (client) => {
    // Raw SQL: relations are named at run time, out of src/rollups/levels.ts.
    await client.query(
      `SELECT FROM device_heads WHERE user_id = split_part($1, '/', 1) ORDER BY device_id FOR NO KEY UPDATE`,
      [userId],
    );
    await noteAllDays(client, [userId]);
    for (const level of STORED_LEVELS) {
      const { time } = level;
      const stored = storedOf(level);
      const columns = columnsOf(level).join(', ');
      await client.query(`DELETE FROM ${stored} WHERE user_id = $1 AND ${time} >= $2`, [userId, since]);
      await client.query(
        `INSERT INTO ${stored} (${columns}) SELECT ${columns} FROM ${expectedOf(level)}
         WHERE user_id = $1 AND ${time} >= $2`,
        [userId, since],
      );
    }
  });
}
