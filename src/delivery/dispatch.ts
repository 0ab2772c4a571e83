import type { Clock } from '#src/core/clock.ts';
import type { Logger } from '#src/core/log.ts';
import { createQueryFunctionOnConnection, type Pool, type PoolClient } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { addEvents } from '#src/events/outbox.ts';
import {
  type DeliveryAttempt,
  type DeliveryChannel,
  type DeliveryOutcome,
  EXPIRED_LEASE_OUTCOME,
  isLeaseExpired,
} from './channel.ts';
import { leaseDueDeliveries } from './take.ts';

/** Maximum number of attempts that this process makes at the same time, to all targets together. */
const AT_ONCE = 512;

export type Dispatcher = ReturnType<typeof createDispatcher>;

/** Creates a dispatcher. It sends each due delivery through the delivery's channel: `webhook`, `email` or `sms`. */
export function createDispatcher(options: {
  pool: Pool;
  channels: { webhook: DeliveryChannel; email: DeliveryChannel; sms: DeliveryChannel };
  clock: Clock;
  /** Clock that measures how long the deliveries of a subscription have failed. Default: `clock`. */
  ageClock?: Clock;
  log: Logger;
  /** Called after each attempt, to count attempts by channel and result. */
  onTried?: (channel: string, result: 'succeeded' | 'failed') => void;
  /** Called after an attempt has ended, because another delivery to the same target may now start. */
  onDone?: () => void;
  random?: () => number;
}) {
  const { pool, channels, clock, ageClock = clock, log, onTried, onDone, random = Math.random } = options;
  const sendings = new Map<string, Promise<void>>();

  async function tryOnce(sending: DeliveryAttempt): Promise<void> {
    const { target, deliveryId } = sending;
    const kind = target === 'email' || target === 'sms' ? target : 'webhook';
    const [startedAt, from] = [clock(), performance.now()];
    const send = async () =>
      isLeaseExpired(sending, startedAt) ? EXPIRED_LEASE_OUTCOME : await channels[kind].send(sending);
    const outcome: DeliveryOutcome = await send().catch((error: Error) => {
      log.error({ err: error, delivery: deliveryId }, 'delivery failed unexpectedly');
      return { succeeded: false, responseStatus: null, error: 'internal error' };
    });
    onTried?.(kind, outcome.succeeded ? 'succeeded' : 'failed');
    const durationMs = performance.now() - from;
    const at = { startedAt, now: clock(), ageNow: ageClock(), durationMs, random: random() };
    // If the outcome cannot be stored, the delivery is attempted again when the lease (reservation) has ended. A duplicate message is
    // better than a lost one.
    await recordDeliveryAttempt(pool, sending, outcome, at).catch((error: Error) =>
      log.warn({ err: error, delivery: deliveryId }, 'result of a delivery not recorded'),
    );
  }

  function begin(sending: DeliveryAttempt): void {
    const done = tryOnce(sending).finally(() => {
      sendings.delete(sending.deliveryId);
      onDone?.();
    });
    sendings.set(sending.deliveryId, done);
  }

  return {
    /** Takes due deliveries and starts an attempt for each. Returns the number of deliveries taken. */
    async pass(): Promise<number> {
      const room = AT_ONCE - sendings.size;
      if (room <= 0) return 0;
      const due = await leaseDueDeliveries(pool, room, clock(), [...sendings.keys()]);
      for (const sending of due) begin(sending);
      return due.length;
    },
    async settle(): Promise<void> {
      await Promise.all(sendings.values());
    },
    /** Returns the number of attempts in progress. */
    underWay: (): number => sendings.size,
  };
}

/**
 * A subscription is paused if its deliveries have failed for `MAX_FAILING_SECONDS` without a success, or if `MAX_FAILED_IN_A_ROW`
 * consecutive deliveries were given up.
 */
const MAX_FAILING_SECONDS = 24 * 3_600;
const MAX_FAILED_IN_A_ROW = 20;

/**
 * Records the outcome of an attempt (delivered, to be retried, or given up), and updates the subscription. Does nothing if another worker
 * has taken the delivery.
 */
export async function recordDeliveryAttempt(
  pool: Pool,
  { deliveryId, target, leasedUntil }: DeliveryAttempt,
  { succeeded, responseStatus, error, responseBody }: DeliveryOutcome,
  at: { startedAt: Date; now: Date; ageNow: Date; durationMs: number; random: number },
): Promise<void> {
  const attempt = {
    at: at.startedAt.toISOString(),
    response_status: responseStatus,
    duration_ms: Math.round(at.durationMs),
    error,
    response_body: responseBody ?? null,
  };
  await runInTransaction(pool, async (client) => {
    // Raw SQL in this function: it locks rows and appends attempts to JSON. The subscription is locked before its delivery, as in updates
    // of a subscription, to avoid deadlocks.
    if (succeeded) await noteSuccess(client, target);
    else await client.query('SELECT FROM webhooks WHERE webhook_id = $1 FOR NO KEY UPDATE', [target]);
    const { rows } = await client.query(
      'SELECT tries FROM deliveries WHERE delivery_id = $1 AND leased_until = $2 FOR UPDATE',
      [deliveryId, leasedUntil],
    );
    // If there is no row, the delivery was deleted, or another worker has taken it.
    if (rows.length === 0) return;
    const tries = rows[0].tries + 1;
    const next = succeeded ? null : computeNextAttemptAt(tries, at.now, at.random);
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
  { startedAt, now, ageNow }: { startedAt: Date; now: Date; ageNow: Date },
): Promise<void> {
  const { rows } = await client.query(
    `UPDATE webhooks SET failing_since = least(failing_since, $4), failed_in_a_row = failed_in_a_row + $3::int
     WHERE webhook_id = $1 RETURNING user_id, url, events, status, failed_in_a_row, is_notice,
       failing_since <= $2::timestamptz - make_interval(secs => ${MAX_FAILING_SECONDS}) AS for_a_day`,
    [webhookId, ageNow, isGivenUp ? 1 : 0, startedAt],
  );
  const [webhook] = rows;
  if (webhook?.status !== 'active') return;
  if (!webhook.for_a_day && webhook.failed_in_a_row < MAX_FAILED_IN_A_ROW) return;
  await client.query(`UPDATE webhooks SET status = 'paused' WHERE webhook_id = $1`, [webhookId]);
  // The home's owner is not told about paused Green Button notices, because only the app's owner can resume them.
  if (webhook.is_notice) return;
  const data = { webhook_id: webhookId, events: webhook.events, url: webhook.url, paused_at: now.toISOString() };
  const notice = { type: 'webhook.paused' as const, userId: webhook.user_id, data, channel: 'email' as const };
  await addEvents(createQueryFunctionOnConnection(client), [notice], now);
}

/** Delays in ms before the retries (specification, Events). */
const RETRY_AFTER_MS: readonly number[] = [5_000, 30_000, 2 * 60_000, 15 * 60_000, 60 * 60_000];
/** Maximum random change of a delay, as a fraction of it, so that failed deliveries are not retried together. */
const SPREAD = 0.2;

/** Returns the time of the next attempt after `failedTries` failed attempts; null if no retry is left. `random`: from 0 to 1. */
export function computeNextAttemptAt(failedTries: number, now: Date, random: number): Date | null {
  const wait = RETRY_AFTER_MS[failedTries - 1];
  if (wait === undefined) return null;
  return new Date(now.getTime() + Math.round(wait * (1 - SPREAD + 2 * SPREAD * random)));
}
