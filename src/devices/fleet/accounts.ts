import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { ATTENTION_CONDITIONS } from '../store.ts';

/** Time of silence in ms after which a device needs the attention of its owner. */
const SILENT_MS = 24 * 3_600_000;

/** SQL condition on rows of `users`: a device of the account needs attention. */
export const accountNeedsAttentionSql = (isSo: boolean): RawBuilder<boolean> =>
  sql`${isSo ? sql`` : sql`NOT `}EXISTS (SELECT FROM devices
    WHERE devices.user_id = users.user_id AND devices.deleted_at IS NULL AND (${sql.join(Object.values(ATTENTION_CONDITIONS), sql` OR `)}))`;

/**
 * SQL condition on rows of `users` after `cursor`: a device of the account has been silent for a day. A subquery checks whether a silence
 * still lasts, because a join would first read all silent devices.
 */
export const accountHasSilentDeviceSql = (
  isSo: boolean,
  { now, cursor = '' }: { now: Date; cursor?: string },
): RawBuilder<boolean> =>
  sql`${isSo ? sql`` : sql`NOT `}EXISTS (SELECT FROM device_silences silent
    WHERE silent.user_id = users.user_id AND silent.user_id > ${cursor}
      AND silent.ended_at IS NULL AND silent.began_at <= ${new Date(now.getTime() - SILENT_MS)}
      AND (SELECT coalesce(h.seen_at, d.created_at) <= silent.began_at FROM devices d LEFT JOIN device_heads h USING (device_id)
        WHERE d.device_id = silent.device_id AND d.deleted_at IS NULL))`;

/** Numbers of devices of an account: all, silent for a day, and faulty. */
interface DeviceCounts {
  total: number;
  silent: number;
  faulty: number;
}

/** Counts the devices of each account. Accounts without devices are not returned. */
export async function countDevices(
  db: Database,
  userIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, DeviceCounts>> {
  // Raw SQL: counts devices with filters.
  const { rows } = await sql<DeviceCounts & { user_id: string }>`
    SELECT d.user_id, count(*)::int AS total, count(*) FILTER (WHERE d.is_faulty)::int AS faulty,
      count(*) FILTER (WHERE coalesce(h.seen_at, d.created_at) <= ${new Date(now.getTime() - SILENT_MS)})::int AS silent
    FROM devices d LEFT JOIN device_heads h USING (device_id)
    WHERE d.user_id = ANY (${userIds}::text[]) AND d.deleted_at IS NULL GROUP BY 1`.execute(db);
  return new Map(rows.map(({ user_id, ...counts }) => [user_id, counts]));
}
