import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { holdDueMessages, releaseHeldDeliveries } from '#src/delivery/hold.ts';
import { findSentDelivery } from '#src/delivery/log.ts';
import { deleteExpiredEvents } from '#src/delivery/retention.ts';
import { createWebhookChannel } from '#src/delivery/webhook/send.ts';
import { updateWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createTestDeliveries, type TestDeliveries } from '#test/support/deliveries.ts';
import { listDeliveryResponses, queueTestEvent, retryDelivery } from '#test/support/delivery-log.ts';
import { startWebhookReceiver, type WebhookCall, type WebhookReceiver } from '#test/support/receiver.ts';

let receiver: WebhookReceiver;
let deliveries: TestDeliveries;
let userId: string;
let webhookId: string;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver.close());
beforeEach(async () => {
  receiver.calls = [];
  receiver.answer = () => ({ status: 200 });
  deliveries = await createTestDeliveries({ ca: receiver.ca, timeoutMs: 1_500 });
  userId = await deliveries.user('anna@example.com');
  webhookId = await deliveries.subscribe(userId, receiver.url, SECRET);
});
afterEach(() => deliveries.close());

const log = () => listDeliveryResponses(deliveries.db, ALL_ACCOUNTS, webhookId, { limit: 200 });
const ids = () => receiver.calls.map(({ body }) => JSON.parse(body).id);
const change = (patch: Parameters<typeof updateWebhook>[4]) =>
  updateWebhook(deliveries.db, deliveries.box, ALL_ACCOUNTS, webhookId, patch, deliveries.now);
