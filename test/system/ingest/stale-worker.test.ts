import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { startMosquitto } from '#test/support/mosquitto.ts';
import { createTemporaryFolder, startRole } from '#test/support/service.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const DEVICES = 10;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a worker that was stopped while another wrote its devices does not write from its stale cache when it resumes', async () => {
  const folder = await createTemporaryFolder();
  // Two workers write readings of the same devices. Each worker has its own broker, and receives only messages that were published there.
  const ends = await Promise.all(
    [0, 1].map(async () => {
      const mosquitto = await startMosquitto();
      const env = { DATABASE_URL: database.url, DATA_DIR: folder.path, MQTT_URL: mosquitto.url, LOG_LEVEL: 'error' };
      const worker = await startRole('ingest', env);
      return { mosquitto, worker, client: await mqtt.connectAsync(mosquitto.url) };
    }),
  );
  const [first, second] = ends as [(typeof ends)[number], (typeof ends)[number]];
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: 'stale@example.com', role: 'homeowner' });
  const ids: string[] = [];
  for (let index = 0; index < DEVICES; index++) {
    ids.push((await createDevice(db, { userId, type: 'smart_meter', location: 'x' })).device.device_id);
  }
  const base = Date.now() - 10 * 3_600_000;
  let sent = 0;
  /** Publishes `count` readings of each device, with timestamps a minute apart, without a pause. */
  const publish = (client: typeof first.client, count: number) => {
    const published: Promise<unknown>[] = [];
    for (let turn = 0; turn < count; turn++, sent++) {
      const payload = JSON.stringify({ ts: base + sent * 60_000, energy_total_kwh: 100 + sent * 0.01 });
      for (const id of ids) published.push(client.publishAsync(`energy/v1/${id}/readings`, payload, { qos: 1 }));
    }
    return Promise.all(published);
  };
  const stored = async () =>
    (await database.pool.query('SELECT count(*)::int AS count FROM readings')).rows[0].count / DEVICES;

  for (let round = 0; round < 3; round++) {
    // The worker is frozen while it receives messages, perhaps within a transaction.
    const streaming = publish(first.client, 40);
    await wait(60 * round);
    first.worker.process.kill('SIGSTOP');
    const others = publish(second.client, 40);
    await wait(1_500);
    first.worker.process.kill('SIGCONT');
    await publish(first.client, 5);
    await Promise.all([streaming, others]);
    await expect.poll(stored, { interval: 200 }).toBe(sent);
  }

  const { rows } = await database.pool.query(
    'SELECT device_id, sum(energy_milliwatt_hours)::int AS energy, sum(reading_count)::int AS count FROM device_intervals GROUP BY 1',
  );
  expect(rows.map(({ energy, count }) => ({ energy, count }))).toEqual(
    ids.map(() => ({ energy: (sent - 1) * 10_000, count: sent - 1 })),
  );
  for (const { client, worker, mosquitto } of ends) {
    await client.endAsync(true);
    await worker.stop();
    await mosquitto.stop();
  }
  await folder.remove();
});
