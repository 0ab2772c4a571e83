import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { type RoleProcess, startRole, temporaryFolder } from '#test/support/service.ts';
import { pairDevices } from '../../../bench/support.ts';

/** Messages of a flood that waits at the broker, and of how many devices. */
const [MESSAGES, DEVICES] = [40_000, 20];
const PUBLISHER = resolve(import.meta.dirname, '../../../bench/ingest-publisher.ts');

let database: TestDatabase;
let mosquitto: Mosquitto;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let ingest: RoleProcess | undefined;
beforeAll(async () => {
  [database, mosquitto, folder] = await Promise.all([testDatabase(), startMosquitto(), temporaryFolder()]);
});
afterAll(async () => {
  await ingest?.kill();
  await mosquitto.stop();
  await database.drop();
  await folder.remove();
});

const start = async () => {
  const env = { DATABASE_URL: database.url, DATA_DIR: folder.path, MQTT_URL: mosquitto.url, LOG_LEVEL: 'error' };
  ingest = await startRole('ingest', env);
  return ingest;
};

async function flood(): Promise<void> {
  const devices = await pairDevices(database.pool, DEVICES);
  const publisher = fork(PUBLISHER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const task = { url: mosquitto.url, devices, messages: MESSAGES, startMs: Date.now() - 3_600_000, connections: 1 };
  publisher.send(task);
  await once(publisher, 'message');
  publisher.send('go');
  await Promise.all([once(publisher, 'message'), once(publisher, 'exit')]);
}

async function stored(): Promise<number> {
  return (await database.pool.query('SELECT count(*)::int AS n FROM readings')).rows[0].n;
}

/** How a worker ends, and whether it takes longer than it may on a busy machine: alone it takes 3 s at most. */
async function leave(worker: RoleProcess): Promise<{ code: number | null; isSoon: boolean }> {
  const fromMs = performance.now();
  const code = await worker.stop();
  return { code, isSoon: performance.now() - fromMs < 5_000 };
}

test('a worker that is stopped amid a flood leaves soon, though broker or database hang, and nothing is lost or counted twice', async () => {
  await (await start()).stop();
  await flood();
  const first = await start();
  await expect.poll(stored, { timeout: 20_000, interval: 10 }).toBeGreaterThan(0);
  // A broker that has others' messages to take hears of it late, and sends until then all that waits.
  process.kill(mosquitto.pid, 'SIGSTOP');
  const left = await leave(first);
  process.kill(mosquitto.pid, 'SIGCONT');
  expect(left).toEqual({ code: 0, isSoon: true });

  const blocker = await database.pool.connect();
  await blocker.query('BEGIN; LOCK TABLE device_heads IN ACCESS EXCLUSIVE MODE');
  const second = await start();
  const waits = () =>
    blocker.query('SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted').then(({ rows }) => rows[0].n);
  await expect.poll(waits, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await leave(second)).toEqual({ code: 0, isSoon: true });
  await blocker.query('ROLLBACK');
  blocker.release();

  await start();
  await expect.poll(stored, { timeout: 60_000, interval: 200 }).toBe(MESSAGES);
  const { rows } = await database.pool.query('SELECT sum(energy_milliwatt_hours)::int AS energy FROM user_hourly');
  expect(rows[0].energy).toBe((MESSAGES / DEVICES - 1) * DEVICES * 1_000);
}, 180_000);
