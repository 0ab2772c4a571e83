import { describe, expect, test } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { recordDeliveryAttempt } from '#src/delivery/dispatch.ts';
import { holdDueMessages, releaseHeldDeliveries } from '#src/delivery/hold.ts';
import { deleteExpiredEvents } from '#src/delivery/retention.ts';
import { leaseDueDeliveries } from '#src/delivery/take.ts';
import { createWebhookChannel } from '#src/delivery/webhook/send.ts';
import { queueTestEvent, retryDelivery } from '#test/support/delivery-log.ts';
import {
  changeWebhook,
  deliveries,
  listDeliveryLog,
  listReceivedIds,
  readWebhookStatus,
  receiver,
  setUpWebhookDeliveries,
  userId,
  webhookId,
} from '#test/support/webhook-deliveries.ts';

setUpWebhookDeliveries();

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
    expect(await readWebhookStatus()).toBe('active');
    deliveries.later(3_601);
    await deliveries.happen(userId);
    await deliveries.run();
    expect(await readWebhookStatus()).toBe('paused');
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
    expect(await readWebhookStatus()).toBe('active');
    receiver.answer = () => ({ status: 200 });
    await deliveries.happen(userId);
    await deliveries.run();
    receiver.answer = () => ({ status: 500 });
    await exhaust(19);
    expect(await readWebhookStatus()).toBe('active');
    await exhaust(1);
    expect(await readWebhookStatus()).toBe('paused');
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
    await changeWebhook({ status: 'paused' });
    const waited = [];
    for (let index = 0; index < 30; index++) waited.push(await deliveries.happen(userId));
    deliveries.later(3_600);
    await deliveries.run();
    expect(receiver.calls).toEqual([]);
    expect((await listDeliveryLog())[0]).toMatchObject({ status: 'pending', next_attempt_at: null });
    await changeWebhook({ status: 'active' });
    waited.push(await deliveries.happen(userId));
    await deliveries.run();
    expect(listReceivedIds()).toEqual(waited);
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
    expect(await readWebhookStatus()).toBe('paused');
    receiver.calls = [];
    receiver.answer = () => ({ status: 200 });
    await changeWebhook({ status: 'active' });
    await deliveries.run();
    expect(listReceivedIds()).toEqual(all);
    expect(await readWebhookStatus()).toBe('active');

    await deliveries.database.pool.query(
      "UPDATE webhooks SET status = 'paused', failing_since = $1; UPDATE deliveries SET status = 'failed'".replace(
        '$1',
        "'2026-01-01'",
      ),
    );
    receiver.calls = [];
    deliveries.later(6.5 * 86_400);
    await changeWebhook({ status: 'active' });
    await deliveries.run();
    // Events from more than a week ago are not delivered any more.
    expect(listReceivedIds().length).toBeGreaterThan(0);
    expect(listReceivedIds().length).toBeLessThan(all.length);
  });

  test('that is resumed after a restore gets the deliveries that were held back only when the operator releases them', async () => {
    await changeWebhook({ status: 'paused' });
    const held = await deliveries.happen(userId);
    await holdDueMessages(deliveries.db);
    await changeWebhook({ status: 'active' });
    const later = await deliveries.happen(userId);
    await deliveries.run();
    expect(listReceivedIds()).toEqual([later]);
    await releaseHeldDeliveries(deliveries.db, { isDropped: false });
    // The release makes the deliveries due at the current time of the database's clock.
    deliveries.now = new Date(Date.now() + 1_000);
    await deliveries.run();
    expect(listReceivedIds()).toEqual([later, held]);
  });

  test('that is resumed after a restore does not get the deliveries that the operator discarded', async () => {
    receiver.answer = () => ({ status: 500 });
    await deliveries.happen(userId);
    await deliveries.run();
    await changeWebhook({ status: 'paused' });
    await holdDueMessages(deliveries.db);
    expect(await releaseHeldDeliveries(deliveries.db, { isDropped: true })).toMatchObject({ deliveries: 1 });
    receiver.calls = [];
    await changeWebhook({ status: 'active' });
    await deliveries.run();
    expect(receiver.calls).toEqual([]);
    expect((await listDeliveryLog())[0]).toMatchObject({ status: 'failed', next_attempt_at: null });
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
    await changeWebhook({ status: 'paused' });
    const waited = [];
    for (let index = 0; index < 20; index++) waited.push(await deliveries.happen(userId));
    await changeWebhook({ status: 'active' });
    const other = deliveries.another();
    for (let turn = 0; turn < 200 && receiver.calls.length < waited.length; turn++) {
      await Promise.all([deliveries.dispatcher.pass(), other.pass()]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all([deliveries.dispatcher.settle(), other.settle()]);
    expect(listReceivedIds()).toEqual(waited);
  });

  test('can be resumed while its deliveries fail, without conflicts', async () => {
    receiver.answer = () => ({ status: 500 });
    for (let round = 0; round < 10; round++) {
      for (let index = 0; index < 8; index++) await deliveries.happen(userId);
      await deliveries.database.pool.query(
        "UPDATE webhooks SET status = 'active', failing_since = NULL; UPDATE deliveries SET leased_until = NULL, next_attempt_at = '2026-01-01'",
      );
      const taken = await leaseDueDeliveries(deliveries.database.pool, 8, deliveries.now);
      const at = { startedAt: deliveries.now, now: deliveries.now, ageNow: deliveries.now, durationMs: 1, random: 0.5 };
      const failed = { succeeded: false, responseStatus: 500, error: 'HTTP 500' };
      await deliveries.database.pool.query("UPDATE webhooks SET status = 'paused'");
      await Promise.all([
        ...taken.map((sending) => recordDeliveryAttempt(deliveries.database.pool, sending, failed, at)),
        changeWebhook({ status: 'active' }),
      ]);
    }
  });

  test('keeps its backlog for seven days', async () => {
    await changeWebhook({ status: 'paused' });
    const old = await deliveries.happen(userId);
    deliveries.later(6 * 86_400);
    const young = await deliveries.happen(userId);
    deliveries.later(86_400 + 1);
    expect(await deleteExpiredEvents(deliveries.db, deliveries.now)).toMatchObject({ givenUp: 1 });
    await changeWebhook({ status: 'active' });
    await deliveries.run();
    expect(listReceivedIds()).toEqual([young]);
    deliveries.later(24 * 86_400);
    await deleteExpiredEvents(deliveries.db, deliveries.now);
    expect((await listDeliveryLog()).map(({ event_id }) => event_id)).not.toContain(old);
  });

  test('is tested, and a delivery is retried by hand, with all its automatic retries', async () => {
    receiver.answer = () => ({ status: 500 });
    const queued = await queueTestEvent(deliveries.db, ALL_ACCOUNTS, webhookId, deliveries.now);
    expect(queued).toMatchObject({ event: 'webhook.test', status: 'pending', attempts: [] });
    for (const wait of [0, 5, 30, 120, 900, 3_600]) {
      deliveries.later(wait);
      await deliveries.run();
    }
    expect((await listDeliveryLog())[0]?.status).toBe('failed');
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
    const [delivery] = await listDeliveryLog();
    expect(delivery?.status).toBe('succeeded');
    expect(delivery?.attempts).toHaveLength(8);
    expect(new Set(listReceivedIds())).toEqual(new Set([queued?.event_id]));
    expect(JSON.parse(receiver.calls[0]?.body ?? '')).toMatchObject({
      type: 'webhook.test',
      data: { webhook_id: webhookId },
    });
  });
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
