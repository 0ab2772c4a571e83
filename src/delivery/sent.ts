import type { Environment } from '#src/core/environment.ts';
import type { Database } from '#src/database/connect.ts';
import type { Reach } from '#src/database/reach.ts';
import { asDelivery, type Delivery, deliveriesWithin } from './log.ts';
import { CATCHER_HOST, caughtHeaders } from './webhook/catcher.ts';
import { envelope, PLAIN_HEADERS } from './webhook/envelope.ts';

/** A delivery with what is sent and what came back. No signature, since only its receiver can check one; but of what was caught. */
export interface SentDelivery extends Delivery {
  request: {
    /** Where the next try would go: the subscription's address of now. */
    url: string;
    headers: typeof PLAIN_HEADERS & { 'webhook-id': string } & Record<string, string>;
    /** The very bytes, as text. */
    body: string;
  };
}

/** One delivery to a subscription within the reach; null where there is none. */
export async function findSent(
  db: Database,
  reach: Reach,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
  environment: Environment,
): Promise<SentDelivery | null> {
  const row = await deliveriesWithin(db, reach, webhookId)
    .select(['events.created_at', 'events.data', 'webhooks.url'])
    .where('deliveries.delivery_id', '=', deliveryId)
    .executeTakeFirst();
  if (!row) return null;
  const { event_id: id, event: type, created_at: createdAt, url } = row;
  const body = envelope({ id, type, createdAt, data: row.data as Record<string, unknown> }, environment);
  const delivery = asDelivery(row);
  const isCaught = new URL(url).hostname === CATCHER_HOST;
  const caught = isCaught ? caughtHeaders(delivery.attempts.at(-1)?.response_body ?? null) : {};
  return { ...delivery, request: { url, headers: { ...caught, ...PLAIN_HEADERS, 'webhook-id': id }, body } };
}
