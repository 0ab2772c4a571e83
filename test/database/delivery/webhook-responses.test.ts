import { describe, expect, test } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { findSentDelivery } from '#src/delivery/log.ts';
import { createWebhookChannel } from '#src/delivery/webhook/send.ts';
import type { WebhookCall } from '#test/support/receiver.ts';
import {
  deliveries,
  listDeliveryLog,
  receiver,
  setUpWebhookDeliveries,
  userId,
  webhookId,
} from '#test/support/webhook-deliveries.ts';

setUpWebhookDeliveries();

describe('a receiver’s response', () => {
  const sent = async () => {
    const [delivery] = await listDeliveryLog();
    const which = { webhookId, deliveryId: delivery?.delivery_id ?? '' };
    const found = await findSentDelivery(deliveries.db, ALL_ACCOUNTS, which, 'live');
    if (!found) throw new Error('no delivery');
    return found;
  };

  test('is stored with the sent bytes, and is not in the API’s list', async () => {
    receiver.answer = () => ({ status: 422, body: '{"error":\t"no room für",\r\n "details": []}' });
    await deliveries.happen(userId, { email: 'ä\u2028@example.com', amounts: [1e21, 0.1], nested: { b: 1, a: null } });
    await deliveries.run();
    const { request, attempts } = await sent();
    const { headers, body } = receiver.calls[0] as WebhookCall;
    expect(request.body).toBe(body);
    expect(request.url).toBe(receiver.url);
    expect(headers).toMatchObject(request.headers);
    expect(Object.keys(request.headers).sort()).toEqual(['content-type', 'user-agent', 'webhook-id']);
    expect(attempts[0]).toMatchObject({
      response_status: 422,
      response_body: '{"error":\t"no room für",\n "details": []}',
    });
    const [listed] = await listDeliveryLog();
    expect(Object.keys(listed?.attempts[0] ?? {}).sort()).toEqual(['at', 'duration_ms', 'error', 'response_status']);
  });

  test.each([
    ['nothing', '', ''],
    [
      'bytes',
      Buffer.from([0x89, 0x50, 0x00, 0x1b, 0xff, 0x0a, 0x7f, 0xc2, 0x85]),
      '\ufffdP\ufffd\ufffd\ufffd\n\ufffd\ufffd',
    ],
    ['a page', 'ä'.repeat(100_000), 'ä'.repeat(512)],
    ['a letter that the end cuts', `x${'ä'.repeat(1_000)}`, `x${'ä'.repeat(511)}`],
  ])('is stored as printable text: %s', async (_what, body, storedBody) => {
    receiver.answer = () => ({ status: 200, body });
    await deliveries.happen(userId);
    await deliveries.run();
    const { status: one, attempts } = await sent();
    expect({ one, kept: attempts.map((attempt) => attempt.response_body) }).toEqual({
      one: 'succeeded',
      kept: [storedBody],
    });
  });

  test.each([
    ['goes on', 200, 'succeeded'],
    ['goes on', 500, 'pending'],
    ['breaks off', 200, 'succeeded'],
    ['breaks off', 500, 'pending'],
  ] as const)('whose body %s does not change the result of a %i', async (ending, code, becomes) => {
    receiver.answer = () => ({ status: code, body: 'so far', ending });
    await deliveries.happen(userId);
    await deliveries.run();
    const { status: one, attempts } = await sent();
    expect(one).toBe(becomes);
    expect(attempts).toMatchObject([{ response_status: code, response_body: 'so far' }]);
    expect(attempts[0]?.error).toBe(code === 200 ? null : 'HTTP 500');
  });

  // The service reads the body of a response for at most one second, and at most until the end of the attempt's time limit.
  test.each([
    [10_000, 5_000],
    [300, 900],
  ])('to an attempt of %i ms delays it by less than %i ms', async (timeoutMs, maxDelayMs) => {
    const { db, box } = deliveries;
    const channel = createWebhookChannel({
      ...{ db, box, clock: () => deliveries.now, environment: 'live', allowPrivate: true, ca: receiver.ca, timeoutMs },
      publicUrl: 'https://service.example',
    });
    receiver.answer = () => ({ status: 200, body: 'so far', ending: 'goes on' });
    const event = { id: 'evt_x', type: 'user.created', createdAt: deliveries.now, userId, data: {} };
    const leasedUntil = new Date(deliveries.now.getTime() + 15_000);
    let tookMs = Number.POSITIVE_INFINITY;
    // Measures up to three times, because a busy machine may delay an attempt.
    for (let attempt = 0; attempt < 3 && tookMs >= maxDelayMs; attempt++) {
      const from = performance.now();
      const outcome = await channel.send({ deliveryId: 'dlv_x', target: webhookId, leasedUntil, event });
      tookMs = performance.now() - from;
      expect(outcome).toEqual({ succeeded: true, responseStatus: 200, error: null, responseBody: 'so far' });
    }
    expect(tookMs).toBeLessThan(maxDelayMs);
    channel.close();
  });

  test('is empty if the receiver sent none', async () => {
    receiver.answer = () => null;
    await deliveries.happen(userId);
    await deliveries.run();
    expect((await sent()).attempts).toMatchObject([{ response_status: null, response_body: null }]);
  });
});
