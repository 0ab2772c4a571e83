import type { Pool } from '#src/database/connect.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { columnsOf, expectedOf, STORED_LEVELS } from './levels.ts';

/**
 * Computes one user's aggregates anew from the load profile, from `since` (a start of a month) on, where they are tables; in
 * one transaction. Holds the user's devices locked, as writers do, so that nothing is written in between: readings that
 * arrive meanwhile wait, unacknowledged, for the moment that it takes.
 */
export async function rebuildTables(pool: Pool, userId: string, since: Date): Promise<void> {
  await inTransaction(pool, async (client) => {
    // Raw SQL: relations are named at run time, out of src/rollups/levels.ts.
    await client.query('SELECT FROM devices WHERE user_id = $1 ORDER BY device_id FOR NO KEY UPDATE', [userId]);
    for (const level of STORED_LEVELS) {
      const { relation, time } = level;
      const columns = columnsOf(level).join(', ');
      await client.query(`DELETE FROM ${relation} WHERE user_id = $1 AND ${time} >= $2`, [userId, since]);
      await client.query(
        `INSERT INTO ${relation} (${columns}) SELECT ${columns} FROM ${expectedOf(level)}
         WHERE user_id = $1 AND ${time} >= $2`,
        [userId, since],
      );
    }
  });
}
