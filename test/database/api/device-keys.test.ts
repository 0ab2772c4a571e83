import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { createKey } from '#src/auth/keys.ts';
import { createDevice } from '#src/devices/store.ts';
import { eraseUser } from '#src/users/erase.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let admin: { userId: string; key: string };
let utility: { userId: string; key: string };
let home: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi({
    limits: { free: { minute: 20, day: 60 }, enterprise: { minute: 1_000_000, day: 1_000_000 } },
  });
  const made = async (role: 'admin' | 'utility' | 'homeowner', enrolledBy?: string) => {
    const user = await api.user(role, enrolledBy === undefined ? {} : { enrolledBy });
    await api.database.pool.query(`UPDATE users SET plan = 'enterprise' WHERE user_id = $1`, [user.userId]);
    return user;
  };
  admin = await made('admin');
  utility = await made('utility');
  home = await made('homeowner', utility.userId);
});
afterAll(() => api.close());

const rows = async (text: string, values: unknown[] = []) => (await api.database.pool.query(text, values)).rows;
const newDevice = async (managedBy: 'owner' | 'utility' = 'owner', userId = home.userId) =>
  (await createDevice(api.db, { userId, type: 'smart_meter', location: 'x', managedBy })).device.device_id;
const make = (key: string, body: unknown) => api.send('/v1/keys', { method: 'POST', key, body });
let second = 0;
const write = (deviceId: string, key: string) =>
  api.send(`/v1/devices/${deviceId}/readings`, {
    method: 'POST',
    key,
    body: { ts: new Date(Date.UTC(2026, 5, 15, 9) + 1_000 * second++).toISOString(), power_w: 1 },
  });
const newKey = async (deviceId: string, by = home, body: object = {}) => {
  const { status, json } = await make(by.key, { device_id: deviceId, scopes: ['readings:write'], ...body });
  expect(status).toBe(201);
  return json as { key: string; key_id: string; scopes: string[]; device_id: string };
};

