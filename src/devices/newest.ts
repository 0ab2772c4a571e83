import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/** When devices of these accounts were last heard of; accounts without such a device are left out. */
export async function newestReadings(db: Database, userIds: string[]): Promise<{ user_id: string; newest: Date }[]> {
  return db
    .selectFrom('devices')
    .select(({ fn }) => ['user_id', fn.max('last_seen_at').$castTo<Date>().as('newest')])
    .where('user_id', '=', sql<string>`ANY (${userIds}::text[])`)
    .where('last_seen_at', 'is not', null)
    .groupBy('user_id')
    .execute();
}

/**
 * The same with a mark that differs after every write of these accounts' readings: `last_seen_at` is kept to ten seconds
 * only, but each series' row is a new version (xmin) with each reading after its last.
 */
export async function marksOfReadings(
  db: Database,
  userIds: string[],
): Promise<{ user_id: string; newest: Date; mark: string }[]> {
  // Raw SQL: xmin, which is no column.
  const { rows } = await sql<{ user_id: string; newest: Date; mark: string }>`
    SELECT d.user_id, max(d.last_seen_at) AS newest,
      concat(max(d.last_seen_at), ' ', sum(s.xmin::text::numeric)) AS mark
    FROM devices d JOIN series s USING (device_id)
    WHERE d.user_id = ANY (${userIds}::text[]) AND d.last_seen_at IS NOT NULL GROUP BY 1`.execute(db);
  return rows;
}
