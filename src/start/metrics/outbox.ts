import type { Pool } from '#src/database/connect.ts';

/** How long what is due waits for a worker. */
export const OUTBOX = {
  energy_delivery_overdue_seconds:
    'How long the delivery that is due longest has been due; without subscriptions that fail, catch up or are paused',
};

/** 0 where nothing is due: what waits for its next try is not late, nor what waits behind a receiver that fails. */
export async function outbox(pool: Pool): Promise<Record<string, number>> {
  // Raw SQL: the index of what is pending has all that is read.
  const { rows } = await pool.query<{ overdue: number | null }>(
    `SELECT extract(epoch FROM now() - min(d.next_attempt_at))::float8 AS overdue
     FROM deliveries d LEFT JOIN webhooks w ON w.webhook_id = d.webhook_id
     WHERE d.status = 'pending' AND d.next_attempt_at < now()
       AND (d.leased_until IS NULL OR d.leased_until < now()) AND (w.webhook_id IS NULL
         OR (w.status = 'active' AND w.failing_since IS NULL AND d.place > coalesce(w.catching_up_to, 0)))`,
  );
  return { energy_delivery_overdue_seconds: rows[0]?.overdue ?? 0 };
}
