import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { updateWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createTestDeliveries, type TestDeliveries } from './deliveries.ts';
import { listDeliveryResponses } from './delivery-log.ts';
import { startWebhookReceiver, type WebhookReceiver } from './receiver.ts';

/** A subscription of an account to `user.created`, whose deliveries go to `receiver`. */
export let receiver: WebhookReceiver;
export let deliveries: TestDeliveries;
export let userId: string;
export let webhookId: string;
export const WEBHOOK_SIGNING_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Registers hooks that start and stop the receiver, and create a new database with the subscription before each test. */
export function setUpWebhookDeliveries(): void {
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver.close());
  beforeEach(async () => {
    receiver.calls = [];
    receiver.answer = () => ({ status: 200 });
    deliveries = await createTestDeliveries({ ca: receiver.ca, timeoutMs: 1_500 });
    userId = await deliveries.user('anna@example.com');
    webhookId = await deliveries.subscribe(userId, receiver.url, WEBHOOK_SIGNING_SECRET);
  });
  afterEach(() => deliveries.close());
}

export const listDeliveryLog = () => listDeliveryResponses(deliveries.db, ALL_ACCOUNTS, webhookId, { limit: 200 });
/** Returns the ids of the received events, in the order of their arrival. */
export const listReceivedIds = () => receiver.calls.map(({ body }) => JSON.parse(body).id);
export const changeWebhook = (patch: Parameters<typeof updateWebhook>[4]) =>
  updateWebhook(deliveries.db, deliveries.box, ALL_ACCOUNTS, webhookId, patch, deliveries.now);
export const readWebhookStatus = async () =>
  (await deliveries.database.pool.query('SELECT status FROM webhooks WHERE webhook_id = $1', [webhookId])).rows[0]
    .status;
