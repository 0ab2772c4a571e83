import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { devicePatchSchema } from '#src/api/v1/devices/shape.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createDevice, updateDevice } from '#src/devices/store.ts';
import { importDevices } from '#src/onboarding/import.ts';
import { COMMAND_LINE_ACTOR } from '#src/users/audit.ts';
import type { TestApi } from '#test/support/api.ts';
import { type CallersByRole, setUpCallersByRole } from '#test/support/callers.ts';
import { createTestMeter } from '#test/support/meters.ts';

let api: TestApi;
let admin: CallersByRole['admin'];
let utility: CallersByRole['utility'];
let home: CallersByRole['home'];
setUpCallersByRole((made) => ({ api, admin, utility, home } = made));

const ask = (method: string, path: string, key: string, body?: unknown) =>
  api.send(path, { method, key, ...(body === undefined ? {} : { body }) });
let made = 0;
const wanted = () => ({ type: 'smart_meter', location: `place ${++made}` });
const idOf = async (location: string) => {
  const { rows } = await api.database.pool.query('SELECT device_id FROM devices WHERE location = $1', [location]);
  return rows[0].device_id as string;
};
const managedBy = async (deviceId: string) =>
  (await ask('GET', `/v1/devices/${deviceId}`, home.key)).json.managed_by as string;

async function post(key: string, more: object = {}): Promise<string> {
  const answer = await ask('POST', '/v1/devices', key, { ...wanted(), user_id: home.userId, ...more });
  expect(answer.status).toBe(201);
  return answer.json.device_id;
}

async function imported(key: string): Promise<string> {
  const row = { ...wanted(), user_id: home.userId };
  const answer = await api.send('/v1/imports', { method: 'POST', key, body: [row] });
  expect(answer.status).toBe(201);
  return idOf(row.location);
}

async function claimed(external: boolean): Promise<string> {
  const serial = `serial-${++made}`;
  const owner = external ? {} : { owner_user_id: home.userId };
  if (external) {
    const own = await post(home.key);
    await ask('PATCH', `/v1/devices/${own}`, utility.key, { external_id: serial });
  }
  const batch = (await ask('POST', '/v1/provisioning-batches', utility.key, { name: 'lot', max_devices: 5, ...owner }))
    .json;
  const body = { batch_id: batch.batch_id, secret: batch.mqtt.password, serial };
  const answer = await api.send('/provisioning/claim', { method: 'POST', body });
  expect(answer.status).toBe(201);
  return answer.json.device_id;
}

/** Creates a device behind a gateway of the home. Returns the ids of the device and the gateway. */
async function behindGateway(key: string): Promise<{ deviceId: string; gatewayId: string }> {
  const gatewayId = (await ask('POST', '/v1/gateways', home.key, { name: 'home' })).json.gateway_id;
  await api.database.pool.query(
    `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id, channels, first_seen_at, last_seen_at)
     VALUES ($1, $2, 'tasmota', $1, '[]', now(), now())`,
    [`dsc_${++made}`, gatewayId],
  );
  return { deviceId: await post(key, { discovery_id: `dsc_${made}` }), gatewayId };
}

const operator = {
  reach: ALL_ACCOUNTS,
  ownId: null,
  newOwners: null,
  by: { actor: null, address: COMMAND_LINE_ACTOR },
};
/** Every way to create a device, with the party that then manages it. */
const WAYS: [way: string, manager: 'owner' | 'utility', make: () => Promise<string>][] = [
  ['the home pairs it', 'owner', () => post(home.key)],
  ['the home imports it', 'owner', () => imported(home.key)],
  ['the home pairs it from its gateway', 'owner', async () => (await behindGateway(home.key)).deviceId],
  ['its utility pairs it', 'utility', () => post(utility.key)],
  ['its utility pairs it from the home’s gateway', 'utility', async () => (await behindGateway(utility.key)).deviceId],
  ['its utility imports it', 'utility', () => imported(utility.key)],
  ['an administrator pairs it', 'utility', () => post(admin.key)],
  ['a meter claims it, where none was', 'utility', () => claimed(false)],
  ['a meter claims the home’s', 'utility', () => claimed(true)],
  [
    'an operator imports it',
    'utility',
    async () => {
      const settings = wanted();
      await importDevices(api.db, operator, [{ name: 'line 2', userId: home.userId, settings }]);
      return idOf(settings.location);
    },
  ],
];

