import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDb } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type Mosquitto, startMosquitto } from '../support/mosquitto.ts';
import { type RoleProcess, startRole, temporaryFolder } from '../support/service.ts';

let database: TestDatabase;
let mosquitto: Mosquitto;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let client: MqttClient;
let workers: RoleProcess[] = [];
const start = async () => {
  const worker = await startRole('ingest', {
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    MQTT_URL: mosquitto.url,
    LOG_LEVEL: 'error',
  });
  workers.push(worker);
  return worker;
};

beforeAll(async () => {
  [database, mosquitto, folder] = await Promise.all([testDatabase(), startMosquitto(), temporaryFolder()]);
  client = await mqtt.connectAsync(mosquitto.url);
});
afterAll(async () => {
  await client.endAsync(true);
  await Promise.all(workers.map((worker) => worker.stop()));
  await mosquitto.stop();
  await database.drop();
  await folder.remove();
});

async function devices(count: number): Promise<string[]> {
  const db = createDb(database.pool);
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const made = [];
  for (let index = 0; index < count; index++) {
    made.push((await createDevice(db, { userId, type: 'smart_meter', location: 'x' })).device.device_id);
  }
  return made;
}

const stored = async (deviceIds: string[]) =>
  (
    await database.pool.query(
      'SELECT count(*)::int AS count FROM readings JOIN series USING (series_id) WHERE device_id = ANY ($1)',
      [deviceIds],
    )
  ).rows[0].count;

test('workers on one host share what comes, whoever comes and goes: killed, stopped, started; nothing is lost or doubled', async () => {
  const first = await start();
  await start();
  const meters = await devices(20);
  const base = Date.now() - 20 * 3_600_000;
  let sent = 0;
  let isOver = false;
  // A device's messages alternate between the workers.
  const publishing = (async () => {
    while (!isOver) {
      const payload = JSON.stringify({ ts: base + sent * 50, energy_total_kwh: 100 + sent / 1e6 });
      await client.publishAsync(`energy/v1/${meters[sent % meters.length]}/readings`, payload, { qos: 1 });
      sent++;
    }
  })();
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await wait(1_000);
  // Killed: whoever comes next has its place, and what it had not acknowledged.
  await first.kill();
  workers = workers.filter((worker) => worker !== first);
  const third = await start();
  await wait(1_000);
  // Stopped for good, with another one there: what comes from now on is the other's.
  expect(await third.stop()).toBe(0);
  workers = workers.filter((worker) => worker !== third);
  await wait(1_000);
  // All of them stopped: the broker keeps what comes meanwhile.
  const [last] = workers.splice(0);
  expect(await last?.stop()).toBe(0);
  await wait(500);
  await start();
  // Killed, and never replaced: the other one empties its session at the broker.
  const doomed = await start();
  await wait(1_000);
  await doomed.kill();
  workers = workers.filter((worker) => worker !== doomed);
  await wait(500);
  isOver = true;
  await publishing;
  expect(sent).toBeGreaterThan(500);
  await expect.poll(() => stored(meters), { timeout: 20_000, interval: 200 }).toBe(sent);
}, 90_000);
