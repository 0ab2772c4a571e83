import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { type Pool, type PoolClient, queryOn } from '#src/database/connect.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { addEvents } from '#src/events/outbox.ts';
import type { Outcome, Sending } from './channel.ts';
import { nextAttemptAt } from './retry-schedule.ts';

/** How long a worker that took a delivery owns it: longer than an attempt over its channel lasts. */
const LEASE_SECONDS = { email: 120, other: 15 };
/** Most attempts under way to one target, over all workers. A target that fails or catches up gets one at a time. */
const AT_ONCE = 8;
/** A subscription is paused when no delivery has succeeded for this long, or when this many in a row were given up. */
const MAX_FAILING_SECONDS = 24 * 3_600;
const MAX_FAILED_IN_A_ROW = 20;

/**
 * Takes deliveries that are due, the oldest of each target first; of more targets than there is room for, any. Those that
 * are taken are nobody else's until the lease is over: a worker that is killed loses nothing.
 */
export async function takeDue(pool: Pool, most: number, now: Date): Promise<Sending[]> {
  return inTransaction(pool, async (client) => {
    // One worker at a time, and what it took is seen by the next: of a target that goes one by one two could take one each.
    // Raw SQL: the hot path of deliveries: one recursive statement takes them, and locks are taken in one order.
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.deliveries]);
    return taken(await client.query(TAKE, [now, most]));
  });
}

/** $1: now; $2: how many at most. */
const TAKE = `
     WITH RECURSIVE targets AS (
       -- Each target that has something pending, by one look at the index.
       (SELECT target FROM deliveries WHERE status = 'pending' ORDER BY target LIMIT 1)
       UNION ALL
       SELECT (SELECT d.target FROM deliveries d WHERE d.status = 'pending' AND d.target > t.target ORDER BY d.target LIMIT 1)
       FROM targets t WHERE t.target IS NOT NULL
     ), open AS (
       -- One by one what fails, and what waited while it was paused: in order.
       SELECT t.target, CASE WHEN w.failing_since IS NOT NULL OR EXISTS (
           SELECT FROM deliveries p WHERE p.status = 'pending' AND p.target = t.target AND p.place <= w.catching_up_to
         ) THEN 1 ELSE ${AT_ONCE} END - (
           SELECT count(*) FROM deliveries l WHERE l.target = t.target AND l.leased_until > $1) AS room
       FROM targets t
       LEFT JOIN webhooks w ON w.webhook_id = t.target
       WHERE t.target IS NOT NULL AND w.status IS DISTINCT FROM 'paused'
       ORDER BY random()
     ), due AS (
       SELECT d.delivery_id FROM open o
       CROSS JOIN LATERAL (
         SELECT delivery_id FROM deliveries d
         WHERE d.status = 'pending' AND d.target = o.target AND d.next_attempt_at <= $1
           AND (d.leased_until IS NULL OR d.leased_until <= $1)
         ORDER BY d.place LIMIT greatest(0, o.room) FOR UPDATE SKIP LOCKED) d
       LIMIT $2
     ), taken AS (
       UPDATE deliveries d SET leased_until =
         $1 + make_interval(secs => CASE d.target WHEN 'email' THEN ${LEASE_SECONDS.email} ELSE ${LEASE_SECONDS.other} END)
       FROM due WHERE d.delivery_id = due.delivery_id
       RETURNING d.delivery_id, d.target, d.event_id, d.place)
     SELECT t.delivery_id, t.target, e.event_id, e.type, e.created_at, e.user_id, e.data
     FROM taken t JOIN events e USING (event_id) ORDER BY t.place`;

interface Taken {
  delivery_id: string;
  target: string;
  event_id: string;
  type: string;
  created_at: Date;
  user_id: string;
  data: Record<string, unknown>;
}

const taken = ({ rows }: { rows: Taken[] }): Sending[] =>
  rows.map((row) => ({
    deliveryId: row.delivery_id,
    target: row.target,
    event: { id: row.event_id, type: row.type, createdAt: row.created_at, userId: row.user_id, data: row.data },
  }));

/** Records how an attempt ended (delivered, to be retried, or given up), and updates the state of its subscription. */
export async function recordAttempt(
  pool: Pool,
  { deliveryId, target }: Sending,
  { succeeded, responseStatus, error, responseBody }: Outcome,
  at: { startedAt: Date; now: Date; durationMs: number; random: number },
): Promise<void> {
  const attempt = {
    at: at.startedAt.toISOString(),
    response_status: responseStatus,
    duration_ms: Math.round(at.durationMs),
    error,
    response_body: responseBody ?? null,
  };
  await inTransaction(pool, async (client) => {
    // The subscription before its delivery, as whoever changes a subscription does.
    if (succeeded) await noteSuccess(client, target);
    else await client.query('SELECT FROM webhooks WHERE webhook_id = $1 FOR NO KEY UPDATE', [target]);
    const { rows } = await client.query('SELECT tries FROM deliveries WHERE delivery_id = $1 FOR UPDATE', [deliveryId]);
    // Erased meanwhile, with its user or its subscription.
    if (rows.length === 0) return;
    const tries = rows[0].tries + 1;
    const next = succeeded ? null : nextAttemptAt(tries, at.now, at.random);
    const status = succeeded ? 'succeeded' : next ? 'pending' : 'failed';
    await client.query(
      `UPDATE deliveries SET status = $2, tries = $3, attempts = attempts || $4::jsonb,
         next_attempt_at = coalesce($5, next_attempt_at), leased_until = NULL
       WHERE delivery_id = $1`,
      [deliveryId, status, succeeded ? rows[0].tries : tries, JSON.stringify([attempt]), next],
    );
    if (!succeeded) await noteFailure(client, target, status === 'failed', at);
  });
}

async function noteSuccess(client: PoolClient, webhookId: string): Promise<void> {
  await client.query(
    `UPDATE webhooks SET failing_since = NULL, failed_in_a_row = 0
     WHERE webhook_id = $1 AND (failing_since IS NOT NULL OR failed_in_a_row > 0)`,
    [webhookId],
  );
}

async function noteFailure(
  client: PoolClient,
  webhookId: string,
  isGivenUp: boolean,
  { startedAt, now }: { startedAt: Date; now: Date },
): Promise<void> {
  const { rows } = await client.query(
    `UPDATE webhooks SET failing_since = least(failing_since, $4), failed_in_a_row = failed_in_a_row + $3::int
     WHERE webhook_id = $1 RETURNING user_id, url, event, status, failed_in_a_row,
       failing_since <= $2::timestamptz - make_interval(secs => ${MAX_FAILING_SECONDS}) AS for_a_day`,
    [webhookId, now, isGivenUp ? 1 : 0, startedAt],
  );
  const [webhook] = rows;
  if (webhook?.status !== 'active') return;
  if (!webhook.for_a_day && webhook.failed_in_a_row < MAX_FAILED_IN_A_ROW) return;
  await client.query(`UPDATE webhooks SET status = 'paused' WHERE webhook_id = $1`, [webhookId]);
  const data = { webhook_id: webhookId, event: webhook.event, url: webhook.url, paused_at: now.toISOString() };
  const notice = { type: 'webhook.paused' as const, userId: webhook.user_id, data, channel: 'email' as const };
  await addEvents(queryOn(client), [notice], now);
}
