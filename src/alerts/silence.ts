import { createQueryFunctionOnConnection, type Pool } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { fireAlerts } from './fire.ts';

/** Maximum number of silences that one transaction processes. */
const MOST = 1_000;

/**
 * Fires the no_data alerts of devices that have been silent for longer than the alert's threshold. Each silence fires an alert
 * once. A device that has never sent a message has no silence. Returns the number of new firings.
 */
export async function fireSilenceAlerts(pool: Pool, now: Date): Promise<number> {
  return runInTransaction(pool, async (client) => {
    const query = createQueryFunctionOnConnection(client);
    const { rows } = await query<{
      alert_id: string;
      threshold_hours: number;
      device_id: string;
      last_seen_at: Date;
    }>(
      // Raw SQL: times are truncated to milliseconds before they are compared, because a JavaScript Date has no microseconds.
      `SELECT a.alert_id, a.threshold_hours, d.device_id, d.last_seen_at
       FROM alerts a
       JOIN (SELECT device_id, v.user_id, deleted_at, date_trunc('milliseconds', seen_at) AS last_seen_at
         FROM devices v JOIN device_heads USING (device_id)) d USING (user_id)
       WHERE a.type = 'no_data' AND a.status = 'active' AND d.deleted_at IS NULL
         AND d.last_seen_at < $1::timestamptz - make_interval(hours => a.threshold_hours)
         -- After a restore, alerts that fell due before the start wait until an operator releases them.
         AND d.last_seen_at + make_interval(hours => a.threshold_hours) >= coalesce((SELECT held_before FROM installation), '-infinity')
         AND NOT EXISTS (SELECT FROM alert_firings f
           WHERE f.alert_id = a.alert_id AND f.period_start = d.last_seen_at AND f.device_id = d.device_id)
       LIMIT $2`,
      [now, MOST],
    );
    const firings = rows.map((row) => ({
      alertId: row.alert_id,
      periodStart: row.last_seen_at,
      periodEnd: null,
      reason: { of: 'silence' as const, thresholdHours: row.threshold_hours, deviceId: row.device_id },
    }));
    return fireAlerts(query, firings, now);
  });
}
