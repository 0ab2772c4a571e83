import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp, updateApp } from '#src/auth/apps.ts';
import { createAuthorization } from '#src/auth/authorizations.ts';
import { createQueryFunction } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { canAccessWebhook, queueTestEvent } from '#src/delivery/log.ts';
import { createWebhook, deleteWebhook, listWebhooks } from '#src/delivery/webhook/subscriptions.ts';
import { addEvents } from '#src/events/outbox.ts';
import { endAuthorizations } from '#src/users/app-access.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDeliveries, type TestDeliveries } from '#test/support/deliveries.ts';
import { hasEspiSchema, validateByEspiSchema } from '#test/support/espi-schema.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/receiver.ts';

/** Tests of Green Button notices to apps. The code that delivers webhooks delivers these notices, too. */
let receiver: WebhookReceiver;
let deliveries: TestDeliveries;
let userId: string;
let ownerId: string;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver.close());
beforeEach(async () => {
  receiver.calls = [];
  receiver.answer = () => ({ status: 200 });
  deliveries = await createTestDeliveries({ ca: receiver.ca, timeoutMs: 1_500 });
  userId = await deliveries.user('anna@example.com');
  ({ user_id: ownerId } = await createUser(deliveries.db, { email: 'u@example.com', role: 'utility' }));
});
afterEach(() => deliveries.close());

const url = (path: string) => receiver.url.replace('/hook', path);
async function letIn(notificationUrl: string | null, scopes: ('insights:read' | 'devices:read')[] = ['insights:read']) {
  const { db, now } = deliveries;
  const settings = {
    ...{ name: 'Bright', website: 'https://bright.example', type: 'confidential' as const, scopes },
    ...{ redirect_uris: ['https://bright.example/back'], notification_url: notificationUrl },
  };
  const { app } = await joinOrBeginTransaction(db, (trx) => createApp(trx, ownerId, settings, now));
  const authorizationId = await joinOrBeginTransaction(db, (trx) =>
    createAuthorization(trx, { homeId: userId, app, scopes, days: null, now }),
  );
  return { appId: app.app_id, authorizationId };
}
const change = (appId: string, patch: Parameters<typeof updateApp>[3]) =>
  updateApp(deliveries.db, ALL_ACCOUNTS, appId, patch);
const happen = (...hours: string[]) =>
  addEvents(
    createQueryFunction(deliveries.db),
    [
      {
        type: 'usage.updated',
        userId,
        data: {
          user_id: userId,
          hours: hours.map((hour) => ({ date: '2026-06-14', hour, kwh_used: 1 })),
          updated_at: deliveries.now.toISOString(),
        },
      },
    ],
    deliveries.now,
  );
const paths = () => receiver.calls.map(({ path }) => path);
const rows = async (text: string, values: unknown[] = []) => (await deliveries.database.pool.query(text, values)).rows;

test('a notice names the subscription and the changed time, and carries no data and no signature', async () => {
  const { authorizationId } = await letIn(url('/notify'));
  await happen('22:00', '09:00');
  await deliveries.run();
  const [{ resource_id: id }] = await rows('SELECT resource_id FROM authorizations WHERE authorization_id = $1', [
    authorizationId,
  ]);
  expect(receiver.calls).toHaveLength(1);
  const { headers, body = '' } = receiver.calls[0] ?? {};
  expect(headers?.['content-type']).toBe('application/atom+xml');
  expect(headers?.['webhook-signature']).toBeUndefined();
  expect(body).toContain(
    `<espi:resources>https://service.example/espi/1_1/resource/Batch/Subscription/${id}?published-min=2026-06-14T09:00:00Z&amp;published-max=2026-06-14T23:00:00Z</espi:resources>`,
  );
  expect(body).not.toContain(userId);
  if (hasEspiSchema()) expect(await validateByEspiSchema(body)).toEqual([]);
});