describe('a key that is limited to a device', () => {
  test('writes the device’s readings; other devices are 404, and every other operation is 403', async () => {
    const [deviceId, other] = [await newDevice(), await newDevice()];
    const made = await newKey(deviceId);
    expect(made).toMatchObject({ device_id: deviceId, scopes: ['readings:write'] });
    expect((await write(deviceId, made.key)).status).toBe(201);
    expect((await write(other, made.key)).status).toBe(404);
    expect((await write('dev_none', made.key)).status).toBe(404);
    for (const { method, path, name } of OPERATIONS.filter((one) => one.name !== 'sendReadings')) {
      const { status } = await api.send(path.replace('{device_id}', deviceId).replaceAll(/\{\w+\}/g, home.userId), {
        method,
        key: made.key,
      });
      expect([name, status]).toEqual([name, 403]);
    }
    const listed = (await api.send('/v1/keys', { key: home.key })).json;
    expect(listed.find(({ key_id }: { key_id: string }) => key_id === made.key_id)).toMatchObject({
      device_id: deviceId,
    });
  });

  test('can be created by every caller that reaches the device, needs devices:write, and has one scope', async () => {
    const deviceId = await newDevice();
    expect((await make(home.key, { device_id: deviceId })).json.scopes).toEqual(['readings:write']);
    const wanted = { device_id: deviceId, scopes: ['readings:write'] };
    expect((await make(utility.key, { ...wanted, user_id: home.userId })).status).toBe(201);
    expect((await make(admin.key, wanted)).status).toBe(201);
    const stranger = await api.user('homeowner');
    expect((await make(stranger.key, wanted)).status).toBe(404);
    // The account of the key must have access to the device.
    expect((await make(admin.key, { ...wanted, user_id: stranger.userId })).status).toBe(404);
    for (const lacking of ['devices:write', 'keys:write'] as const) {
      const scopes = (['devices:write', 'keys:write', 'readings:write'] as const).filter((one) => one !== lacking);
      const { key } = await createKey(api.db, { userId: home.userId, environment: 'live', scopes });
      expect((await make(key, wanted)).status).toBe(403);
    }
    for (const more of [{ scopes: ['readings:write', 'devices:read'] }, { group_id: 'grp_x' }]) {
      expect((await make(utility.key, { ...wanted, ...more })).status).toBe(422);
    }
    // A homeowner's key without the scope `readings:write` can create a key with that scope only for a single device.
    expect((await make(home.key, { scopes: ['readings:write'] })).status).toBe(403);
    expect((await make(home.key, {})).json.scopes).not.toContain('readings:write');
  });

  test('can write readings of a utility’s device only if the utility or an administrator created it', async () => {
    const deviceId = await newDevice('utility');
    const byHome = await newKey(deviceId);
    const forHome = await newKey(deviceId, utility, { user_id: home.userId });
    const byUtility = await newKey(deviceId, utility);
    const byAdmin = await newKey(deviceId, admin);
    const statuses = await Promise.all([byHome, forHome, byUtility, byAdmin].map(({ key }) => write(deviceId, key)));
    expect(statuses.map(({ status }) => status)).toEqual([403, 201, 201, 201]);
    // A home can list and revoke a key that its utility created, but cannot rotate it.
    const rotate = (key: string) => api.send(`/v1/keys/${forHome.key_id}/rotate`, { method: 'POST', key, body: {} });
    expect((await rotate(home.key)).status).toBe(403);
    const rotated = await rotate(utility.key);
    expect(rotated.json).toMatchObject({ device_id: deviceId, scopes: ['readings:write'] });
    expect((await write(deviceId, rotated.json.key)).status).toBe(201);
    expect((await api.send(`/v1/keys/${forHome.key_id}`, { method: 'DELETE', key: home.key })).status).toBe(200);
    expect((await write(deviceId, forHome.key)).status).toBe(401);
  });

  test('ends with its device, and with its account', async () => {
    const [deviceId, other] = [await newDevice(), await newDevice()];
    const { key } = await newKey(deviceId);
    const byUtility = await newKey(other, utility);
    expect((await write(deviceId, key)).status).toBe(201);
    expect((await api.send(`/v1/devices/${deviceId}`, { method: 'DELETE', key: home.key })).status).toBe(200);
    expect((await write(deviceId, key)).status).toBe(401);
    expect((await make(home.key, { device_id: deviceId })).status).toBe(404);

    const leaving = await api.user('homeowner', { enrolledBy: utility.userId });
    const theirs = await newDevice('owner', leaving.userId);
    const made = await newKey(theirs, utility);
    expect((await write(theirs, made.key)).status).toBe(201);
    await eraseUser(api.db, leaving.userId);
    expect((await write(theirs, made.key)).status).toBe(401);
    const remaining = await rows(
      `SELECT counted FROM request_counts WHERE counted LIKE '%' || $1 OR counted LIKE '%' || $2`,
      [theirs, made.key_id],
    );
    expect(remaining).toEqual([]);
    expect((await write(other, byUtility.key)).status).toBe(201);
  });

  test('shares its owner’s limit per minute with the device’s other keys; refusals suspend only this key', async () => {
    const free = await api.user('homeowner', { enrolledBy: utility.userId });
    const deviceId = await newDevice('owner', free.userId);
    const [one, two] = [await newKey(deviceId, free), await newKey(deviceId, utility)];
    const spent = (await rows('SELECT day_count FROM request_counts WHERE counted = $1', [free.userId]))[0].day_count;
    const first = await write(deviceId, one.key);
    expect(first.headers['ratelimit-policy']).toBe('"minute";q=20;w=60');
    const both = await Promise.all(
      Array.from({ length: 24 }, (_, index) => write(deviceId, (index % 2 === 0 ? one : two).key)),
    );
    expect(both.filter(({ status }) => status === 201).length).toBe(19);
    const refused = both.find(({ status }) => status === 429);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(60);
    // Refused readings of a device's key are not counted for the account. Such a key has no daily limit.
    const [account] = await rows('SELECT day_count FROM request_counts WHERE counted = $1', [free.userId]);
    expect(account.day_count).toBe(spent);

    // After a thousand refused requests, the key is suspended.
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 101 }, () => write(deviceId, one.key)));
    const suspended = await write(deviceId, one.key);
    expect([suspended.status, Number(suspended.headers['retry-after']) > 600]).toEqual([429, true]);
    const now = api.now;
    api.now = new Date(now.getTime() + 61_000);
    expect((await write(deviceId, two.key)).status).toBe(201);
    expect((await write(deviceId, one.key)).status).toBe(429);
    api.now = new Date(now.getTime() + 16 * 60_000);
    expect((await write(deviceId, one.key)).status).toBe(201);
    api.now = now;
    expect((await api.send('/v1/devices', { key: free.key })).status).toBe(200);
  });
});
