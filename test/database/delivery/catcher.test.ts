import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { findSentDelivery } from '#src/delivery/log.ts';
import { createTestDeliveries, type TestDeliveries } from '#test/support/deliveries.ts';
import { listDeliveryResponses } from '#test/support/delivery-log.ts';

/** Deliveries with the callback rules of production, which allow only public addresses. Every name lookup fails. */
let deliveries: TestDeliveries;
const lookedUp: string[] = [];
beforeAll(async () => {
  deliveries = await createTestDeliveries({
    allowPrivate: false,
    async resolve(hostname) {
      lookedUp.push(hostname);
      throw new Error(`${hostname} is not known`);
    },
  });
});
afterAll(() => deliveries.close());

const SECRET = 'a secret of mine';

async function sentTo(url: string) {
  const userId = await deliveries.user(`${url.length}-${Math.random()}@example.com`);
  const webhookId = await deliveries.subscribe(userId, url, SECRET);
  await deliveries.happen(userId, { name: 'Zoë' });
  await deliveries.run();
  const [delivery] = await listDeliveryResponses(deliveries.db, ALL_ACCOUNTS, webhookId, { limit: 1 });
  const which = { webhookId, deliveryId: delivery?.delivery_id ?? '' };
  return { userId, which, sent: await findSentDelivery(deliveries.db, ALL_ACCOUNTS, which, 'live') };
}

test('a callback to the webhook catcher is answered without a connection, and its owner can read the signed request', async () => {
  const { which, userId, sent } = await sentTo('https://catcher.example:8443/any?thing');
  expect(lookedUp).toEqual([]);
  expect(sent).toMatchObject({ status: 'succeeded', attempts: [{ response_status: 200, error: null }] });
  const { headers, body } = sent?.request ?? { headers: {} as Record<string, string>, body: '' };
  expect(JSON.parse(body)).toMatchObject({ type: 'user.created', data: { name: 'Zoë' } });
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`);
  expect(JSON.stringify(sent)).not.toContain(SECRET);
  // An account cannot read the delivery of another account.
  const stranger = await deliveries.user('stranger@example.com');
  expect(await findSentDelivery(deliveries.db, { only: stranger }, which, 'live')).toBeNull();
  expect(userId).not.toBe(stranger);
});

test.each(['https://catcher.example.net/', 'https://a.catcher.example/', 'https://example/?catcher.example'])(
  'other addresses are called as usual: %s',
  async (url) => {
    const { sent } = await sentTo(url);
    expect(sent).toMatchObject({ status: 'pending' });
    expect(lookedUp).toContain(new URL(url).hostname);
    expect(sent?.request.headers).not.toHaveProperty('webhook-signature');
  },
);
