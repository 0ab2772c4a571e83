import { DEFAULT_SHARDS } from '#src/config/load.ts';
import type { Pool } from '#src/database/connect.ts';

/**
 * How many shards this installation has: what was wanted at its first start at a cluster, for good, since it decides which queue a device's
 * messages wait in. Throws, with what to do, where another number is wanted now.
 */
export async function shardCount(pool: Pool, wanted: number | undefined): Promise<number> {
  // Raw SQL: the first of several workers decides, in one statement.
  const { rows } = await pool.query('UPDATE installation SET shards = coalesce(shards, $1) RETURNING shards', [
    wanted ?? DEFAULT_SHARDS,
  ]);
  const { shards } = rows[0];
  if (wanted !== undefined && wanted !== shards) {
    throw new Error(
      `SHARDS is ${wanted}, and this installation began with ${shards}: a device's messages would go to another queue while its ` +
        `earlier ones still wait. Set SHARDS to ${shards}, or leave it out.`,
    );
  }
  return shards;
}
