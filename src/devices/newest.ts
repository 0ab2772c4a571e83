import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/** When devices of these accounts were last heard of; accounts without such a device are left out. */
export async function newestReadings(db: Database, userIds: string[]): Promise<{ user_id: string; newest: Date }[]> {
  const { rows } = await sql<{ user_id: string; newest: Date }>`
    SELECT user_id, max(last_seen_at) AS newest FROM devices
    WHERE user_id = ANY (${userIds}::text[]) AND last_seen_at IS NOT NULL GROUP BY 1`.execute(db);
  return rows;
}
