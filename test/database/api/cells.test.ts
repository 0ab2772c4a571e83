import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { createCsrfToken, openSession } from '#src/auth/sessions.ts';
import { parseCell, setCell } from '#src/core/cell.ts';
import { createMailedToken } from '#src/core/secrets.ts';
import { canConnectToRabbitMq, canPublishOnTopic, isClientIdOfAnotherLogin } from '#src/devices/broker-access.ts';
import { isDeviceLoginValid } from '#src/devices/credentials.ts';
import { startTestApi, TEST_URL, type TestApi } from '#test/support/api.ts';
import { createAuthenticator } from '#test/support/authenticator.ts';

/** `first`: API of the first cell (installation), whose ids contain no cell name. `second`: API of cell c2. */
let first: TestApi;
let second: TestApi;
beforeAll(async () => {
  [first, second] = await Promise.all([startTestApi(), startTestApi()]);
});
afterAll(async () => {
  setCell(undefined);
  await Promise.all([first.close(), second.close()]);
});

const cookie = (secret: string) => ({ cookie: `__Secure-energy_session=${secret}` });

/** Creates accounts, a device and a gateway in a cell, with their credentials. */
async function createCredentials(api: TestApi, cell: string | undefined) {
  setCell(cell);
  const admin = await api.user('admin');
  const key = admin.key;
  const home = await api.send('/v1/users', {
    method: 'POST',
    key,
    body: { email: 'home@example.com', role: 'homeowner' },
  });
  expect(home.status).toBe(201);
  const userId: string = home.json.user_id;
  const device = { user_id: userId, type: 'smart_meter', location: 'cellar' };
  const paired = await api.send('/v1/devices', { method: 'POST', key, body: device });
  const gateway = await api.send('/v1/gateways', { method: 'POST', key, body: { user_id: userId, name: 'Hub' } });
  const { key: own } = await createKey(api.db, { userId, environment: 'live' });
  expect([paired.status, gateway.status]).toEqual([201, 201]);
  const { secret } = await openSession(api.db, userId, api.now);
  api.mailed.length = 0;
  await api.send('/dashboard/sign-in', { method: 'POST', body: { email: 'home@example.com' } });
  await expect.poll(() => api.mailed.length).toBe(1);
  return {
    admin,
    userId,
    paired: paired.json,
    gateway: gateway.json,
    key: own,
    secret,
    token: api.mailed[0]?.token ?? '',
    signInId: api.mailed[0]?.sign_in_id ?? '',
  };
}

test('ids and keys that a cell creates contain its name, work there, and are unknown in another cell', async () => {
  const here = await createCredentials(first, undefined);
  const there = await createCredentials(second, 'c2');
  for (const [of, cell] of [
    [here, null],
    [there, 'c2'],
  ] as const) {
    const { device_id, mqtt } = of.paired;
    const all = [of.userId, device_id, mqtt.username, of.gateway.gateway_id, of.key, of.secret, of.token, of.signInId];
    expect(all.map(parseCell)).toEqual(all.map(() => cell));
  }
  for (const [api, own, other] of [
    [first, here, there],
    [second, there, here],
  ] as const) {
    const get = async (path: string, key: string) => (await api.send(path, { key })).status;
    const paths = (of: typeof own) => [`/v1/users/${of.userId}`, `/v1/devices/${of.paired.device_id}`];
    for (const path of paths(own)) expect([path, await get(path, own.key)]).toEqual([path, 200]);
    for (const path of paths(other)) {
      // For another account's id, a homeowner gets a 403. For an object of another account, the homeowner gets a 404.
      expect([path, await get(path, own.key)]).toEqual([path, path.includes('/users/') ? 403 : 404]);
      expect([path, await get(path, own.admin.key)]).toEqual([path, 404]);
      expect([path, await get(path, other.key)]).toEqual([path, 401]);
    }
    const rename = async (gatewayId: string) => {
      const sent = { method: 'PATCH', key: own.admin.key, body: { name: 'Hall' } };
      return (await api.send(`/v1/gateways/${gatewayId}`, sent)).status;
    };
    expect([await rename(own.gateway.gateway_id), await rename(other.gateway.gateway_id)]).toEqual([200, 404]);
    const session = (secret: string) => api.send('/dashboard/session', { headers: cookie(secret) });
    expect((await session(own.secret)).json.user?.user_id).toBe(own.userId);
    expect((await session(other.secret)).json.user).toBeNull();
    expect((await api.send('/dashboard/v1/devices', { headers: cookie(other.secret) })).status).toBe(401);
    const signIn = (token: string) => api.send('/dashboard/session', { method: 'POST', body: { token } });
    expect((await signIn(other.token)).status).toBe(422);
    expect((await signIn(own.token)).status).toBe(201);
    const mailed = createMailedToken('the secret of the tests', 'unsubscribe', other.userId);
    expect((await api.send(`/unsubscribe/${mailed}`)).status).toBe(404);
    const { username, password } = own.paired.mqtt;
    expect(await isDeviceLoginValid(api.db, username, password)).toBe(true);
    expect(await isDeviceLoginValid(api.db, other.paired.mqtt.username, other.paired.mqtt.password)).toBe(false);
  }
});

test('a passkey signs in to the cell that has it, because it signs the challenges of all cells', async () => {
  const authenticator = createAuthenticator(TEST_URL);
  setCell('c2');
  const { userId } = await second.user('homeowner');
  const { session_id, secret } = await openSession(second.db, userId, second.now);
  const headers = { ...cookie(secret), 'x-csrf-token': createCsrfToken('the secret of the tests', session_id) };
  const post = (api: TestApi, path: string, body: object, sent = {}) =>
    api.send(path, { method: 'POST', body, headers: sent });
  const { challenge_id, options } = (await post(second, '/dashboard/session/passkey', {}, headers)).json;
  const added = { challenge_id, name: 'phone', credential: authenticator.create(options) };
  expect((await post(second, '/dashboard/v1/passkeys', added, headers)).status).toBe(201);
  const begin = async (api: TestApi, cell: string | undefined) => {
    setCell(cell);
    return (await post(api, '/dashboard/sign-in/passkey', {})).json;
  };
  const started = [await begin(first, undefined), await begin(second, 'c2')];
  expect(started.map(({ sign_in_id }) => parseCell(sign_in_id))).toEqual([null, 'c2']);
  // Joins the challenges of both cells, as the sign-in page does.
  const challenge = started.map((one) => one.options.challenge).join('');
  const passkey = authenticator.sign({ challenge });
  const enter = (api: TestApi, one: { sign_in_id: string }) =>
    post(api, '/dashboard/session', { sign_in_id: one.sign_in_id, passkey });
  expect((await enter(first, started[0])).status).toBe(422);
  const entered = await enter(second, started[1]);
  expect([entered.status, entered.json.user?.user_id]).toEqual([201, userId]);
  expect((await enter(second, started[1])).status).toBe(422);
});

test('a device of a cell has its own topics, and cannot use the client id of another login', () => {
  const [one, other] = [`dev_c2_${'0'.repeat(26)}`, `dev_c2_${'1'.repeat(26)}`];
  expect(canPublishOnTopic(one, `energy/v1/${one}/readings`)).toBe(true);
  expect(canPublishOnTopic(one, `energy/v1/${other}/readings`)).toBe(false);
  expect([canConnectToRabbitMq(one, `${one}-1`), canConnectToRabbitMq(one, other)]).toEqual([true, false]);
  expect([isClientIdOfAnotherLogin(one, `${one}/x`), isClientIdOfAnotherLogin(one, `${other}/x`)]).toEqual([
    false,
    true,
  ]);
});