test('notices go to the current address of the app, and end with the address, the scope or the authorization', async () => {
  const { appId, authorizationId } = await letIn(null);
  await letIn(url('/without'), ['devices:read']);
  await happen('01:00');
  await deliveries.run();
  expect(paths()).toEqual([]);
  await change(appId, { notification_url: url('/a') });
  await happen('02:00');
  await deliveries.run();
  await change(appId, { notification_url: url('/b') });
  await happen('03:00');
  await deliveries.run();
  expect(paths()).toEqual(['/a', '/b']);
  await change(appId, { scopes: ['devices:read'] });
  await happen('04:00');
  await deliveries.run();
  await change(appId, { scopes: ['insights:read'] });
  await happen('05:00');
  await deliveries.run();
  await joinOrBeginTransaction(deliveries.db, (trx) => endAuthorizations(trx, { ids: [authorizationId] }, 'home'));
  await happen('06:00');
  await deliveries.run();
  expect(paths()).toEqual(['/a', '/b', '/b']);
});

test('the migration alone gives notices to an app that was authorized before notices existed', async () => {
  const [{ authorizationId }] = [
    await letIn(url('/early')),
    await letIn(null),
    await letIn(url('/x'), ['devices:read']),
  ];
  const notices = () => rows('SELECT authorization_id, url, status FROM webhooks WHERE is_notice');
  await rows('DELETE FROM webhooks WHERE is_notice');
  const migration = await readFile(new URL('../../../sql/schema/0095_earlier_notices.sql', import.meta.url), 'utf8');
  await rows(migration);
  const expected = [{ authorization_id: authorizationId, url: url('/early'), status: 'active' }];
  expect(await notices()).toEqual(expected);
  await rows(migration);
  expect(await notices()).toEqual(expected);
  await happen('01:00');
  await deliveries.run();
  expect(paths()).toEqual(['/early']);
});

test('no notice is sent after the end of the authorization, even if its row is not deleted yet', async () => {
  const { authorizationId } = await letIn(url('/notify'));
  await happen('01:00');
  const values = [authorizationId, deliveries.now];
  await rows('UPDATE authorizations SET expires_at = $2 WHERE authorization_id = $1', values);
  await deliveries.run();
  expect(paths()).toEqual([]);
});

test('a failed notice is repeated; an address that fails for a day waits for the app’s owner, and no mail is sent', async () => {
  const { appId } = await letIn(url('/notify'));
  receiver.answer = () => ({ status: 500 });
  await happen('01:00');
  await deliveries.run();
  deliveries.later(6);
  await deliveries.run();
  expect(receiver.calls).toHaveLength(2);
  const mails = deliveries.told.length;
  deliveries.later(25 * 3_600);
  await deliveries.run();
  expect(await rows('SELECT status FROM webhooks')).toEqual([{ status: 'paused' }]);
  expect(deliveries.told).toHaveLength(mails);
  receiver.answer = () => ({ status: 200 });
  await change(appId, { notification_url: url('/again') });
  await happen('02:00');
  deliveries.later(3_600);
  await deliveries.run();
  expect(paths().slice(3)).toContain('/again');
});

test('the home neither lists nor changes notices among its webhooks', async () => {
  await letIn(url('/notify'));
  const webhook = { events: ['usage.updated'], url: url('/own'), authToken: 'a secret token' } as const;
  const { webhook_id: ownId } = await createWebhook(deliveries.db, deliveries.box, userId, webhook);
  const listed = await listWebhooks(deliveries.db, userId, { limit: 10 });
  expect(listed.map(({ webhook_id }) => webhook_id)).toEqual([ownId]);
  const [{ webhook_id: id }] = await rows('SELECT webhook_id FROM webhooks WHERE is_notice');
  expect(await deleteWebhook(deliveries.db, ALL_ACCOUNTS, id)).toBe(false);
  expect(await canAccessWebhook(deliveries.db, ALL_ACCOUNTS, id)).toBe(false);
  expect(await queueTestEvent(deliveries.db, ALL_ACCOUNTS, id, deliveries.now)).toBeNull();
});