const status = async () =>
  (await deliveries.database.pool.query('SELECT status FROM webhooks WHERE webhook_id = $1', [webhookId])).rows[0]
    .status;

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
    expect(new Webhook(SECRET).verify(body, headers)).toEqual({
      id,
      type: 'user.created',
      created_at: deliveries.now.toISOString(),
      environment: 'live',
      data: { user_id: userId, email: 'ä@example.com' },
    });
    expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow();
    expect(headers['webhook-id']).toBe(id);
    expect(body + JSON.stringify(headers)).not.toContain(SECRET.slice(6));
    expect(await log()).toMatchObject([
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
      // Blocks this process for longer than an attempt may take, after the receiver's response and before the dispatcher reads it.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_700));
      return { status: 200 };
    };
    await deliveries.happen(userId);
    await deliveries.run();
    deliveries.later(60);
    await deliveries.run();
    expect(await log()).toMatchObject([{ status: 'succeeded', attempts: [{ response_status: 200, error: null }] }]);
    expect(receiver.calls).toHaveLength(1);
  });

  test('is signed with the bytes of a secret without the whsec_ form, and with both secrets during a rotation', async () => {
    deliveries.now = new Date();
    await change({ authToken: 'geheim & suess' });
    await deliveries.happen(userId);
    await deliveries.run();
    const verify = (secret: string, raw = false) => {
      const { body = '', headers = {} } = receiver.calls.at(-1) ?? {};
      return () => (raw ? new Webhook(secret, { format: 'raw' }) : new Webhook(secret)).verify(body, headers);
    };
    expect(verify('geheim & suess', true)).not.toThrow();
    expect(verify(SECRET)).not.toThrow();
    await deliveries.database.pool.query("UPDATE webhooks SET former_token_valid_until = now() - interval '1 second'");
    await deliveries.happen(userId);
    await deliveries.run();
    expect(verify('geheim & suess', true)).not.toThrow();
    expect(verify(SECRET)).toThrow();
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
    expect(new Set(ids())).toEqual(new Set([id]));
    expect(new Set(receiver.calls.map(({ body }) => body)).size).toBe(1);
    const [delivery] = await log();
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
    expect((await log())[0]).toMatchObject({ status: 'pending', attempts: [{ error }] });
  });

  test('fails if the receiver has a certificate for another name, or does not listen', async () => {
    const stranger = await startWebhookReceiver();
    await change({ url: stranger.url });
    await deliveries.happen(userId);
    await deliveries.run();
    expect((await log())[0]?.attempts[0]?.error).toBe(
      'the receiver’s certificate is not trusted (self-signed); the service’s operator can name its authority in WEBHOOK_CA_FILE (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
    await stranger.close();
    deliveries.later(5);
    await deliveries.run();
    expect((await log())[0]?.attempts[1]?.error).toBe(
      'nothing listens at the receiver’s address and port; check that it runs (ECONNREFUSED)',
    );
    expect(stranger.calls).toEqual([]);
  });

  test('is delivered if the status is 2xx, however long the receiver’s response body is', async () => {
    receiver.answer = () => ({ status: 200, body: 'x'.repeat(4_000_000) });
    for (let index = 0; index < 3; index++) await deliveries.happen(userId);
    await deliveries.run();
    expect((await log()).map(({ status: one }) => one)).toEqual(Array(3).fill('succeeded'));
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

describe('a receiver’s response', () => {
  const sent = async () => {
    const [delivery] = await log();
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
    const [listed] = await log();
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

describe('a subscription', () => {
  test('is paused after 24 h without a success, and its owner notified by e-mail, once', async () => {
    receiver.answer = () => ({ status: 500 });
    await deliveries.happen(userId);
    await deliveries.run();
    for (let hour = 0; hour < 23; hour++) {
      deliveries.later(3_600);
      await deliveries.happen(userId);
      await deliveries.run();
    }
    expect(await status()).toBe('active');
    deliveries.later(3_601);
    await deliveries.happen(userId);
    await deliveries.run();
    expect(await status()).toBe('paused');
    await deliveries.run();
    expect(deliveries.told).toMatchObject([
      { target: 'email', event: { type: 'webhook.paused', data: { webhook_id: webhookId, url: receiver.url } } },
    ]);
  });

  test('is paused after 20 deliveries in a row whose retries ran out; a success in between resets the count', async () => {
    receiver.answer = () => ({ status: 500 });
    const exhaust = async (count: number) => {
      for (let index = 0; index < count; index++) await deliveries.happen(userId);
      // Runs all retries of all these deliveries, one after another.
      for (const wait of [0, 5, 30, 120, 900, 3_600]) {
        deliveries.later(wait);
        await deliveries.run();
      }
    };
    await exhaust(19);
    expect(await status()).toBe('active');
    receiver.answer = () => ({ status: 200 });
    await deliveries.happen(userId);
    await deliveries.run();
    receiver.answer = () => ({ status: 500 });
    await exhaust(19);
    expect(await status()).toBe('active');
    await exhaust(1);
    expect(await status()).toBe('paused');
  });

  test('counts one outcome for a delivery during which a worker hung, whatever that worker reports later', async () => {
    const hung = deliveries.another();
    const calls = receiver.calls.length;
    // The first worker sends the delivery, and then hangs until another worker has run.
    const asked = new Promise<void>((resolve) => {
      receiver.answer = () => {
        resolve();
        return null;
      };
    });
    const eventId = await deliveries.happen(userId);
    expect(await hung.pass()).toBe(1);
    await asked;
    deliveries.later(16);
    receiver.answer = () => ({ status: 200 });
    await deliveries.run();
    // The first worker's attempt has failed without a response.
    await hung.settle();
    deliveries.later(10);
    await deliveries.run();
    expect(receiver.calls.slice(calls).filter(({ body }) => body.includes(eventId))).toHaveLength(2);
    const { rows } = await deliveries.database.pool.query(
      'SELECT status, jsonb_array_length(attempts) AS attempts FROM deliveries WHERE event_id = $1',
      [eventId],
    );
    expect(rows).toEqual([{ status: 'succeeded', attempts: 1 }]);
  });

  test('receives nothing from a worker that hung before it sent the request', async () => {
    const channel = createWebhookChannel({
      ...{ db: deliveries.db, box: deliveries.box, clock: () => deliveries.now },
      ...{ environment: 'live', publicUrl: 'https://service.example', allowPrivate: true, ca: receiver.ca },
    });
    const calls = receiver.calls.length;
    const event = { id: 'evt_x', type: 'user.created', createdAt: deliveries.now, userId, data: {} };
    const outcome = await channel.send({ deliveryId: 'dlv_x', target: webhookId, leasedUntil: deliveries.now, event });
    expect([outcome.succeeded, receiver.calls.length]).toEqual([false, calls]);
    channel.close();
  });

  test('that was paused by hand gets its backlog when it is resumed, oldest first, and nothing earlier', async () => {
    await change({ status: 'paused' });
    const waited = [];
    for (let index = 0; index < 30; index++) waited.push(await deliveries.happen(userId));
    deliveries.later(3_600);
    await deliveries.run();
    expect(receiver.calls).toEqual([]);
    expect((await log())[0]).toMatchObject({ status: 'pending', next_attempt_at: null });
    await change({ status: 'active' });
    waited.push(await deliveries.happen(userId));
    await deliveries.run();
    expect(ids()).toEqual(waited);
  });

  test('that was paused for failures also gets the deliveries given up since, of the last seven days', async () => {
    // The clock moves on during each attempt, so other attempts begin while one is in progress.
    receiver.answer = () => {
      deliveries.later(0.2);
      return { status: 500 };
    };
    const all = [await deliveries.happen(userId)];
    for (let hour = 0; hour < 25; hour++) {
      await deliveries.run();
      deliveries.later(3_600);
      all.push(await deliveries.happen(userId));
    }
    await deliveries.run();
    expect(await status()).toBe('paused');
    receiver.calls = [];
    receiver.answer = () => ({ status: 200 });
    await change({ status: 'active' });
    await deliveries.run();
    expect(ids()).toEqual(all);
    expect(await status()).toBe('active');

    await deliveries.database.pool.query(
      "UPDATE webhooks SET status = 'paused', failing_since = $1; UPDATE deliveries SET status = 'failed'".replace(
        '$1',
        "'2026-01-01'",
      ),
    );
    receiver.calls = [];
    deliveries.later(6.5 * 86_400);
    await change({ status: 'active' });
    await deliveries.run();
    // Events from more than a week ago are not delivered any more.
    expect(ids().length).toBeGreaterThan(0);
    expect(ids().length).toBeLessThan(all.length);
  });

  test('that is resumed after a restore gets the deliveries that were held back only when the operator releases them', async () => {
    await change({ status: 'paused' });
    const held = await deliveries.happen(userId);
    await holdDueMessages(deliveries.db);
    await change({ status: 'active' });
    const later = await deliveries.happen(userId);
    await deliveries.run();
    expect(ids()).toEqual([later]);
    await releaseHeldDeliveries(deliveries.db, { isDropped: false });
    // The release makes the deliveries due at the current time of the database's clock.
    deliveries.now = new Date(Date.now() + 1_000);
    await deliveries.run();
    expect(ids()).toEqual([later, held]);
  });

  test('that is resumed after a restore does not get the deliveries that the operator discarded', async () => {
    receiver.answer = () => ({ status: 500 });
    await deliveries.happen(userId);
    await deliveries.run();
    await change({ status: 'paused' });
    await holdDueMessages(deliveries.db);
    expect(await releaseHeldDeliveries(deliveries.db, { isDropped: true })).toMatchObject({ deliveries: 1 });
    receiver.calls = [];
    await change({ status: 'active' });
    await deliveries.run();
    expect(receiver.calls).toEqual([]);
    expect((await log())[0]).toMatchObject({ status: 'failed', next_attempt_at: null });
  });

  test('after a restore, messages and changed hours that are held back for a week are discarded', async () => {
    const { pool } = deliveries.database;
    await deliveries.happen(userId);
    await pool.query('INSERT INTO usage_changes (hour, user_ids) VALUES (now(), ARRAY[$1])', [userId]);
    // The hold starts at the current time of the database's clock.
    deliveries.now = new Date();
    await holdDueMessages(deliveries.db);
    const changes = async () => (await pool.query('SELECT count(*)::int AS n FROM usage_changes')).rows[0].n;
    deliveries.later(6.9 * 86_400);
    await deleteExpiredEvents(deliveries.db, deliveries.now);
    expect(await changes()).toBe(1);
    deliveries.later(0.2 * 86_400);
    await deleteExpiredEvents(deliveries.db, deliveries.now);
    expect(await changes()).toBe(0);
    expect(await releaseHeldDeliveries(deliveries.db, { isDropped: false })).toEqual({ deliveries: 0, changes: 0 });
  });

  test('gets its backlog in order, with any number of workers', async () => {
    await change({ status: 'paused' });
    const waited = [];
    for (let index = 0; index < 20; index++) waited.push(await deliveries.happen(userId));
    await change({ status: 'active' });
    const other = deliveries.another();
    for (let turn = 0; turn < 200 && receiver.calls.length < waited.length; turn++) {
      await Promise.all([deliveries.dispatcher.pass(), other.pass()]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all([deliveries.dispatcher.settle(), other.settle()]);
    expect(ids()).toEqual(waited);
  });

  test('can be resumed while its deliveries fail, without conflicts', async () => {
    receiver.answer = () => ({ status: 500 });
    const { recordDeliveryAttempt } = await import('#src/delivery/dispatch.ts');
    const { leaseDueDeliveries: takeDue } = await import('#src/delivery/take.ts');
    for (let round = 0; round < 10; round++) {
      for (let index = 0; index < 8; index++) await deliveries.happen(userId);
      await deliveries.database.pool.query(
        "UPDATE webhooks SET status = 'active', failing_since = NULL; UPDATE deliveries SET leased_until = NULL, next_attempt_at = '2026-01-01'",
      );
      const taken = await takeDue(deliveries.database.pool, 8, deliveries.now);
      const at = { startedAt: deliveries.now, now: deliveries.now, ageNow: deliveries.now, durationMs: 1, random: 0.5 };
      const failed = { succeeded: false, responseStatus: 500, error: 'HTTP 500' };
      await deliveries.database.pool.query("UPDATE webhooks SET status = 'paused'");
      await Promise.all([
        ...taken.map((sending) => recordDeliveryAttempt(deliveries.database.pool, sending, failed, at)),
        change({ status: 'active' }),
      ]);
    }
  });

  test('keeps its backlog for seven days', async () => {
    await change({ status: 'paused' });
    const old = await deliveries.happen(userId);
    deliveries.later(6 * 86_400);
    const young = await deliveries.happen(userId);
    deliveries.later(86_400 + 1);
    expect(await deleteExpiredEvents(deliveries.db, deliveries.now)).toMatchObject({ givenUp: 1 });
    await change({ status: 'active' });
    await deliveries.run();
    expect(ids()).toEqual([young]);
    deliveries.later(24 * 86_400);
    await deleteExpiredEvents(deliveries.db, deliveries.now);
    expect((await log()).map(({ event_id }) => event_id)).not.toContain(old);
  });

  test('is tested, and a delivery is retried by hand, with all its automatic retries', async () => {
    receiver.answer = () => ({ status: 500 });
    const queued = await queueTestEvent(deliveries.db, ALL_ACCOUNTS, webhookId, deliveries.now);
    expect(queued).toMatchObject({ event: 'webhook.test', status: 'pending', attempts: [] });
    for (const wait of [0, 5, 30, 120, 900, 3_600]) {
      deliveries.later(wait);
      await deliveries.run();
    }
    expect((await log())[0]?.status).toBe('failed');
    const again = await retryDelivery(
      deliveries.db,
      ALL_ACCOUNTS,
      webhookId,
      queued?.delivery_id ?? '',
      deliveries.now,
    );
    expect(again).toMatchObject({ status: 'pending', next_attempt_at: deliveries.now.toISOString() });
    await deliveries.run();
    receiver.answer = () => ({ status: 204 });
    deliveries.later(5);
    await deliveries.run();
    const [delivery] = await log();
    expect(delivery?.status).toBe('succeeded');
    expect(delivery?.attempts).toHaveLength(8);
    expect(new Set(ids())).toEqual(new Set([queued?.event_id]));
    expect(JSON.parse(receiver.calls[0]?.body ?? '')).toMatchObject({
      type: 'webhook.test',
      data: { webhook_id: webhookId },
    });
  });
});

test('a worker that is killed during an attempt loses nothing: another takes over when its lease ends', async () => {
  const id = await deliveries.happen(userId);
  // Reserves a delivery without sending it, as if the worker had then been killed.
  const { leaseDueDeliveries: takeDue } = await import('#src/delivery/take.ts');
  expect(await takeDue(deliveries.database.pool, 10, deliveries.now)).toHaveLength(1);
  await deliveries.run();
  expect(receiver.calls).toEqual([]);
  deliveries.later(15);
  await deliveries.run();
  expect(ids()).toEqual([id]);
});

test('an account gets at most 100 subscriptions, however many requests run at once', async () => {
  await deliveries.database.pool.query(
    `INSERT INTO webhooks (webhook_id, user_id, event, url, auth_token_sealed)
     SELECT webhook_id || number, user_id, event, url, auth_token_sealed FROM webhooks, generate_series(1, 97) number`,
  );
  const asked = await Promise.allSettled(Array.from({ length: 8 }, () => deliveries.subscribe(userId, receiver.url)));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused.map(({ message }) => message)).toEqual(Array(6).fill('An account can have at most 100 subscriptions'));
});
