import mqtt, { type MqttClient } from 'mqtt';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSharedClient } from '#ingest/source/shared-client.ts';
import { createDb } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { type RoleProcess, startRole, temporaryFolder } from '#test/support/service.ts';

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
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  // A device's messages alternate between the workers: no more of them a second than these write, on whatever machine.
  const publishing = (async () => {
    while (!isOver) {
      if (sent % 20 === 0) await wait(10);
      const payload = JSON.stringify({ ts: base + sent * 50, energy_total_kwh: 100 + sent / 1e6 });
      await client.publishAsync(`energy/v1/${meters[sent % meters.length]}/readings`, payload, { qos: 1 });
      sent++;
    }
  })();
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
}, 180_000);

test('what queues for a worker that is gone is taken over whole, in however many goes', async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await start();
  const doomed = await start();
  const meters = await devices(10);
  // Both must have seen that they are not alone: until then each gets everything.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  // Stopped as a whole it takes nothing and stays connected: its share queues at the broker, beyond what is under way.
  doomed.process.kill('SIGSTOP');
  const base = Date.now() - 20 * 3_600_000;
  const MESSAGES = 30_000;
  for (let sent = 0; sent < MESSAGES; sent += 1_000) {
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => {
        const payload = JSON.stringify({
          ts: base + (sent + index) * 50,
          energy_total_kwh: 100 + (sent + index) / 1e6,
        });
        return client.publishAsync(`energy/v1/${meters[index % meters.length]}/readings`, payload, { qos: 1 });
      }),
    );
  }
  expect(await stored(meters)).toBeLessThan(MESSAGES - 10_000);
  await doomed.kill();
  workers = workers.filter((worker) => worker !== doomed);
  await expect.poll(() => stored(meters), { timeout: 60_000, interval: 500 }).toBe(MESSAGES);
  const { rows } = await database.pool.query(
    `SELECT sum(energy_milliwatt_hours)::int AS energy FROM user_hourly WHERE user_id = (SELECT user_id FROM devices WHERE device_id = $1)`,
    [meters[0]],
  );
  // The register of each of the ten meters moves by a mWh a message, from its first to its last.
  expect(rows[0].energy).toBe((MESSAGES - 10) * 10);
}, 240_000);

test('a session that could not be noted as empty is given back, and taken again with the next look', async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  const { pool } = database;
  await pool.query('DELETE FROM ingest_slots');
  // Two workers were killed: this one takes the place of the first, and empties that of the second.
  await pool.query('INSERT INTO ingest_slots VALUES (1, true), (2, true)');
  await pool.query(`CREATE FUNCTION refuse_note() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'the database takes no note'; END $$`);
  await pool.query(`CREATE TRIGGER refuse_note BEFORE UPDATE ON ingest_slots FOR EACH ROW
    WHEN (NEW.number = 2 AND NOT NEW.is_subscribed) EXECUTE FUNCTION refuse_note()`);
  const isNoted = async () =>
    (await pool.query('SELECT is_subscribed FROM ingest_slots WHERE number = 2')).rows[0].is_subscribed === false;
  const source = await startSharedClient({
    url: mosquitto.url,
    pool,
    environment: 'live',
    topics: ['energy/v1/+/readings'],
    receive: () => true,
    onSlotLost: () => {},
    log: pino({ level: 'silent' }),
  });
  // Longer than the first look.
  await new Promise((resolve) => setTimeout(resolve, 9_000));
  expect(await isNoted()).toBe(false);
  await pool.query('DROP TRIGGER refuse_note ON ingest_slots');
  await expect.poll(isNoted, { timeout: 20_000 }).toBe(true);
  await source.leave();
  await source.close();
}, 180_000);

test('a session that is taken over goes on where ingest paused before it was subscribed', async () => {
  const { pool } = database;
  await pool.query('DELETE FROM ingest_slots');
  await pool.query('INSERT INTO ingest_slots VALUES (1, true), (2, true)');
  const { rows } = await pool.query('SELECT installation_id FROM installation');
  // What waits for the worker that is gone.
  const session = {
    clientId: `energy-ingest-live-${rows[0].installation_id}-2`,
    clean: false,
    protocolVersion: 5 as const,
  };
  const gone = await mqtt.connectAsync(mosquitto.url, { ...session, properties: { sessionExpiryInterval: 3_600 } });
  await gone.subscribeAsync('waiting/#', { qos: 1 });
  await gone.endAsync();
  const WAITING = 500;
  for (let index = 0; index < WAITING; index++) await client.publishAsync('waiting/x', String(index), { qos: 1 });
  const taken: string[] = [];
  const source = await startSharedClient({
    url: mosquitto.url,
    pool,
    environment: 'live',
    topics: ['energy/v1/+/readings'],
    receive: ({ payload }, done) => {
      taken.push(payload.toString());
      done();
      // Full with the first one, and empty again a moment later.
      if (taken.length > 1) return true;
      setImmediate(() => source.resume());
      return false;
    },
    onSlotLost: () => {},
    log: pino({ level: 'silent' }),
  });
  await expect.poll(() => new Set(taken).size, { timeout: 20_000 }).toBe(WAITING);
  await source.leave();
  await source.close();
}, 60_000);
