import { describe, expect, test } from 'vitest';
import { isDeviceLoginValid } from '#src/devices/credentials.ts';
import type { TestApi } from '#test/support/api.ts';
import { type CallersByRole, setUpCallersByRole } from '#test/support/callers.ts';

const DAY_MS = 86_400_000;

let api: TestApi;
let admin: CallersByRole['admin'];
let utility: CallersByRole['utility'];
let home: CallersByRole['home'];
setUpCallersByRole((made) => ({ api, admin, utility, home } = made));

const post = (path: string, key: string, body?: unknown) => api.send(path, { method: 'POST', key, body });
const makeBatch = async (more: object = {}, key = utility.key) =>
  (await post('/v1/provisioning-batches', key, { name: 'lot', max_devices: 5, ...more })).json;
const claim = (batch: { batch_id: string; mqtt: { password: string } }, more: object) =>
  api.send('/provisioning/claim', {
    method: 'POST',
    body: { batch_id: batch.batch_id, secret: batch.mqtt.password, ...more },
  });
let registered = 0;
/** Creates a device in the home for a meter with a new serial number, which the meter can then claim. */
async function register(userId = home.userId): Promise<{ serial: string; deviceId: string }> {
  const serial = `SN-${++registered}`;
  const body = { user_id: userId, type: 'meter', location: 'cellar', external_id: serial };
  return { serial, deviceId: (await post('/v1/devices', admin.key, body)).json.device_id };
}
const REFUSED = { status: 403, json: { error: expect.stringContaining('The claim is refused'), status: 403 } };

test('a meter gets its serial’s device and a password of its own, once', async () => {
  const batch = await makeBatch();
  const { serial, deviceId } = await register();
  const claimed = await claim(batch, { serial });
  expect(claimed).toMatchObject({ status: 201, json: { device_id: deviceId, username: deviceId } });
  expect(await isDeviceLoginValid(api.db, deviceId, claimed.json.password)).toBe(true);
  expect(await claim(batch, { serial })).toMatchObject(REFUSED);
  expect(await claim(batch, { serial, nonce: 'of a hostile meter'.replaceAll(' ', '-') })).toMatchObject(REFUSED);
  expect(await isDeviceLoginValid(api.db, deviceId, claimed.json.password)).toBe(true);

  // The device's manager releases it. Its password then becomes invalid, and its serial number can be claimed again.
  expect(await post(`/v1/devices/${deviceId}/release`, home.key)).toMatchObject({ status: 403 });
  expect(await post(`/v1/devices/${deviceId}/release`, utility.key)).toMatchObject({ status: 200 });
  expect(await isDeviceLoginValid(api.db, deviceId, claimed.json.password)).toBe(false);
  expect(await claim(batch, { serial })).toMatchObject({ status: 201, json: { device_id: deviceId } });
  expect((await api.send('/v1/provisioning-batches', { key: utility.key })).json).toContainEqual(
    expect.objectContaining({ batch_id: batch.batch_id, claimed: 2 }),
  );
  const { rows } = await api.database.pool.query(
    'SELECT action, address, details FROM audit_log WHERE about_user_id = $1 AND target = $2 ORDER BY audit_id',
    [home.userId, deviceId],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'device.paired',
    'device.claimed',
    'device.released',
    'device.claimed',
  ]);
  expect(rows[1]).toMatchObject({ address: '127.0.0.1', details: { batch_id: batch.batch_id, repeated: false } });
});

test('a meter whose answer was lost repeats the claim with its own number; nobody else can', async () => {
  const batch = await makeBatch();
  const { serial, deviceId } = await register();
  const nonce = 'a number of this meter'.replaceAll(' ', '_');
  const first = await claim(batch, { serial, nonce });
  const second = await claim(batch, { serial, nonce });
  expect(second).toMatchObject({ status: 201, json: { device_id: deviceId } });
  expect(await isDeviceLoginValid(api.db, deviceId, first.json.password)).toBe(false);
  expect(await isDeviceLoginValid(api.db, deviceId, second.json.password)).toBe(true);
  expect(await claim(batch, { serial, nonce: `${nonce}x` })).toMatchObject(REFUSED);
  await api.database.pool.query('UPDATE device_heads SET seen_at = now() WHERE device_id = $1', [deviceId]);
  expect(await claim(batch, { serial, nonce })).toMatchObject(REFUSED);
});

