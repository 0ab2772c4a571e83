import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExpectedErrorBody, startTestApi, type TestApi } from '#test/support/api.ts';

/** Two API processes with one database. The test acts as their proxy, and sends client addresses in a header. */
let api: TestApi;
let other: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    trustProxy: ['127.0.0.1'],
    limits: { free: { minute: 1_000, day: 10_000 }, address: { minute: 3, day: 1_000 } },
  });
  other = await startTestApi({ trustProxy: ['127.0.0.1'], database: api.database });
});
afterAll(async () => {
  await other.app.close();
  await api.close();
});

const INSIDE = '10.1.2.3';
const OUTSIDE = '203.0.113.7';
const refused = createExpectedErrorBody('addressNotAllowed');

/** Sends a request with this key. `at`: client address in the proxy's header. */
function ask(
  key: string,
  at: string | undefined,
  path = '/v1/devices',
  sent: { method?: string; body?: unknown } = {},
) {
  return api.send(path, { ...sent, key, ...(at === undefined ? {} : { headers: { 'x-forwarded-for': at } }) });
}
const create = (key: string, body: unknown, at = INSIDE) => ask(key, at, '/v1/keys', { method: 'POST', body });
const limit = (key: string, keyId: string, body: unknown, at = INSIDE) =>
  ask(key, at, `/v1/keys/${keyId}`, { method: 'PATCH', body });

async function limited(allowed_addresses: string[], user = api.user('homeowner')) {
  const { key: of, userId } = await user;
  const { json } = await create(of, { allowed_addresses });
  return { of, userId, key: json.key as string, keyId: json.key_id as string };
}

describe('a key that is limited to networks', () => {
  test('is valid only in requests from these networks, in any notation of the address', async () => {
    const { key } = await limited(['10.0.0.0/8', '2001:db8::/32', '198.51.100.9']);
    const allowed = [INSIDE, '::ffff:10.1.2.3', '2001:db8:1::1', '198.51.100.9'];
    for (const at of allowed) expect([at, (await ask(key, at)).status]).toEqual([at, 200]);
    for (const at of [OUTSIDE, '2001:db9::1', '198.51.100.10', undefined]) {
      const { status, json } = await ask(key, at);
      expect([at, status, json]).toEqual([at, 403, refused]);
    }
  });

  test('is refused from elsewhere as a failure of the address, and its account’s limit is not charged', async () => {
    const { key, userId } = await limited(['10.0.0.0/8']);
    const counted = async () =>
      (await api.database.pool.query('SELECT minute_count FROM request_counts WHERE counted = $1', [userId])).rows[0]
        .minute_count;
    const before = await counted();
    const at = '203.0.113.99';
    const answers = [];
    for (let time = 0; time < 4; time++) answers.push((await ask(key, at)).status);
    expect(answers).toEqual([403, 403, 403, 429]);
    expect(await counted()).toBe(before);
    expect((await ask(key, INSIDE)).status).toBe(200);
  });

  test('shows its limits in lists, and keeps them when it is rotated', async () => {
    const { of, key, keyId } = await limited(['10.0.0.7/32', '::ffff:10.0.0.0/104', '10.0.0.7']);
    const listed = (await ask(of, INSIDE, '/v1/keys')).json.find((one: { key_id: string }) => one.key_id === keyId);
    expect(listed.allowed_addresses).toEqual(['10.0.0.7', '10.0.0.0/8']);
    // Expiry depends on the real time, not on the API's clock that the test sets.
    const expires_at = '2099-07-15T12:00:00.000Z';
    const rotated = await ask(key, INSIDE, `/v1/keys/${keyId}/rotate`, { method: 'POST', body: { expires_at } });
    expect(rotated.json).toMatchObject({ allowed_addresses: ['10.0.0.7', '10.0.0.0/8'], expires_at });
    expect((await ask(rotated.json.key, OUTSIDE)).json).toEqual(refused);
  });

  test('creates only keys limited to some of its networks, and removes the limits of none', async () => {
    const { of, key, keyId } = await limited(['10.0.0.0/8']);
    const wider = 'A key with allowed_addresses can create only keys that are limited to these addresses';
    for (const allowed_addresses of [[], ['0.0.0.0/0'], ['10.0.0.0/8', OUTSIDE]]) {
      const made = await create(key, { allowed_addresses });
      expect([made.status, made.json.error]).toEqual([403, wider]);
      expect((await limit(key, keyId, { allowed_addresses })).status).toBe(403);
    }
    expect((await create(key, {})).json.allowed_addresses).toEqual(['10.0.0.0/8']);
    expect((await create(key, { allowed_addresses: ['10.1.0.0/16'] })).status).toBe(201);
    const free = await create(of, {});
    expect(free.json.allowed_addresses).toEqual([]);
    // A limited key can neither change an unlimited key nor rotate it.
    expect((await limit(key, free.json.key_id, { expires_at: null })).status).toBe(403);
    const rotated = await ask(key, INSIDE, `/v1/keys/${free.json.key_id}/rotate`, { method: 'POST', body: {} });
    expect(rotated.status).toBe(403);
  });
});