const CERTIFICATE = 'ab'.repeat(32);
/** For each JSON member of a device that affects bills: a change of this member. */
const PATCHES: Record<string, unknown> = {
  type: 'heat_pump',
  limit_kw: 1,
  register_max_kwh: 100,
  max_gap_minutes: 5,
  timezone: 'Asia/Tokyo',
  decoder_config: { unit: 'Wh' },
  placement: 'excluded',
  upstream_device_id: null,
  channels: [{ native_name: 'import energy_total_kwh', counts_as: 'ignored' }],
  certificate_sha256: CERTIFICATE,
  managed_by: 'owner',
};
const EDIT = { action: 'exclude', start: '2026-06-01T00:00:00Z', end: '2026-06-02T00:00:00Z', reason: 'x' };

/** Calls every operation that only the device's manager may use, except a change of location. Returns the status of each. */
async function tryAll(deviceId: string, key: string): Promise<Record<string, number>> {
  const path = `/v1/devices/${deviceId}`;
  const tried: Record<string, number> = {};
  for (const [member, value] of Object.entries(PATCHES))
    tried[member] = (await ask('PATCH', path, key, { [member]: value })).status;
  tried.edit = (await ask('POST', `${path}/edits`, key, EDIT)).status;
  tried.release = (await ask('POST', `${path}/release`, key)).status;
  tried.delete = (await ask('DELETE', path, key)).status;
  return tried;
}

test.each(WAYS)('created by %s, it is managed by the %s', async (_way, manager, make) => {
  const deviceId = await make();
  expect(await managedBy(deviceId)).toBe(manager);
  const tried = await tryAll(deviceId, home.key);
  const own = manager === 'owner' ? { edit: 201 } : {};
  const expected = Object.fromEntries(Object.keys(tried).map((one) => [one, manager === 'owner' ? 200 : 403]));
  // Only utilities and administrators can set a device's certificate and manager.
  expect(tried).toEqual({ ...expected, ...own, certificate_sha256: 403, managed_by: 403 });
});

test('the test tries every member of PATCH', () => {
  const open = ['location', 'external_id'];
  expect(Object.keys(devicePatchSchema.shape).filter((member) => !open.includes(member))).toEqual(
    expect.arrayContaining(Object.keys(PATCHES)),
  );
  expect(Object.keys(devicePatchSchema.shape)).toHaveLength(Object.keys(PATCHES).length + open.length);
});

describe('a device of the utility', () => {
  test('answers 403 without revealing other accounts, and 404 to a caller that does not reach it', async () => {
    const deviceId = await post(utility.key);
    const refused = await ask('PATCH', `/v1/devices/${deviceId}`, home.key, { limit_kw: 1 });
    expect(refused).toMatchObject({
      status: 403,
      json: { error: 'A utility manages this device' },
    });
    const stranger = await api.user('homeowner');
    expect((await tryAll(deviceId, stranger.key)).limit_kw).toBe(404);
    expect((await ask('DELETE', `/v1/devices/${deviceId}`, stranger.key)).status).toBe(404);
  });

  test('can be named and located by its owner', async () => {
    const deviceId = await post(utility.key);
    const body = { location: 'where I see it' };
    expect(await ask('PATCH', `/v1/devices/${deviceId}`, home.key, body)).toMatchObject({ status: 200, json: body });
    expect((await ask('PATCH', `/v1/devices/${deviceId}`, home.key, { ...body, limit_kw: 2 })).status).toBe(403);
  });

  test('keeps its utility’s edits: the owner sees them, and cannot revoke them', async () => {
    const { deviceId, read, userId } = await createTestMeter(api.database);
    await api.database.pool.query('UPDATE users SET enrolled_by = $2 WHERE user_id = $1', [userId, utility.userId]);
    const key = (await ask('POST', '/v1/keys', admin.key, { user_id: userId })).json.key;
    await updateDevice(api.db, ALL_ACCOUNTS, deviceId, { managed_by: 'utility' });
    await read([['2026-06-01T10:00:00Z', 1]], api.now);
    const path = `/v1/devices/${deviceId}/edits`;
    const { edit_id } = (await ask('POST', path, utility.key, EDIT)).json;
    expect((await ask('DELETE', `${path}/${edit_id}`, key)).status).toBe(403);
    expect((await ask('GET', path, key)).json).toMatchObject([{ edit_id, status: 'in_force', author: utility.userId }]);
    // The bill lists the edit and its author, even after the edit has been revoked.
    const days = { device_id: deviceId, start: '2026-06-01', end: '2026-06-02' };
    const bill = (await ask('POST', '/v1/bill-periods', utility.key, days)).json;
    const named = { edit_id, device_id: deviceId, action: 'exclude', reason: 'x', author: 'utility' };
    expect(bill.last_told.edits).toMatchObject([named]);
    expect((await ask('DELETE', `${path}/${edit_id}`, utility.key)).json).toMatchObject({ status: 'revoked' });
    const now = (await ask('GET', `/v1/bill-periods/${bill.bill_period_id}`, key)).json;
    expect([now.last_told.edits, now.known_now.edits]).toMatchObject([[named], []]);
  });

  test('sends through a gateway that its owner can neither reconfigure nor delete while the device exists', async () => {
    const { deviceId, gatewayId } = await behindGateway(utility.key);
    const path = `/v1/gateways/${gatewayId}`;
    const config = { decoder_config: { mapping: [] } };
    expect((await ask('PATCH', path, home.key, config)).status).toBe(403);
    expect((await ask('DELETE', path, home.key)).status).toBe(403);
    expect((await ask('PATCH', path, home.key, { name: 'mine' })).json).toMatchObject({ managed_by: 'utility' });
    expect((await ask('PATCH', path, utility.key, config)).status).toBe(200);
    await ask('DELETE', `/v1/devices/${deviceId}`, utility.key);
    expect((await ask('PATCH', path, home.key, config)).json).toMatchObject({ managed_by: 'owner' });
    expect((await ask('DELETE', path, home.key)).status).toBe(200);
  });

  test('can be handed over to its owner by the utility, and taken back only by an administrator', async () => {
    const deviceId = await post(utility.key);
    const give = (key: string, managed_by: string) => ask('PATCH', `/v1/devices/${deviceId}`, key, { managed_by });
    expect(await give(utility.key, 'owner')).toMatchObject({ status: 200, json: { managed_by: 'owner' } });
    expect((await ask('PATCH', `/v1/devices/${deviceId}`, home.key, { limit_kw: 1 })).status).toBe(200);
    expect((await give(utility.key, 'utility')).status).toBe(403);
    expect((await give(home.key, 'utility')).status).toBe(403);
    expect((await give(admin.key, 'utility')).status).toBe(200);
  });
});

