import type { Pool, PoolClient } from './connect.ts';

/**
 * Makes room for readings and load profile over `[from, to]` where the database does not do so by itself: monthly
 * partitions (`readings_2026_11`). Returns the names of those that it made.
 */
export async function ensurePartitions(db: Pool | PoolClient, range: { from: Date; to: Date }): Promise<string[]> {
  // Raw SQL: a function of the schema, which each tier has in its own way.
  const { rows } = await db.query('SELECT make_room($1, $2) AS made', [range.from, range.to]);
  return rows[0].made;
}
