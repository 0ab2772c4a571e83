import { readBelievedTime } from '#src/database/believed-time.ts';
import { type Pool, queryOn } from '#src/database/connect.ts';
import { waiting } from '#src/database/waiting.ts';
import { checkUser } from '#src/rollups/check.ts';
import { deviceCounts } from '#src/start/metrics/device-counts.ts';
import { outbox } from '#src/start/metrics/outbox.ts';
import type { DatabaseContent } from '../facts.ts';

/** So far what waits is counted. */
const MOST = 100_000;

/** What is in the database of a service, counted. */
export async function databaseContent(pool: Pool): Promise<DatabaseContent> {
  const counts = await deviceCounts(pool);
  const { energy_delivery_overdue_seconds: overdueSeconds = 0 } = await outbox(pool);
  const { lateDifferences, staleDays, usageChanges, deliveries } = await waiting(queryOn(pool), new Date(), MOST);
  // Raw SQL: counts over two relations; `recent_rejects` has a bit for each of the last 20 messages.
  const { rows } = await pool.query<{ devices: number; heard: number; rejected: number; userId: string | null }>(
    `SELECT (SELECT count(*) FROM devices WHERE deleted_at IS NULL)::int AS devices, count(*)::int AS heard,
       coalesce(sum(bit_count(d.recent_rejects::bit(20))), 0)::int AS rejected,
       (array_agg(h.user_id ORDER BY h.seen_at DESC))[1] AS "userId"
     FROM device_heads h JOIN devices d USING (device_id)
     WHERE h.seen_at > now() - interval '24 hours' AND d.deleted_at IS NULL`,
  );
  const { devices = 0, heard = 0, rejected = 0, userId = null } = rows[0] ?? {};
  return {
    believedMs: (await readBelievedTime(pool))?.getTime() ?? null,
    devices,
    heardInDay: counts.energy_devices_heard_in_day ?? 0,
    heardInHour: counts.energy_devices_heard_in_hour ?? 0,
    faulty: counts.energy_devices_faulty ?? 0,
    lastMessages: { all: heard * 20, rejected },
    overdueSeconds,
    deliveriesWaiting: deliveries,
    usageChangesWaiting: usageChanges,
    lateDifferences,
    staleDays,
    compared: userId === null ? null : await compared(pool, userId),
  };
}

/** One account's aggregates of this month, against its load profile: what `energy rollups check` does with all of them. */
async function compared(pool: Pool, userId: string): Promise<DatabaseContent['compared']> {
  const now = new Date();
  const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const differences = await checkUser(pool, userId, since).catch(() => null);
  return differences && { userId, differing: differences.length };
}