describe('a key that expires', () => {
  // Expiry depends on the real time, not on the API's clock that the test sets.
  const [sooner, own, later] = ['2098-07-15T12:00:00.000Z', '2099-07-15T12:00:00.000Z', '2099-07-15T12:00:00.001Z'];
  const expiring = async () => {
    const { key: of } = await api.user('homeowner');
    const { json } = await create(of, { expires_at: own });
    return { of, key: json.key as string, keyId: json.key_id as string };
  };
  const rotate = (key: string, keyId: string, body: unknown) =>
    ask(key, INSIDE, `/v1/keys/${keyId}/rotate`, { method: 'POST', body });
  const refusal = [403, createExpectedErrorBody('keyExpiry')];

  test('creates no key that outlives it', async () => {
    const { key } = await expiring();
    expect((await create(key, {})).json.expires_at).toBe(own);
    expect((await create(key, { expires_at: sooner })).json.expires_at).toBe(sooner);
    const { status, json } = await create(key, { expires_at: later });
    expect([status, json]).toEqual(refusal);
  });

  test('extends neither its own life nor that of another key beyond its own', async () => {
    const { of, key, keyId } = await expiring();
    const { json: made } = await create(key, { expires_at: sooner });
    for (const id of [keyId, made.key_id])
      for (const expires_at of [later, null]) {
        const { status, json } = await limit(key, id, { expires_at });
        expect([status, json]).toEqual(refusal);
      }
    expect((await limit(key, made.key_id, { expires_at: own })).json.expires_at).toBe(own);
    // An expiring key may set an earlier expiry for another key.
    const { json: unlimited } = await create(of, {});
    expect((await limit(key, unlimited.key_id, { expires_at: later })).json.expires_at).toBe(later);
    expect((await limit(of, keyId, { expires_at: null })).json.expires_at).toBeNull();
  });

  test('rotates no key into one that outlives it', async () => {
    const { of, key, keyId } = await expiring();
    const { json: unlimited } = await create(of, {});
    for (const id of [unlimited.key_id, keyId]) {
      const { status, json } = await rotate(key, id, { expires_at: later });
      expect([status, json]).toEqual(refusal);
      expect((await rotate(key, id, {})).json.expires_at).toBe(own);
    }
    expect((await rotate(of, keyId, {})).json.expires_at).toBeNull();
  });
});

describe('the limits of a key', () => {
  test('apply to changes at once, in every process, and to reads within 10 s', async () => {
    const { key, keyId, of } = await limited([]);
    const inOther = { key, headers: { 'x-forwarded-for': OUTSIDE } };
    expect((await other.send('/v1/devices', inOther)).status).toBe(200);
    expect((await limit(of, keyId, { allowed_addresses: ['10.0.0.0/8'] })).status).toBe(200);
    const body = { type: 'smart_meter', location: 'x' };
    const changed = await other.send('/v1/devices', { ...inOther, method: 'POST', body });
    expect([changed.status, changed.json]).toEqual([403, refused]);
    await expect
      .poll(async () => (await other.send('/v1/devices', inOther)).status, { timeout: 10_000, interval: 500 })
      .toBe(403);
    expect((await limit(of, keyId, { allowed_addresses: [] })).json.allowed_addresses).toEqual([]);
    expect((await other.send('/v1/devices', { ...inOther, method: 'POST', body })).status).toBe(403);
  });

  test('include an expiry time that can be moved and removed', async () => {
    const { of, key, keyId } = await limited(['10.0.0.0/8']);
    const expires_at = '2026-06-16T00:00:00.000Z';
    expect((await limit(of, keyId, { expires_at })).json).toMatchObject({
      expires_at,
      allowed_addresses: ['10.0.0.0/8'],
    });
    expect((await limit(of, keyId, { expires_at: '2026-06-15T11:59:59Z' })).status).toBe(422);
    api.now = new Date('2026-06-17T00:00:00Z');
    expect((await ask(key, INSIDE, '/v1/keys', { method: 'POST', body: {} })).status).toBe(401);
    expect((await limit(of, keyId, { expires_at: null })).status).toBe(404);
    api.now = new Date('2026-06-15T12:00:00Z');
    expect((await limit(of, keyId, { expires_at: null })).json.expires_at).toBeNull();
  });

  test.each([
    ['10.0.0.0/33'],
    ['10.0.0'],
    ['example.com'],
    ['fe80::1%eth0'],
    [''],
    ['0/0'],
    [12],
    [null],
    ['10.0.0.0/8\0'],
    ['1'.repeat(65)],
  ])('cannot be set to %j', async (entry) => {
    const { of, keyId } = await limited([]);
    const answer = await limit(of, keyId, { allowed_addresses: ['10.0.0.0/8', entry] });
    expect([answer.status, answer.json.details[0].field]).toEqual([422, 'allowed_addresses.1']);
    expect((await create(of, { allowed_addresses: [entry] })).status).toBe(422);
  });

  test('may contain 50 networks, and can be set on the caller’s own keys only', async () => {
    const { of, keyId } = await limited([]);
    const many = Array.from({ length: 51 }, (_, number) => `10.0.0.${number}`);
    expect((await limit(of, keyId, { allowed_addresses: many })).status).toBe(422);
    expect((await limit(of, keyId, { allowed_addresses: many.slice(1) })).status).toBe(200);
    const stranger = await api.user('homeowner');
    expect((await limit(stranger.key, keyId, { allowed_addresses: [] })).status).toBe(404);
    const reader = await api.user('homeowner', { scopes: ['insights:read'] });
    expect((await limit(reader.key, keyId, { allowed_addresses: [] })).status).toBe(403);
  });
});
