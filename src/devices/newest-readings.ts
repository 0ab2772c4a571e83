import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/** Returns when any device of each account last sent a reading. Omits accounts whose devices never sent a reading. */
export async function findNewestReadings(
  db: Database,
  userIds: string[],
): Promise<{ user_id: string; newest: Date }[]> {
  return db
    .selectFrom('device_heads')
    .select(({ fn }) => ['user_id', fn.max('seen_at').$castTo<Date>().as('newest')])
    .where('user_id', '=', sql<string>`ANY (${userIds}::text[])`)
    .where('seen_at', 'is not', null)
    .groupBy('user_id')
    .execute();
}

/**
 * Returns the time of each account's latest reading with a version mark. The mark changes with every write of the account's readings and
 * with every change of its devices.
 */
export async function findLatestReadingVersions(
  db: Database,
  userIds: string[],
): Promise<{ user_id: string; newest: Date; mark: string }[]> {
  // Raw SQL: a sum of version numbers, returned as text.
  const { rows } = await sql<{ user_id: string; newest: Date; mark: string }>`
    SELECT user_id, max(seen_at) AS newest, sum(version)::text AS mark FROM device_heads
    WHERE user_id = ANY (${userIds}::text[]) AND seen_at IS NOT NULL GROUP BY 1`.execute(db);
  return rows;
}
