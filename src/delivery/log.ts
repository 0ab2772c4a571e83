import type { Selectable } from 'kysely';
import type { Environment } from '#src/core/environment.ts';
import { createId } from '#src/core/ids.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addEvents } from '#src/events/outbox.ts';
import { isDeliveryHeld } from './hold.ts';
import {
  createWebhookBody,
  FIXED_WEBHOOK_HEADERS,
  parseTestReceiverHeaders,
  TEST_RECEIVER_HOST,
} from './webhook/send.ts';
import { findWebhook } from './webhook/subscriptions.ts';

export interface Delivery {
  delivery_id: string;
  event_id: string;
  event: string;
  status: Selectable<Tables['deliveries']>['status'];
  attempts: Attempt[];
  /** Time of the next attempt. Null if the delivery is finished, is held back after a restore, or belongs to a paused subscription. */
  next_attempt_at: Date | null;
}

/** An attempt, as stored in JSON. */
interface Attempt {
  at: string;
  response_status: number | null;
  duration_ms: number;
  error: string | null;
  /** First bytes of the receiver's response. */
  response_body: string | null;
}

/** Builds a query for deliveries to a webhook subscription that the caller can access, without Green Button notices to apps. */
function deliveriesWithin(db: Database, reach: AccessibleAccounts, webhookId: string) {
  return db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.event_id', 'deliveries.event_id')
    .innerJoin('webhooks', 'webhooks.webhook_id', 'deliveries.webhook_id')
    .select([
      'deliveries.delivery_id',
      'deliveries.event_id',
      'events.type as event',
      'deliveries.status',
      'deliveries.attempts',
      'deliveries.next_attempt_at',
      'webhooks.status as webhook_status',
    ])
    .where('deliveries.webhook_id', '=', webhookId)
    .where('webhooks.is_notice', '=', false)
    .where(isAccountAccessibleSql(reach, 'webhooks.user_id'));
}

/** Whether the subscription exists and the caller can access it. */
export const canAccessWebhook = async (db: Database, reach: AccessibleAccounts, webhookId: string): Promise<boolean> =>
  (await findWebhook(db, reach, webhookId)) !== null;

/** Lists at most `limit` deliveries of a subscription before `cursor`, newest first. */
export async function listDeliveries(
  db: Database,
  reach: AccessibleAccounts,
  webhookId: string,
  page: { limit: number; cursor?: string },
): Promise<Delivery[]> {
  const { cursor, limit } = page;
  const all = deliveriesWithin(db, reach, webhookId);
  const rows = await (cursor === undefined ? all : all.where('deliveries.delivery_id', '<', cursor))
    .orderBy('deliveries.delivery_id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(asDelivery);
}

/** Makes a delivery due at once, with the full number of retries. Returns null if the caller can access no such delivery. */
export async function retryDelivery(
  db: Database,
  reach: AccessibleAccounts,
  webhookId: string,
  deliveryId: string,
  now: Date,
): Promise<Delivery | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const known = await deliveriesWithin(trx, reach, webhookId)
      .where('deliveries.delivery_id', '=', deliveryId)
      .executeTakeFirst();
    if (!known) return null;
    await trx
      .updateTable('deliveries')
      .set({ status: 'pending', tries: 0, next_attempt_at: now })
      .where('delivery_id', '=', deliveryId)
      .execute();
    return asDelivery({ ...known, status: 'pending', next_attempt_at: now });
  });
}

/** Queues a `webhook.test` event for a subscription. Returns null if the caller can access no such subscription. */
export async function queueTestEvent(
  db: Database,
  reach: AccessibleAccounts,
  webhookId: string,
  now: Date,
): Promise<Delivery | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const webhook = await findWebhook(trx, reach, webhookId);
    if (!webhook) return null;
    const eventId = createId('evt');
    const data = { webhook_id: webhookId };
    const event = { eventId, type: 'webhook.test' as const, userId: webhook.user_id, data, webhookId };
    await addEvents(createQueryFunction(trx), [event], now);
    const row = await deliveriesWithin(trx, reach, webhookId)
      .where('deliveries.event_id', '=', eventId)
      .executeTakeFirstOrThrow();
    return asDelivery(row);
  });
}

/** Converts a row of `deliveriesWithin` to a delivery. */
function asDelivery(
  row: Omit<Delivery, 'attempts'> & { attempts: unknown; webhook_status: Selectable<Tables['webhooks']>['status'] },
): Delivery {
  const { delivery_id, event_id, event, status } = row;
  const isToCome = status === 'pending' && row.webhook_status === 'active' && !isDeliveryHeld(row.next_attempt_at);
  // Earlier versions stored no `response_body`.
  const attempts = (row.attempts as Attempt[]).map((one) => ({
    ...one,
    response_body: one.response_body ?? null,
  }));
  return { delivery_id, event_id, event, status, attempts, next_attempt_at: isToCome ? row.next_attempt_at : null };
}

/** A delivery with its request and response. Signatures are included only for the test receiver. */
export interface SentDelivery extends Delivery {
  request: {
    /** Current URL of the subscription. The next attempt would be sent to this URL. */
    url: string;
    headers: typeof FIXED_WEBHOOK_HEADERS & { 'webhook-id': string } & Record<string, string>;
    /** Exact bytes of the request body, as text. */
    body: string;
  };
}

/** Finds a delivery to a subscription that the caller can access; null if there is none. */
export async function findSentDelivery(
  db: Database,
  reach: AccessibleAccounts,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
  environment: Environment,
): Promise<SentDelivery | null> {
  const row = await deliveriesWithin(db, reach, webhookId)
    .select(['events.created_at', 'events.data', 'webhooks.url'])
    .where('deliveries.delivery_id', '=', deliveryId)
    .executeTakeFirst();
  if (!row) return null;
  const { event_id: id, event: type, created_at: createdAt, url } = row;
  const body = createWebhookBody({ id, type, createdAt, data: row.data as Record<string, unknown> }, environment);
  const delivery = asDelivery(row);
  const isCaught = new URL(url).hostname === TEST_RECEIVER_HOST;
  const caught = isCaught ? parseTestReceiverHeaders(delivery.attempts.at(-1)?.response_body ?? null) : {};
  return { ...delivery, request: { url, headers: { ...caught, ...FIXED_WEBHOOK_HEADERS, 'webhook-id': id }, body } };
}