test('after a release, a claim can be repeated until the device reports again', async () => {
  const batch = await makeBatch();
  const { serial, deviceId } = await register();
  await claim(batch, { serial });
  await api.database.pool.query(`UPDATE device_heads SET seen_at = $2 WHERE device_id = $1`, [
    deviceId,
    new Date(api.now.getTime() - 60_000),
  ]);
  await post(`/v1/devices/${deviceId}/release`, utility.key);
  const again = { serial, nonce: 'of_this_meter_alone' };
  expect(await claim(batch, again)).toMatchObject({ status: 201 });
  expect(await claim(batch, again)).toMatchObject({ status: 201 });
});

test('no homeowner sets the serial by which a device is claimed: it could take a neighbour’s meter', async () => {
  const refused = { status: 422, json: { details: [{ field: 'external_id' }] } };
  const device = { type: 'meter', location: 'x', external_id: 'SN-of-a-neighbour' };
  expect(await post('/v1/devices', home.key, device)).toMatchObject(refused);
  expect(await post('/v1/imports', home.key, [device])).toMatchObject(refused);
  const { deviceId } = await register();
  const patch = { method: 'PATCH', key: home.key, body: { external_id: 'SN-of-a-neighbour' } };
  expect(await api.send(`/v1/devices/${deviceId}`, patch)).toMatchObject(refused);
});

test('an unregistered serial creates a device if the batch names an owner, and is refused otherwise', async () => {
  expect(await claim(await makeBatch(), { serial: 'unregistered' })).toMatchObject(REFUSED);
  const batch = await makeBatch({ owner_user_id: home.userId, type: 'gas_meter', location: 'shed' });
  const { json } = await claim(batch, { serial: 'unregistered' });
  const device = await api.send(`/v1/devices/${json.device_id}`, { key: home.key });
  expect(device.json).toMatchObject({
    user_id: home.userId,
    external_id: 'unregistered',
    type: 'gas_meter',
    location: 'shed',
  });
  // If the owner has removed a device, a claim does not create it again.
  await api.send(`/v1/devices/${json.device_id}`, { method: 'DELETE', key: home.key });
  expect(await claim(batch, { serial: 'unregistered' })).toMatchObject(REFUSED);
});

