import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

/** Runs the service's processes on each tier (kind of database server). */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Start of an hour of yesterday, Unix ms. */
const BASE_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - DAY_MS;

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let env: Record<string, string>;
let ingest: RoleProcess;
let worker: RoleProcess;

beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
  // The broker has a fixed port, so that the meter can reconnect after a restart.
  env = { DATABASE_URL: database.url, DATA_DIR: folder.path, MQTT_PORT: String(await findFreePort()) };
  [ingest, worker] = await Promise.all([startRole('ingest', env), startRole('worker', { ...env, MQTT_PORT: '0' })]);
});
afterAll(async () => {
  await Promise.all([ingest.stop(), worker.stop()]);
  await database.drop();
  await folder.remove();
});

async function meter() {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'test' });
  const { device_id: deviceId } = device;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${env.MQTT_PORT}`, {
    username: deviceId,
    password: secret,
    reconnectPeriod: 100,
  });
  client.on('error', () => {});
  const send = (atMs: number, kwh: number) =>
    client.publishAsync(getReadingsTopic(deviceId), JSON.stringify({ ts: atMs, energy_total_kwh: kwh }), { qos: 1 });
  /** Returns the stored energy of the hours between two times, in mWh. */
  const used = async (fromMs: number, toMs: number): Promise<number> => {
    const { rows } = await database.pool.query(
      'SELECT coalesce(sum(energy_milliwatt_hours), 0)::bigint AS "milliwattHours" FROM user_hourly WHERE user_id = $1 AND hour >= $2 AND hour < $3',
      [userId, new Date(fromMs), new Date(toMs)],
    );
    return rows[0].milliwattHours;
  };
  return { send, used, client };
}

test('current readings are visible within 5 s, and a correction of a day long past within 30 s', async () => {
  const { send, used, client } = await meter();
  const past = [BASE_MS - 60 * DAY_MS, BASE_MS - 50 * DAY_MS, BASE_MS - 40 * DAY_MS] as const;
  await send(past[0], 100);
  await send(past[2], 200);
  await send(BASE_MS, 300);
  await send(BASE_MS + HOUR_MS / 2, 301);
  await expect.poll(() => used(BASE_MS, BASE_MS + HOUR_MS)).toBe(1_000_000);
  await expect.poll(() => used(past[0], past[2])).toBe(100_000_000);
  await send(past[1], 190);
  await expect.poll(() => used(past[0], past[1])).toBe(90_000_000);
  expect(await used(past[0], past[2])).toBe(100_000_000);
  await client.endAsync();
});

test('acknowledged messages are stored once, despite a kill -9 during a stream', async () => {
  const { send, used, client } = await meter();
  const untilAcknowledged = async (index: number) => {
    const once = () =>
      send(BASE_MS + index * 1_000, 500 + index / 1_000).then(
        () => true,
        () => false,
      );
    while (!(await once()));
  };
  let sent = 0;
  let over = false;
  const stream = (async () => {
    while (!over) await Promise.all(Array.from({ length: 50 }, () => untilAcknowledged(sent++)));
  })();
  await new Promise((resolve) => setTimeout(resolve, 400));
  await ingest.kill();
  ingest = await startRole('ingest', env);
  const before = sent;
  await expect.poll(() => sent).toBeGreaterThan(before + 50);
  over = true;
  await stream;
  await expect.poll(() => used(BASE_MS, BASE_MS + DAY_MS)).toBe((sent - 1) * 1_000);
  await client.endAsync();
});
