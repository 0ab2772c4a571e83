import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { WANTS } from '../store.ts';

/** From here on the silence of a device wants its owner, as in `attention`. */
const SILENT_MS = 24 * 3_600_000;

/** Condition on rows of `users`: whether some device of the account wants its owner. */
export const hasAttention = (isSo: boolean): RawBuilder<boolean> =>
  sql`${isSo ? sql`` : sql`NOT `}EXISTS (SELECT FROM devices
    WHERE devices.user_id = users.user_id AND devices.deleted_at IS NULL AND (${sql.join(Object.values(WANTS), sql` OR `)}))`;

/** Condition on rows of `users`: whether some device of the account has been silent for a day. */
export const hasSilent = (isSo: boolean, now: Date): RawBuilder<boolean> =>
  sql`${isSo ? sql`` : sql`NOT `}EXISTS (SELECT FROM device_silences silent
    JOIN devices ON devices.device_id = silent.device_id AND devices.deleted_at IS NULL
    LEFT JOIN device_heads h ON h.device_id = silent.device_id
    WHERE silent.user_id = users.user_id AND silent.ended_at IS NULL AND silent.began_at <= ${new Date(now.getTime() - SILENT_MS)}
      AND coalesce(h.seen_at, devices.created_at) <= silent.began_at)`;

/** How many devices an account has; of these silent for a day, and faulty. */
export interface DeviceCounts {
  total: number;
  silent: number;
  faulty: number;
}

/** The devices of accounts, counted; accounts without any are left out. */
export async function countDevices(
  db: Database,
  userIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, DeviceCounts>> {
  // Raw SQL: counts of some of the rows.
  const { rows } = await sql<DeviceCounts & { user_id: string }>`
    SELECT d.user_id, count(*)::int AS total, count(*) FILTER (WHERE d.status = 'faulty')::int AS faulty,
      count(*) FILTER (WHERE coalesce(h.seen_at, d.created_at) <= ${new Date(now.getTime() - SILENT_MS)})::int AS silent
    FROM devices d LEFT JOIN device_heads h USING (device_id)
    WHERE d.user_id = ANY (${userIds}::text[]) AND d.deleted_at IS NULL GROUP BY 1`.execute(db);
  return new Map(rows.map(({ user_id, ...counts }) => [user_id, counts]));
}