describe('a claim is refused', () => {
  test('with a wrong secret, or an unknown, revoked or expired batch', async () => {
    const batch = await makeBatch();
    const { serial } = await register();
    const unauthorized = { status: 401 };
    expect(await claim({ ...batch, mqtt: { password: 'wrong' } }, { serial })).toMatchObject(unauthorized);
    expect(await claim({ ...batch, batch_id: 'prb_\0' }, { serial })).toMatchObject(unauthorized);
    const now = api.now;
    api.now = new Date(now.getTime() + 366 * DAY_MS);
    expect(await claim(batch, { serial })).toMatchObject(unauthorized);
    api.now = now;
    const path = `/v1/provisioning-batches/${batch.batch_id}`;
    const stranger = await api.user('utility');
    for (const key of [stranger.key, home.key])
      expect(await api.send(path, { method: 'DELETE', key })).toMatchObject({ status: 404 });
    expect(await api.send(path, { method: 'DELETE', key: utility.key })).toMatchObject({ status: 200 });
    expect(await claim(batch, { serial })).toMatchObject(unauthorized);
    expect(await api.send(path, { method: 'DELETE', key: utility.key })).toMatchObject({ status: 404 });
  });

  test('of an unlisted serial, of one too many, and of another account’s device', async () => {
    const [one, two, three] = [await register(), await register(), await register()];
    const listed = await makeBatch({ serials: [one.serial] });
    expect(await claim(listed, { serial: two.serial })).toMatchObject(REFUSED);
    expect(await claim(listed, { serial: one.serial })).toMatchObject({ status: 201 });
    const single = await makeBatch({ max_devices: 1 });
    expect(await claim(single, { serial: two.serial })).toMatchObject({ status: 201 });
    expect(await claim(single, { serial: three.serial })).toMatchObject(REFUSED);
    const stranger = await api.user('utility');
    expect(await claim(await makeBatch({}, stranger.key), { serial: three.serial })).toMatchObject(REFUSED);
    expect(await claim(await makeBatch({}, admin.key), { serial: three.serial })).toMatchObject({ status: 201 });
  });

  test('with a batch whose creator is no longer a utility, or does not reach the meters’ owner', async () => {
    const maker = await api.user('utility');
    const customer = await api.user('homeowner');
    const own = async (userId: string | null) =>
      api.db.updateTable('users').set({ enrolled_by: userId }).where('user_id', '=', customer.userId).execute();
    await own(maker.userId);
    const [waiting, making] = [
      await makeBatch({}, maker.key),
      await makeBatch({ owner_user_id: customer.userId }, maker.key),
    ];
    const [one, two] = [await register(customer.userId), await register(customer.userId)];
    expect(await claim(waiting, { serial: one.serial })).toMatchObject({ status: 201 });
    expect(await claim(making, { serial: 'M-1' })).toMatchObject({ status: 201 });
    await own(null);
    expect(await claim(making, { serial: 'M-2' })).toMatchObject(REFUSED);
    await own(maker.userId);
    const demotion = { method: 'PATCH', key: admin.key, body: { role: 'homeowner' } };
    expect(await api.send(`/v1/users/${maker.userId}`, demotion)).toMatchObject({ status: 200 });
    expect(await claim(waiting, { serial: two.serial })).toMatchObject(REFUSED);
    expect(await claim(making, { serial: 'M-3' })).toMatchObject(REFUSED);
  });

  test('of two meters with one serial concurrently: one gets it', async () => {
    const batch = await makeBatch();
    const { serial } = await register();
    const answers = await Promise.all(Array.from({ length: 8 }, () => claim(batch, { serial })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(403)]);
  });

  test.each([
    [{}],
    [{ serial: '' }],
    [{ serial: 'a\nb' }],
    [{ serial: 'x', nonce: 'short' }],
    [{ serial: 'x', more: 1 }],
  ])('if its message contains %j', async (more) => {
    expect(await claim(await makeBatch(), more)).toMatchObject({ status: 422 });
  });
});

test('batches are created by utilities and administrators, for accounts that they reach', async () => {
  expect(await post('/v1/provisioning-batches', home.key, { name: 'x', max_devices: 1 })).toMatchObject({
    status: 403,
  });
  const stranger = await api.user('homeowner');
  const foreign = { name: 'x', max_devices: 1, owner_user_id: stranger.userId };
  expect(await post('/v1/provisioning-batches', utility.key, foreign)).toMatchObject({ status: 404 });
  const { deviceId } = await register(stranger.userId);
  for (const key of [utility.key, home.key])
    expect(await post(`/v1/devices/${deviceId}/release`, key)).toMatchObject({ status: 404 });
  const reader = await api.user('utility', { scopes: ['devices:read'] });
  expect(await post('/v1/provisioning-batches', reader.key, { name: 'x', max_devices: 1 })).toMatchObject({
    status: 403,
  });
  const listed = await api.send('/v1/provisioning-batches', { key: home.key });
  expect(listed.json).toEqual([]);
  const { json } = await post('/v1/provisioning-batches', utility.key, { name: 'x', max_devices: 1 });
  expect(
    JSON.stringify((await api.send('/v1/provisioning-batches?limit=200', { key: utility.key })).json),
  ).not.toContain(json.mqtt.password);
});
