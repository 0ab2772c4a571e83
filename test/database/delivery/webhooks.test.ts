import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { leaseDueDeliveries } from '#src/delivery/take.ts';
import { startWebhookReceiver, type WebhookCall } from '#test/support/receiver.ts';
import {
  changeWebhook,
  deliveries,
  listDeliveryLog,
  listReceivedIds,
  receiver,
  setUpWebhookDeliveries,
  userId,
  WEBHOOK_SIGNING_SECRET,
} from '#test/support/webhook-deliveries.ts';

setUpWebhookDeliveries();

describe('an event', () => {
  test('arrives once, in its envelope, signed by Standard Webhooks', async () => {
    // The library that verifies signatures compares their time with the real clock.
    deliveries.now = new Date();
    const id = await deliveries.happen(userId, { user_id: userId, email: 'ä@example.com' });
    await deliveries.run();
    await deliveries.run();
    expect(receiver.calls).toHaveLength(1);
    const { headers, body } = receiver.calls[0] as WebhookCall;
    expect(headers['content-type']).toBe('application/json');
    expect(new Webhook(WEBHOOK_SIGNING_SECRET).verify(body, headers)).toEqual({
      id,
      type: 'user.created',
      created_at: deliveries.now.toISOString(),
      environment: 'live',
      data: { user_id: userId, email: 'ä@example.com' },
    });
    expect(() => new Webhook(WEBHOOK_SIGNING_SECRET).verify(`${body} `, headers)).toThrow();
    expect(headers['webhook-id']).toBe(id);
    expect(body + JSON.stringify(headers)).not.toContain(WEBHOOK_SIGNING_SECRET.slice(6));
    expect(await listDeliveryLog()).toMatchObject([
      {
        event_id: id,
        event: 'user.created',
        status: 'succeeded',
        next_attempt_at: null,
        attempts: [{ response_status: 200, error: null }],
      },
    ]);
  });

  test('is not sent again if this process was too busy to read the answer in time', async () => {
    receiver.answer = () => {
      // After the receiver has responded and before the dispatcher reads the response, blocks this process for longer than an attempt may
      // take.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_700));
      return { status: 200 };
    };
    await deliveries.happen(userId);
    await deliveries.run();
    deliveries.later(60);
    await deliveries.run();
    expect(await listDeliveryLog()).toMatchObject([
      { status: 'succeeded', attempts: [{ response_status: 200, error: null }] },
    ]);
    expect(receiver.calls).toHaveLength(1);
  });

  test('is signed with the bytes of a secret without the whsec_ form, and with both secrets during a rotation', async () => {
    deliveries.now = new Date();
    await changeWebhook({ authToken: 'geheim & suess' });
    await deliveries.happen(userId);
    await deliveries.run();
    const verify = (secret: string, raw = false) => {
      const { body = '', headers = {} } = receiver.calls.at(-1) ?? {};
      return () => (raw ? new Webhook(secret, { format: 'raw' }) : new Webhook(secret)).verify(body, headers);
    };
    expect(verify('geheim & suess', true)).not.toThrow();
    expect(verify(WEBHOOK_SIGNING_SECRET)).not.toThrow();
    await deliveries.database.pool.query("UPDATE webhooks SET former_token_valid_until = now() - interval '1 second'");
    await deliveries.happen(userId);
    await deliveries.run();
    expect(verify('geheim & suess', true)).not.toThrow();
    expect(verify(WEBHOOK_SIGNING_SECRET)).toThrow();
  });

  test('is retried after 5 s, 30 s, 2 min, 15 min and 1 h if the receiver is down, with the same id and body', async () => {
    receiver.answer = () => ({ status: 503 });
    const id = await deliveries.happen(userId);
    const waits = [];
    for (const wait of [0, 5, 30, 120, 900, 3_600, 3_600, 86_400]) {
      deliveries.later(wait - 1);
      await deliveries.run();
      const before = receiver.calls.length;
      deliveries.later(1);
      await deliveries.run();
      waits.push(receiver.calls.length - before);
    }
    expect(waits).toEqual([1, 1, 1, 1, 1, 1, 0, 0]);
    expect(new Set(listReceivedIds())).toEqual(new Set([id]));
    expect(new Set(receiver.calls.map(({ body }) => body)).size).toBe(1);
    const [delivery] = await listDeliveryLog();
    expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(delivery?.attempts.map(({ response_status, error }) => [response_status, error])).toEqual(
      Array(6).fill([503, 'HTTP 503']),
    );
  });

  test.each([
    ['hangs', () => null, 'no response within 1.5 s'],
    [
      'redirects',
      () => ({ status: 302, headers: { location: 'https://127.0.0.1/elsewhere' } }),
      'redirects are not followed',
    ],
    ['has moved', () => ({ status: 308, headers: { location: '/other' } }), 'redirects are not followed'],
    ['refuses', () => ({ status: 400 }), 'HTTP 400'],
  ])('has failed temporarily if the receiver %s', async (_case, answer, error) => {
    receiver.answer = answer;
    await deliveries.happen(userId);
    await deliveries.run();
    expect(receiver.calls).toHaveLength(1);
    expect((await listDeliveryLog())[0]).toMatchObject({ status: 'pending', attempts: [{ error }] });
  });

  test('fails if the receiver has a certificate for another name, or does not listen', async () => {
    const stranger = await startWebhookReceiver();
    await changeWebhook({ url: stranger.url });
    await deliveries.happen(userId);
    await deliveries.run();
    expect((await listDeliveryLog())[0]?.attempts[0]?.error).toBe(
      'the receiver’s certificate is not trusted (self-signed); the service’s operator can name its authority in WEBHOOK_CA_FILE (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
    await stranger.close();
    deliveries.later(5);
    await deliveries.run();
    expect((await listDeliveryLog())[0]?.attempts[1]?.error).toBe(
      'nothing listens at the receiver’s address and port; check that it runs (ECONNREFUSED)',
    );
    expect(stranger.calls).toEqual([]);
  });

  test('is delivered if the status is 2xx, however long the receiver’s response body is', async () => {
    receiver.answer = () => ({ status: 200, body: 'x'.repeat(4_000_000) });
    for (let index = 0; index < 3; index++) await deliveries.happen(userId);
    await deliveries.run();
    expect((await listDeliveryLog()).map(({ status: one }) => one)).toEqual(Array(3).fill('succeeded'));
  });

  test('does not wait for other subscriptions: a hanging receiver delays only its own', async () => {
    receiver.answer = ({ path }) => (path === '/slow' ? null : { status: 200 });
    await deliveries.subscribe(userId, receiver.url.replace('/hook', '/slow'));
    const count = 40;
    for (let index = 0; index < count; index++) await deliveries.happen(userId);
    const from = performance.now();
    while (receiver.calls.filter(({ path }) => path === '/hook').length < count && performance.now() - from < 10_000) {
      await deliveries.dispatcher.pass();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const slow = receiver.calls.filter(({ path }) => path === '/slow').length;
    // All fast deliveries have been sent while the first slow ones are still waiting for their response.
    expect(slow).toBeLessThanOrEqual(16);
    await deliveries.dispatcher.settle();
  });
});

test('a worker that is killed during an attempt loses nothing: another takes over when its lease ends', async () => {
  const id = await deliveries.happen(userId);
  // Reserves a delivery without sending it, as if the worker had then been killed.
  expect(await leaseDueDeliveries(deliveries.database.pool, 10, deliveries.now)).toHaveLength(1);
  await deliveries.run();
  expect(receiver.calls).toEqual([]);
  deliveries.later(15);
  await deliveries.run();
  expect(listReceivedIds()).toEqual([id]);
});
