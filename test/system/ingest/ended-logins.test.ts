import mqtt from 'mqtt';
import { expect, test } from 'vitest';
import { createDb } from '#src/database/connect.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { createDevice, deleteDevice } from '#src/devices/store.ts';
import { eraseUser } from '#src/users/erase.ts';
import { createUser } from '#src/users/store.ts';
import { type IngestProcess, ingestProcess } from '#test/support/ingest-process.ts';

let database: IngestProcess['database'];
let ingest: IngestProcess['ingest'];
ingestProcess((made) => {
  ({ database, ingest } = made);
});

test('a deleted device and those of an erased user lose their connections within seconds; others keep theirs', async () => {
  const db = createDb(database.pool);
  const connect = async (email: string) => {
    const { user_id: userId } = await createUser(db, { email, role: 'homeowner' });
    const { device, secret } = await createDevice(db, { userId, type: 'meter', location: 'cellar' });
    const login = { username: device.device_id, password: secret, reconnectPeriod: 0 };
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${ingest.ready.port}`, login);
    client.on('error', () => {});
    return { userId, deviceId: device.device_id, client };
  };
  const [deleted, erased, kept] = await Promise.all(['a@x.example', 'b@x.example', 'c@x.example'].map(connect));
  if (!deleted || !erased || !kept) throw new Error('three were connected');
  await deleteDevice(db, EVERYBODY, deleted.deviceId);
  await eraseUser(db, erased.userId);
  const connected = async () => [deleted, erased, kept].map(({ client }) => client.connected);
  await expect.poll(connected, { timeout: 15_000, interval: 250 }).toEqual([false, false, true]);
  await kept.client.publishAsync(`energy/v1/${kept.deviceId}/readings`, '{"power_w":100}', { qos: 1 });
  await kept.client.endAsync();
}, 180_000);
