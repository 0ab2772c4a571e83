import mqtt from 'mqtt';
import { expect, test } from 'vitest';
import { rotateSecret } from '#simulators/credentials.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createTemporaryDeviceSecret } from '#src/devices/credentials.ts';
import { createDevice, deleteDevice } from '#src/devices/store.ts';
import { releaseDevice } from '#src/onboarding/claims.ts';
import { eraseUser } from '#src/users/erase.ts';
import { createUser } from '#src/users/store.ts';
import { type IngestProcess, setUpIngestProcess } from '#test/support/ingest-process.ts';

let database: IngestProcess['database'];
let ingest: IngestProcess['ingest'];
setUpIngestProcess((made) => {
  ({ database, ingest } = made);
});

test('a connection ends within seconds of its device, owner or password; others stay', async () => {
  const db = createDatabase(database.pool);
  const connect = async (deviceId: string, password: string) => {
    const login = { username: deviceId, password, reconnectPeriod: 0 };
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${ingest.ready.port}`, login);
    client.on('error', () => {});
    return client;
  };
  const device = async (email: string) => {
    const { user_id: userId } = await createUser(db, { email, role: 'homeowner' });
    const { device, secret } = await createDevice(db, { userId, type: 'meter', location: 'cellar' });
    return { userId, deviceId: device.device_id, client: await connect(device.device_id, secret) };
  };
  const emails = ['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example'];
  const [deleted, erased, released, kept] = await Promise.all(emails.map(device));
  if (!deleted || !erased || !released || !kept) throw new Error('four were connected');
  // A simulator uses a temporary secret. This secret stays valid when the device's own secret changes.
  const playing = await createTemporaryDeviceSecret(db, released.deviceId);
  const player = await connect(released.deviceId, playing?.secret ?? '');
  await deleteDevice(db, ALL_ACCOUNTS, deleted.deviceId);
  await eraseUser(db, erased.userId);
  // Before the next check, the device is released and claimed by another meter. It has a password again, but not the same one.
  await releaseDevice(db, ALL_ACCOUNTS, released.deviceId);
  const claimant = await connect(released.deviceId, await rotateSecret(db, released.deviceId));
  const clients = [deleted.client, erased.client, released.client, claimant, player, kept.client];
  const connected = async () => clients.map((client) => client.connected);
  await expect.poll(connected, { interval: 250 }).toEqual([false, false, false, true, true, true]);
  for (const [client, deviceId] of [[claimant, released.deviceId] as const, [kept.client, kept.deviceId] as const])
    await client.publishAsync(`energy/v1/${deviceId}/readings`, '{"power_w":100}', { qos: 1 });
  await Promise.all([claimant, player, kept.client].map((client) => client.endAsync()));
});
