import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createQueryFunction } from '#src/database/connect.ts';
import { addEvents } from '#src/events/outbox.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { createRequestsWithKey, findInvalidFields } from '#test/support/requests-with-key.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const as = (key: string) => createRequestsWithKey(api, key);

describe('webhooks', () => {
  test('are listed without their secret, which is stored encrypted and rotated with an overlap', async () => {
    const { key } = await api.user('homeowner');
    const body = {
      event: 'usage.updated',
      url: 'https://example.com/hook?x=1',
      auth_token: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    };
    const made = await as(key).post('/v1/webhooks', body);
    expect(made).toMatchObject({ status: 201, json: { status: 'active' } });
    const list = await as(key).get('/v1/webhooks');
    expect(list.json).toEqual([
      expect.objectContaining({ webhook_id: made.json.webhook_id, event: 'usage.updated', url: body.url }),
    ]);
    const path = `/v1/webhooks/${made.json.webhook_id}`;
    const patched = await as(key).patch(path, { auth_token: 'the second secret', url: 'https://example.com/2' });
    expect(patched.json).toMatchObject({ url: 'https://example.com/2', status: 'active' });
    for (const { text } of [made, list, patched]) expect(text).not.toMatch(/whsec|second secret/);
    const { rows } = await api.database.pool.query('SELECT * FROM webhooks WHERE webhook_id = $1', [
      made.json.webhook_id,
    ]);
    const [row] = rows;
    expect(row.auth_token_sealed.includes('second')).toBe(false);
    const box = createSecretEncrypter('the secret of the tests');
    expect([box.open(row.auth_token_sealed), box.open(row.former_token_sealed)]).toEqual([
      'the second secret',
      body.auth_token,
    ]);
    expect(row.former_token_valid_until.getTime() - api.now.getTime()).toBe(24 * 3_600_000);
    expect(() => createSecretEncrypter('another').open(row.auth_token_sealed)).toThrow();
  });

  test('accept only HTTPS URLs without credentials, and known events', async () => {
    const { key } = await api.user('homeowner');
    for (const url of [
      'http://example.com',
      'https://',
      'ftp://example.com',
      'https://user:pass@example.com',
      'x',
      `https://example.com/${'x'.repeat(3_000)}`,
    ]) {
      const { status, json } = await as(key).post('/v1/webhooks', {
        event: 'usage.updated',
        url,
        auth_token: 'a secret token',
      });
      expect({ url: url.slice(0, 40), status, fields: findInvalidFields(json) }).toEqual({
        url: url.slice(0, 40),
        status: 422,
        fields: ['url'],
      });
    }
    const { json } = await as(key).post('/v1/webhooks', { event: 'usage', url: 'https://example.com', auth_token: '' });
    expect(findInvalidFields(json)?.sort()).toEqual(['auth_token', 'event']);
  });

  test('take one or several events; the first is also shown as `event`', async () => {
    const { key, userId } = await api.user('homeowner');
    const rest = { url: 'https://example.com/hook', auth_token: 'a secret token' };
    const two = ['alert.triggered', 'remark.raised'];
    const made = await as(key).post('/v1/webhooks', { events: two, ...rest });
    expect(made).toMatchObject({ status: 201, json: { status: 'active' } });
    await as(key).post('/v1/webhooks', { event: 'user.created', ...rest });
    const list = async () =>
      (await as(key).get('/v1/webhooks')).json.map(({ event, events }: Record<string, unknown>) => [event, events]);
    expect(await list()).toEqual([
      ['alert.triggered', two],
      ['user.created', ['user.created']],
    ]);
    const path = `/v1/webhooks/${made.json.webhook_id}`;
    for (const [events, field] of [
      [{}, 'event'],
      [{ events: [] }, 'events'],
      [{ events: 'alert.triggered' }, 'events'],
      [{ events: 5 }, 'events'],
      [{ events: null }, 'events'],
      [{ events: ['alert.triggered', 'x'] }, 'events.1'],
      [{ events: ['alert.triggered', 'alert.triggered'] }, 'events'],
      [{ event: 'alert.triggered', events: ['alert.triggered'] }, 'events'],
      [{ event: null, events: ['alert.triggered'] }, 'event'],
    ] as const) {
      const { status, json } = await as(key).post('/v1/webhooks', { ...events, ...rest });
      const fields = [...new Set(findInvalidFields(json))];
      expect({ events, status, fields }).toEqual({ events, status: 422, fields: [field] });
      if (Object.keys(events).length > 0) expect((await as(key).patch(path, events)).status).toBe(422);
    }
    // If only the status is changed, the subscribed events remain the same.
    expect((await as(key).patch(path, { status: 'paused' })).json).toMatchObject({ events: two });

    // Each event to which the webhook is subscribed must be delivered once.
    const happen = (type: 'remark.raised' | 'usage.updated') =>
      addEvents(createQueryFunction(api.db), [{ type, userId, data: {} } as never], api.now);
    await happen('remark.raised');
    await happen('usage.updated');
    const changed = await as(key).patch(path, { event: 'usage.updated' });
    expect(changed.json).toMatchObject({ event: 'usage.updated', events: ['usage.updated'], status: 'paused' });
    await happen('remark.raised');
    await happen('usage.updated');
    const { json: log } = await as(key).get(`${path}/deliveries`);
    expect(log.map(({ event }: { event: string }) => event)).toEqual(['usage.updated', 'remark.raised']);
  });

  test('created by a process of the previous version also have their event in events', async () => {
    const { key, userId } = await api.user('homeowner');
    await api.database.pool.query(
      `INSERT INTO webhooks (webhook_id, user_id, event, url, auth_token_sealed)
       VALUES ('whk_earlier', $1, 'alert.triggered', 'https://example.com', '')`,
      [userId],
    );
    expect((await as(key).get('/v1/webhooks')).json).toMatchObject([
      { event: 'alert.triggered', events: ['alert.triggered'] },
    ]);
  });
});

test('an account has a hundred subscriptions at most', async () => {
  const { key } = await api.user('homeowner');
  const body = { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'a secret token' };
  const subscribe = async () => (await api.send('/v1/webhooks', { method: 'POST', key, body })).status;
  for (let index = 0; index < 100; index++) expect(await subscribe()).toBe(201);
  expect(await subscribe()).toBe(409);
});
