import { afterEach, beforeEach, expect, test } from 'vitest';
import { createQueryFunctionOnConnection } from '#src/database/connect.ts';
import { publishUsageUpdates, queueChangedHours } from '#src/delivery/usage-updated.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { addEvents } from '#src/events/outbox.ts';
import { createTestDeliveries, type TestDeliveries } from '#test/support/deliveries.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/receiver.ts';

/** Steps of a worker's clock in seconds: some minutes, two hours, and 14 months. */
const STEPS = [-180, -7_200, -430 * 86_400, 7_200, 430 * 86_400];

let receiver: WebhookReceiver;
let deliveries: TestDeliveries;
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  deliveries = await createTestDeliveries({ ca: receiver.ca });
});
afterEach(async () => {
  await deliveries.close();
  await receiver.close();
});

test.each(STEPS)('a delivery that waits for its retry is sent once after a step of %d s', async (step) => {
  const userId = await deliveries.user('somebody@example.com');
  await deliveries.subscribe(userId, receiver.url);
  receiver.answer = () => ({ status: 500 });
  await deliveries.happen(userId);
  await deliveries.run();
  receiver.answer = () => ({ status: 200 });
  const before = receiver.calls.length;
  deliveries.later(step + 1);
  await deliveries.happen(userId);
  await deliveries.run();
  // If a forward step is shorter than the delay of the retry, the retry is sent at its planned time.
  expect(receiver.calls.length).toBe(before + 2);
});

test.each(STEPS)('a running delivery is not sent twice by a step of %d s', async (step) => {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let sent = 0;
  const email = () => ({
    async send() {
      sent++;
      await ended;
      return { succeeded: true, responseStatus: null, error: null };
    },
  });
  const slow = await createTestDeliveries({ email });
  const userId = await slow.user('somebody@example.com');
  const notice = { type: 'home.recounted' as const, userId, data: { user_id: userId }, channel: 'email' as const };
  await addEvents(createQueryFunctionOnConnection(slow.database.pool), [notice], slow.now);
  expect(await slow.dispatcher.pass()).toBe(1);
  slow.later(step);
  expect(await slow.dispatcher.pass()).toBe(0);
  end();
  await slow.run();
  expect(sent).toBe(1);
  await slow.close();
});

test.each(STEPS)('usage.updated is sent after a step of %d s', async (step) => {
  const userId = await deliveries.user('somebody@example.com');
  const options = { events: ['usage.updated'] as const, url: receiver.url, authToken: 'a secret token' };
  await createWebhook(deliveries.db, deliveries.box, userId, options);
  const query = createQueryFunctionOnConnection(deliveries.database.pool);
  const publish = async () => {
    await queueChangedHours(query, [{ user_id: userId, hour: new Date('2026-06-15T10:00:00Z') }]);
    return publishUsageUpdates(deliveries.database.pool, deliveries.now);
  };
  expect(await publish()).toBe(1);
  expect(await publish()).toBe(0);
  deliveries.later(step);
  expect(await publish()).toBe(1);
});