test('a home that its utility enrolled manages the devices that it paired, as does the utility', async () => {
  const deviceId = await post(home.key);
  expect((await ask('PATCH', `/v1/devices/${deviceId}`, home.key, { placement: 'excluded' })).status).toBe(200);
  expect((await ask('PATCH', `/v1/devices/${deviceId}`, utility.key, { placement: 'grid' })).status).toBe(200);
});

test('a certificate is registered by a utility or an administrator, once', async () => {
  const [one, other] = [await post(home.key), await post(home.key)];
  const register = (id: string, key: string) =>
    ask('PATCH', `/v1/devices/${id}`, key, { certificate_sha256: 'cd'.repeat(32) });
  expect((await register(one, home.key)).status).toBe(403);
  expect((await register(one, utility.key)).status).toBe(200);
  expect((await register(other, admin.key)).status).toBe(409);
});

test('a device that an administrator or operator pairs for a home without a utility is managed by the home', async () => {
  const alone = await api.user('homeowner');
  const posted = (await ask('POST', '/v1/devices', admin.key, { ...wanted(), user_id: alone.userId })).json.device_id;
  const settings = wanted();
  await importDevices(api.db, operator, [{ name: 'line 2', userId: alone.userId, settings }]);
  for (const deviceId of [posted, await idOf(settings.location)]) {
    expect((await ask('GET', `/v1/devices/${deviceId}`, alone.key)).json.managed_by).toBe('owner');
    expect((await ask('PATCH', `/v1/devices/${deviceId}`, alone.key, { placement: 'grid' })).status).toBe(200);
  }
});

test('the update gives existing devices to the account that paired them, and others to the home’s utility', async () => {
  const alone = await api.user('homeowner');
  const posted = async (key: string, userId: string) =>
    (await ask('POST', '/v1/devices', key, { ...wanted(), user_id: userId })).json.device_id as string;
  const unknown = async (userId: string) => {
    const { device } = await createDevice(api.db, { userId, type: 'meter', location: 'x' });
    return device.device_id;
  };
  const found: [deviceId: string, manager: string][] = [
    [await posted(home.key, home.userId), 'owner'],
    [await posted(utility.key, home.userId), 'utility'],
    [await posted(admin.key, alone.userId), 'owner'],
    [await posted(alone.key, alone.userId), 'owner'],
    [await claimed(true), 'utility'],
    [await unknown(home.userId), 'utility'],
    [await unknown(alone.userId), 'owner'],
    [await unknown(utility.userId), 'owner'],
  ];
  const migration = await readFile('sql/schema/0055_managed_devices.sql', 'utf8');
  const { pool } = api.database;
  await pool.query("UPDATE devices SET managed_by = 'utility'");
  await pool.query(migration.slice(migration.indexOf('WITH acts')));
  const { rows } = await pool.query('SELECT device_id, managed_by FROM devices WHERE device_id = ANY ($1)', [
    found.map(([deviceId]) => deviceId),
  ]);
  const now = new Map(rows.map((row) => [row.device_id, row.managed_by]));
  expect(found.map(([deviceId]) => [deviceId, now.get(deviceId)])).toEqual(found);
});
