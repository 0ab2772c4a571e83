import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { WANTS } from '../store.ts';

/** From here on the silence of a device wants its owner, as in `attention`. */
const SILENT_MS = 24 * 3_600_000;

/** Condition on rows of `users`: whether some device of the account wants its owner. */
export const hasAttention = (isSo: boolean): RawBuilder<boolean> =>
  sql`${isSo ? sql`` : sql`NOT `}EXISTS (SELECT FROM devices
    WHERE devices.user_id = users.user_id AND devices.deleted_at IS NULL AND (${sql.join(Object.values(WANTS), sql` OR `)}))`;

/**
 * Condition on rows of `users` after `cursor`, in order: whether some device of the account has been silent for a day. Open silences are walked in
 * the order of their accounts beside these. Whether one still lasts is a question of its own for each, not a join: the planner would
 * join all that are silent before it takes a page of them.
 */
export const hasSilent = (isSo: boolean, { now, cursor = '' }: { now: Date; cursor?: string }): RawBuilder<boolean> =>
  sql`${isSo ? sql`` : sql`NOT `}EXISTS (SELECT FROM device_silences silent
    WHERE silent.user_id = users.user_id AND silent.user_id > ${cursor}
      AND silent.ended_at IS NULL AND silent.began_at <= ${new Date(now.getTime() - SILENT_MS)}
      AND (SELECT coalesce(h.seen_at, d.created_at) <= silent.began_at FROM devices d LEFT JOIN device_heads h USING (device_id)
        WHERE d.device_id = silent.device_id AND d.deleted_at IS NULL))`;

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
