import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/** Returns for each account the time at which any of its devices last sent a reading. Omits accounts whose devices never sent one. */
export async function findNewestReadingTimes(
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

/** Returns for each account the time of its latest reading, and a version that changes with each write of its readings or devices. */
export async function findLatestReadingVersions(
  db: Database,
  userIds: string[],
): Promise<{ user_id: string; newest: Date; mark: string }[]> {
  // Raw SQL: adds up version numbers, and returns the sum as text.
  const { rows } = await sql<{ user_id: string; newest: Date; mark: string }>`
    SELECT user_id, max(seen_at) AS newest, sum(version)::text AS mark FROM device_heads
    WHERE user_id = ANY (${userIds}::text[]) AND seen_at IS NOT NULL GROUP BY 1`.execute(db);
  return rows;
}
