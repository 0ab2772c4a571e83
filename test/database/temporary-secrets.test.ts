import { afterAll, beforeAll, expect, test } from 'vitest';
import { rotateSecret, runWithTemporarySecret } from '#simulators/credentials.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import {
  createTemporaryDeviceSecret,
  deleteExpiredSecrets,
  findInvalidLogins,
  hashSecret,
  isDeviceLoginValid,
  type LoginCredentials,
} from '#src/devices/credentials.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { createDevice, deleteDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());

async function device() {
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'cellar' });
  const deviceId = device.device_id;
  return {
    userId,
    deviceId,
    secret,
    login: (given: string, now?: Date) => isDeviceLoginValid(db, deviceId, given, now),
  };
}

test('a device logs in with its own secret regardless of simulators, whose secrets expire by themselves', async () => {
  const { deviceId, secret, login } = await device();
  // Simulates a killed simulator, which could not delete its temporary secret.
  const killed = await createTemporaryDeviceSecret(db, deviceId);
  expect(await login(secret)).toBe(true);
  expect(await login(killed?.secret ?? '')).toBe(true);
  expect(await login(killed?.secret ?? '', new Date(Date.now() + 1.01 * DAY_MS))).toBe(false);
  expect(await login(secret, new Date(Date.now() + 400 * DAY_MS))).toBe(true);
  await createTemporaryDeviceSecret(db, deviceId, new Date(Date.now() + 2 * DAY_MS));
  await deleteExpiredSecrets(db, new Date(Date.now() + 2 * DAY_MS));
  const { rows } = await database.pool.query('SELECT 1 FROM temporary_secrets WHERE device_id = $1', [deviceId]);
  expect(rows).toHaveLength(1);
});

test('two simulators may act as one device concurrently, and each removes only its own secret', async () => {
  const { deviceId, secret, login } = await device();
  let second = '';
  await runWithTemporarySecret(db, deviceId, async (one) => {
    await runWithTemporarySecret(db, deviceId, async (other) => {
      second = other;
      expect([await login(one), await login(other), await login(secret)]).toEqual([true, true, true]);
    });
    expect([await login(one), await login(second), await login(secret)]).toEqual([true, false, true]);
  });
  expect(await login(secret)).toBe(true);
});

test('a secret is valid for one device only, and never for a deleted one', async () => {
  const [one, other] = [await device(), await device()];
  const made = await createTemporaryDeviceSecret(db, one.deviceId);
  expect(await other.login(made?.secret ?? '')).toBe(false);
  await deleteDevice(db, ALL_ACCOUNTS, one.deviceId);
  expect(await one.login(made?.secret ?? '')).toBe(false);
  expect(await createTemporaryDeviceSecret(db, one.deviceId)).toBeNull();
  await expect(runWithTemporarySecret(db, 'dev_of_nobody', async () => {})).rejects.toThrow('There is no device');
});

test('a login ends once its password is neither the device’s nor a simulator’s', async () => {
  const { deviceId, secret } = await device();
  const made = await createTemporaryDeviceSecret(db, deviceId);
  const [own, played, foreign] = [secret, made?.secret ?? '', (await device()).secret].map((one) => ({
    username: deviceId,
    secretSha256: hashSecret(one),
  })) as [LoginCredentials, LoginCredentials, LoginCredentials];
  const gateway = await createGateway(db, { userId: (await device()).userId, name: 'Hall' });
  const bridged = { username: gateway.gateway.gateway_id, secretSha256: hashSecret(gateway.secret) };
  const all = [own, played, foreign, bridged, { ...bridged, secretSha256: own.secretSha256 }];
  const ended = async (now?: Date) => (await findInvalidLogins(db, all, now)).map((login) => all.indexOf(login)).sort();
  expect(await ended()).toEqual([2, 4]);
  expect(await ended(new Date(Date.now() + 1.01 * DAY_MS))).toEqual([1, 2, 4]);
  await rotateSecret(db, deviceId);
  expect(await ended()).toEqual([0, 2, 4]);
  await deleteDevice(db, ALL_ACCOUNTS, deviceId);
  expect(await ended()).toEqual([0, 1, 2, 4]);
  expect(await findInvalidLogins(db, [])).toEqual([]);
});
