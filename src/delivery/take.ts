import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import type { DeliveryAttempt } from './channel.ts';

/** Duration in seconds of a worker's lease (reservation) of a delivery, by channel. It must be longer than an attempt can take. */
const LEASE_SECONDS = { email: 120, other: 15 };
/**
 * Maximum numbers of concurrent attempts of all workers: to one receiver (`target`), to all subscriptions of one owner (`owner`), and to
 * one host (`host`). Slow receivers must not block other owners. A receiver that fails, or is catching up after a pause, gets one attempt
 * at a time.
 */
const AT_ONCE = { target: 8, owner: 64, host: 128 };

/**
 * Takes due deliveries, the oldest of each target first. Owners and targets with the fewest attempts in progress come first. While the
 * lease (reservation) lasts, no other worker takes these deliveries. `underWay`: deliveries that this process is sending, which it does not
 * take again.
 */
export async function leaseDueDeliveries(
  pool: Pool,
  most: number,
  now: Date,
  underWay: readonly string[] = [],
): Promise<DeliveryAttempt[]> {
  return runInTransaction(pool, async (client) => {
    // Raw SQL on the hot path of deliveries: one recursive statement takes the deliveries and their locks. The advisory lock lets only one
    // worker at a time run it, because two workers could together exceed the maximum numbers.
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.deliveries]);
    return taken(await client.query(TAKE, [now, most, underWay]));
  });
}

/** SQL expression for the host of a subscription's URL, without its port. */
const HOST = String.raw`lower(substring(w.url FROM '^[^:]*:[/\\]*(\[[^]]*\]|[^/\\?#:]+)'))`;

/**
 * SQL condition on a delivery `d`: a worker is sending it. A lease that ends much later than now was written by a wrong clock and is not
 * valid.
 */
const IS_LEASED = `d.leased_until > $1 AND d.leased_until <= $1 + interval '${LEASE_SECONDS.email + 60} seconds'`;
/** SQL condition on a delivery `d`: it is due. It is also due if a clock that was ahead set its due time. */
const IS_DUE = `(d.next_attempt_at <= $1 OR coalesce((d.attempts->-1->>'at')::timestamptz, d.created_at) > $1 + interval '1 minute')`;

/**
 * SQL statement that takes due deliveries. Parameters: $1 the current time, $2 the maximum number of deliveries, $3 the deliveries that
 * this process is sending. For e-mail and SMS, the target (`email` or `sms`) stands for owner and host.
 */
const TAKE = `
     WITH RECURSIVE targets AS (
       -- Each target that has something pending, by one look at the index.
       (SELECT target FROM deliveries WHERE status = 'pending' ORDER BY target LIMIT 1)
       UNION ALL
       SELECT (SELECT d.target FROM deliveries d WHERE d.status = 'pending' AND d.target > t.target ORDER BY d.target LIMIT 1)
       FROM targets t WHERE t.target IS NOT NULL
     ), under_way AS MATERIALIZED (
       SELECT d.target, coalesce(w.user_id, d.target) AS owner, coalesce(${HOST}, d.target) AS host, count(*)::int AS tries
       FROM deliveries d LEFT JOIN webhooks w ON w.webhook_id = d.target
       WHERE ${IS_LEASED} GROUP BY 1, 2, 3
     ), by_owner AS (SELECT owner, sum(tries)::int AS tries FROM under_way GROUP BY owner
     ), by_host AS (SELECT host, sum(tries)::int AS tries FROM under_way GROUP BY host
     ), open AS (
       SELECT t.target, t.owner, t.host, t.at_once,
         coalesce(u.tries, 0) AS target_tries, coalesce(o.tries, 0) AS owner_tries, coalesce(h.tries, 0) AS host_tries
       FROM (
         -- One by one what fails, and what waited while it was paused: in order.
         SELECT t.target, coalesce(w.user_id, t.target) AS owner, coalesce(${HOST}, t.target) AS host,
           CASE WHEN w.failing_since IS NOT NULL OR EXISTS (
             SELECT FROM deliveries p WHERE p.status = 'pending' AND p.target = t.target AND p.place <= w.catching_up_to
           ) THEN 1 ELSE ${AT_ONCE.target} END AS at_once
         FROM targets t LEFT JOIN webhooks w ON w.webhook_id = t.target
         WHERE t.target IS NOT NULL AND w.status IS DISTINCT FROM 'paused'
       ) t LEFT JOIN under_way u USING (target) LEFT JOIN by_owner o ON o.owner = t.owner LEFT JOIN by_host h ON h.host = t.host
     ), due AS (
       SELECT d.delivery_id, o.host, o.host_tries,
         o.owner_tries + row_number() OVER (PARTITION BY o.owner ORDER BY o.target_tries + d.turn, random()) AS owner_turn
       FROM open o
       CROSS JOIN LATERAL (
         SELECT delivery_id, row_number() OVER (ORDER BY d.place) AS turn FROM deliveries d
         WHERE d.status = 'pending' AND d.target = o.target AND ${IS_DUE} AND (d.leased_until IS NULL OR NOT (${IS_LEASED}))
           AND d.delivery_id <> ALL ($3::text[])
         ORDER BY d.place LIMIT greatest(0, least(
           o.at_once - o.target_tries, ${AT_ONCE.owner} - o.owner_tries, ${AT_ONCE.host} - o.host_tries))) d
     ), fair AS (
       SELECT delivery_id, owner_turn,
         host_tries + row_number() OVER (PARTITION BY host ORDER BY owner_turn, random()) AS host_turn
       FROM due WHERE owner_turn <= ${AT_ONCE.owner}
     ), chosen AS (
       SELECT delivery_id FROM fair WHERE host_turn <= ${AT_ONCE.host} ORDER BY owner_turn, random() LIMIT $2
     ), locked AS (
       -- What somebody else is changing now waits for the next turn, and so does what comes after it.
       SELECT d.delivery_id FROM deliveries d JOIN chosen USING (delivery_id)
       WHERE d.status = 'pending' AND ${IS_DUE} ORDER BY d.place FOR UPDATE OF d SKIP LOCKED
     ), taken AS (
       UPDATE deliveries d SET leased_until =
         $1 + make_interval(secs => CASE d.target WHEN 'email' THEN ${LEASE_SECONDS.email} ELSE ${LEASE_SECONDS.other} END)
       FROM locked WHERE d.delivery_id = locked.delivery_id
       RETURNING d.delivery_id, d.target, d.leased_until, d.event_id, d.place)
     SELECT t.delivery_id, t.target, t.leased_until, e.event_id, e.type, e.created_at, e.user_id, e.data
     FROM taken t JOIN events e USING (event_id) ORDER BY t.place`;

interface Taken {
  delivery_id: string;
  target: string;
  leased_until: Date;
  event_id: string;
  type: string;
  created_at: Date;
  user_id: string;
  data: Record<string, unknown>;
}

const taken = ({ rows }: { rows: Taken[] }): DeliveryAttempt[] =>
  rows.map((row) => ({
    deliveryId: row.delivery_id,
    target: row.target,
    leasedUntil: row.leased_until,
    event: { id: row.event_id, type: row.type, createdAt: row.created_at, userId: row.user_id, data: row.data },
  }));
