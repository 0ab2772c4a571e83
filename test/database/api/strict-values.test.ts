import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi, writeLoadProfile } from '#test/support/api.ts';

let api: TestApi;
let home: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  home = await api.user('homeowner');
  await writeLoadProfile(api, home.userId, new Map([[Date.parse('2026-06-10'), 1_000_000]]));
});
afterAll(() => api.close());

const get = (path: string, headers = {}) => api.send(path, { key: home.key, headers });

test('a cursor must be from a Link of the same list', async () => {
  for (let index = 0; index < 3; index++) {
    const body = { type: 'x', location: 'x' };
    await api.send('/v1/devices', { method: 'POST', key: home.key, body });
  }
  const first = await get('/v1/devices?limit=1');
  const link = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
  const cursor = new URL(link, 'https://localhost').searchParams.get('cursor') ?? '';
  const second = await get(link);
  expect(second.json).toHaveLength(1);
  expect(second.json[0].device_id > first.json[0].device_id).toBe(true);
  const others = ['x', first.json[0].device_id, `${cursor}x`, cursor.slice(0, -1), cursor.toUpperCase(), '.', '%00'];
  for (const other of others) expect([other, (await get(`/v1/devices?cursor=${other}`)).status]).toEqual([other, 422]);
  for (const path of ['/v1/keys', '/v1/webhooks', '/v1/gateways', `/v1/alerts?user_id=${home.userId}`]) {
    const asked = `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
    expect([path, (await get(asked)).status]).toEqual([path, 422]);
  }
});

test('missing, malformed or out-of-range values are explained in words', async () => {
  const errorOf = async (path: string, options: Parameters<TestApi['send']>[1] = {}) =>
    (await api.send(path, { key: home.key, ...options })).json.details;
  expect(await errorOf('/v1/alerts')).toEqual([{ field: 'user_id', message: 'is required' }]);
  const body = { url: 'https://example.com/x', event: 'usage.updated' };
  expect(await errorOf('/v1/webhooks', { method: 'POST', body })).toEqual([
    { field: 'auth_token', message: 'is required' },
  ]);
  expect(await errorOf('/v1/devices', { method: 'POST', raw: '{type: 1}' })).toEqual([
    { field: 'body', message: 'is not valid JSON' },
  ]);
  expect(await errorOf('/v1/energy-insights', { method: 'POST', raw: '' })).toEqual([
    { field: 'body', message: 'is empty, and must be JSON' },
  ]);
  const placed = { type: 'x', location: 'x', placement: 'roof' };
  expect(await errorOf('/v1/devices', { method: 'POST', body: placed })).toEqual([
    { field: 'placement', message: 'must be one of grid, production, storage, consumption, excluded' },
  ]);
  expect(await errorOf('/v1/devices?limit=-1')).toEqual([
    { field: 'limit', message: 'must be a whole number from 1 to 200' },
  ]);
  expect((await errorOf('/v1/energy-insights?start=1900-01-01&end=2026-01-01'))[0].message).toContain('from 1970 on');
});

test('a number of a query is decimal digits', async () => {
  for (const limit of ['0x10', '1e2', '+5', '5.0', '%205', '', '0', '201', '9'.repeat(20)])
    expect([limit, (await get(`/v1/devices?limit=${limit}`)).status]).toEqual([limit, 422]);
  for (const limit of ['1', '007', '200']) expect((await get(`/v1/devices?limit=${limit}`)).status).toBe(200);
  expect((await get('/v1/analytics/monthly?months=0x10')).status).toBe(422);
});

test.each([
  ['text/csv', true],
  ['TEXT/CSV', true],
  ['text/csv; charset=utf-8', true],
  ['text/csv;q=0', false],
  ['text/csv;q=0.5, application/json', false],
  ['application/json;q=0.5, text/csv', true],
  ['application/json, text/csv', false],
  ['*/*', false],
  ['text/csv, */*;q=0.1', true],
])('Accept: %s returns CSV: %s', async (accept, isCsv) => {
  const { headers } = await get('/v1/energy-insights?start=2026-06-10&end=2026-06-10', { accept });
  expect(String(headers['content-type']).startsWith('text/csv')).toBe(isCsv);
});

test('a webhook’s secret must be usable by the standard’s libraries', async () => {
  const status = async (auth_token: unknown) => {
    const body = { event: 'usage.updated', url: 'https://example.com/x', auth_token };
    return (await api.send('/v1/webhooks', { method: 'POST', key: home.key, body })).status;
  };
  const key = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  for (const good of [key(24), key(25), key(64), 'a secret', 'x'.repeat(256)])
    expect([good, await status(good)]).toEqual([good, 201]);
  const bad = [
    key(23),
    key(65),
    'whsec_',
    'whsec_not base64!',
    `${key(24)}=`,
    'short',
    'x'.repeat(257),
    'gehéim&süß',
    'a\nsecret',
    7,
    '',
  ];
  for (const one of bad) expect([one, await status(one)]).toEqual([one, 422]);
});

test('a key’s expiry follows RFC 3339: its year has four digits in UTC, too', async () => {
  const made = (expires_at: string) => api.send('/v1/keys', { method: 'POST', key: home.key, body: { expires_at } });
  expect((await made('9999-12-31T23:59:59-14:00')).status).toBe(422);
  const { status, json } = await made('9999-12-31T23:59:59.999Z');
  expect([status, json.expires_at]).toEqual([201, '9999-12-31T23:59:59.999Z']);
});

test('an operation without a body refuses members in one', async () => {
  const body = { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'x'.repeat(20) };
  const { webhook_id: id } = (await api.send('/v1/webhooks', { method: 'POST', key: home.key, body })).json;
  const ask = (sent: object) => api.send(`/v1/webhooks/${id}/test`, { method: 'POST', key: home.key, ...sent });
  expect((await ask({ body: { event: 'alert.triggered' } })).json.details).toEqual([
    { field: 'event', message: 'unknown field' },
  ]);
  expect((await ask({ body: [] })).status).toBe(422);
  expect([(await ask({})).status, (await ask({ body: {} })).status]).toEqual([202, 202]);
});
