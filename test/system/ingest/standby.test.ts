import mqtt, { type MqttClient } from 'mqtt';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MessageReceipt } from '#ingest/source/source.ts';
import { startStandbyClient } from '#ingest/source/standby-client.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

let database: TestDatabase;
let mosquitto: Mosquitto;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
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
const gone = (worker: RoleProcess) => {
  workers = workers.filter((other) => other !== worker);
};
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

beforeAll(async () => {
  [database, mosquitto, folder] = await Promise.all([createTestDatabase(), startMosquitto(), createTemporaryFolder()]);
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
  const db = createDatabase(database.pool);
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

const METERS = 20;
/** Publishes readings until it is stopped, at most 2,000 a second. Each reading raises the register of its meter by 1 mWh. */
function publish(meters: string[]): { stop(): Promise<number> } {
  const base = Date.now() - 20 * 3_600_000;
  let sent = 0;
  let isOver = false;
  const publishing = (async () => {
    while (!isOver) {
      if (sent % METERS === 0) await wait(10);
      const payload = JSON.stringify({ ts: base + sent * 50, energy_total_kwh: 100 + Math.floor(sent / METERS) / 1e6 });
      await client.publishAsync(`energy/v1/${meters[sent % METERS]}/readings`, payload, { qos: 1 });
      sent++;
    }
  })();
  return {
    async stop() {
      isOver = true;
      await publishing;
      return sent;
    },
  };
}

/** Returns the time in ms until another reading of these meters is stored. */
async function untilMore(meters: string[]): Promise<number> {
  const [from, before] = [performance.now(), await stored(meters)];
  await expect.poll(() => stored(meters), { interval: 50 }).toBeGreaterThan(before);
  return performance.now() - from;
}

async function expectAll(meters: string[], sent: number): Promise<void> {
  expect(sent).toBeGreaterThan(500);
  await expect.poll(() => stored(meters), { interval: 200 }).toBe(sent);
  const { rows } = await database.pool.query(
    `SELECT sum(energy_milliwatt_hours)::int AS energy FROM user_hourly WHERE user_id = (SELECT user_id FROM devices WHERE device_id = $1)`,
    [meters[0]],
  );
  const stepsOf = (index: number) => Math.ceil((sent - index) / METERS) - 1;
  expect(rows[0].energy).toBe(meters.map((_, index) => stepsOf(index)).reduce((a, b) => a + b));
}

test('one worker serves while others are on standby, whichever are killed, stopped and started; nothing is lost or counted twice', async () => {
  const first = await start();
  const second = await start();
  expect([first.ready.standing_by, second.ready.standing_by]).toEqual([undefined, true]);
  const meters = await devices(METERS);
  const publishing = publish(meters);
  await untilMore(meters);
  // The killed worker had not acknowledged its last messages. The standby worker takes over the session with these messages.
  await first.kill();
  gone(first);
  expect(await untilMore(meters)).toBeLessThan(scaleTimeLimitMs(5_000));
  const third = await start();
  expect(third.ready.standing_by).toBe(true);
  // The active worker is stopped while a standby worker is running.
  expect(await second.stop()).toBe(0);
  gone(second);
  expect(await untilMore(meters)).toBeLessThan(scaleTimeLimitMs(5_000));
  // No worker is left, so the broker must store the messages.
  expect(await third.stop()).toBe(0);
  gone(third);
  await wait(500);
  const last = await start();
  expect(last.ready.standing_by).toBeUndefined();
  await untilMore(meters);
  await expectAll(meters, await publishing.stop());
});

test('the standby takes over from a hung worker, which ends when it resumes; nothing is lost or counted twice', async () => {
  const serving = workers[0] ?? (await start());
  await start();
  const meters = await devices(METERS);
  const publishing = publish(meters);
  await untilMore(meters);
  const ended = new Promise((resolve) => serving.process.once('exit', resolve));
  serving.process.kill('SIGSTOP');
  // Wait until the database has committed what the frozen worker had already sent.
  await wait(500);
  // The database ends the session of a frozen worker only after 5 s, so the time limit is longer.
  expect(await untilMore(meters)).toBeLessThan(scaleTimeLimitMs(12_000));
  serving.process.kill('SIGCONT');
  expect(await ended).toBe(1);
  gone(serving);
  await untilMore(meters);
  await expectAll(meters, await publishing.stop());
});

/** Starts the service's MQTT client in this process. `taken` is called with each message that the client receives. */
const inProcess = (taken: (payload: string) => boolean) =>
  startStandbyClient({
    url: mosquitto.url,
    pool: database.pool,
    environment: 'live',
    topics: ['energy/v1/+/readings'],
    receive: ({ payload }, receipt) => {
      const goesOn = taken(payload.toString());
      receipt.done();
      return goesOn;
    },
    onLost: () => {},
    log: pino({ level: 'silent' }),
  });

test('shared sessions of an earlier version’s workers are emptied and closed; one that could not be recorded is retried', async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  const { pool } = database;
  await pool.query('DELETE FROM ingest_slots');
  await pool.query('INSERT INTO ingest_slots VALUES (1, true), (2, true)');
  const { rows } = await pool.query('SELECT installation_id FROM installation');
  const session = {
    clientId: `energy-ingest-live-${rows[0].installation_id}-2`,
    clean: false,
    protocolVersion: 5 as const,
  };
  // Create a session of an earlier worker, in which messages wait.
  const earlier = await mqtt.connectAsync(mosquitto.url, { ...session, properties: { sessionExpiryInterval: 3_600 } });
  // The second subscription receives the messages `waiting/…`, which are stored only in this session.
  await earlier.subscribeAsync(['$share/energy/energy/v1/+/readings', 'waiting/#'], { qos: 1 });
  await earlier.endAsync();
  const WAITING = 500;
  for (let index = 0; index < WAITING; index++) await client.publishAsync('waiting/x', String(index), { qos: 1 });
  await pool.query(`CREATE FUNCTION refuse_note() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'the database takes no note'; END $$`);
  await pool.query(`CREATE TRIGGER refuse_note BEFORE UPDATE ON ingest_slots FOR EACH ROW
    WHEN (NEW.number = 2 AND NOT NEW.is_subscribed) EXECUTE FUNCTION refuse_note()`);
  const isNoted = async () =>
    (await pool.query('SELECT is_subscribed FROM ingest_slots WHERE number = 2')).rows[0].is_subscribed === false;
  const taken = new Set<string>();
  const source = await inProcess((payload) => {
    taken.add(payload);
    // The client refuses the first message, as a worker does whose buffers are full, and accepts messages later. The session that it takes
    // over must then continue.
    if (taken.size > 1) return true;
    setImmediate(() => source.resume());
    return false;
  });
  await expect.poll(() => taken.size).toBe(WAITING);
  await wait(1_000);
  expect(await isNoted()).toBe(false);
  await pool.query('DROP TRIGGER refuse_note ON ingest_slots');
  await expect.poll(isNoted).toBe(true);
  // The new worker's client has removed the subscription of the earlier session, so a new message arrives only once.
  const again = await mqtt.connectAsync(mosquitto.url, session);
  const here: string[] = [];
  again.on('message', (_, payload) => here.push(payload.toString()));
  await client.publishAsync('energy/v1/x/readings', 'later', { qos: 1 });
  await expect.poll(() => taken.has('later')).toBe(true);
  expect(here).toEqual([]);
  await again.endAsync();
  await source.leave();
  await source.close();
});

test('a restarted broker has lost no acknowledged message, also with a standby', async () => {
  const dir = await createTemporaryFolder();
  const configuration = [
    'listener 1883',
    'allow_anonymous true',
    'persistence true',
    `persistence_location ${dir.path}/`,
    'max_queued_messages 0',
    '',
  ].join('\n');
  const before = await startMosquitto({ configuration });
  const port = Number(new URL(before.url).port);
  const options = (onTaken: (payload: string) => void) => ({
    url: before.url,
    pool: database.pool,
    environment: 'live',
    topics: ['energy/v1/+/readings'],
    receive: ({ payload }: { payload: Buffer }, receipt: MessageReceipt) => {
      onTaken(payload.toString());
      receipt.done();
      return true;
    },
    onLost: () => {},
    log: pino({ level: 'silent' }),
  });
  const taken = new Set<string>();
  const serving = await startStandbyClient(options((payload) => taken.add(payload)));
  const standby = await startStandbyClient(options((payload) => taken.add(payload)));
  expect([serving.isStandingBy(), standby.isStandingBy()]).toEqual([false, true]);
  await before.stop();
  // The worker's session has a subscription, so the broker stores the messages that devices publish before the worker returns.
  const after = await startMosquitto({ configuration, port });
  const device = await mqtt.connectAsync(after.url);
  for (let index = 0; index < 200; index++)
    await device.publishAsync('energy/v1/x/readings', String(index), { qos: 1 });
  await expect.poll(() => taken.size).toBe(200);
  await device.endAsync();
  for (const source of [standby, serving]) {
    await source.leave();
    await source.close();
  }
  await after.stop();
  await dir.remove();
});
