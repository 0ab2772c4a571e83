import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';
import { pairDevices } from '../../../bench/support.ts';

/** Number of messages that wait at the broker when a worker starts. It exceeds the 20,000 that a worker holds at once. */
const [MESSAGES, DEVICES, FLOODS] = [26_000, 20, 2];
const PUBLISHER = resolve(import.meta.dirname, '../../../bench/ingest-publisher.ts');

let database: TestDatabase;
let mosquitto: Mosquitto;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
const workers: RoleProcess[] = [];
beforeAll(async () => {
  [database, mosquitto, folder] = await Promise.all([createTestDatabase(), startMosquitto(), createTemporaryFolder()]);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await mosquitto.stop();
  await database.drop();
  await folder.remove();
});

const start = async () => {
  const env = { DATABASE_URL: database.url, DATA_DIR: folder.path, MQTT_URL: mosquitto.url, LOG_LEVEL: 'error' };
  const worker = await startRole('ingest', env);
  workers.push(worker);
  return worker;
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

/** Runs `work` while the PostgreSQL processes that serve the workers are frozen. */
async function whileDatabaseHangs<T>(work: () => Promise<T>): Promise<T> {
  const { rows } = await database.pool.query(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'energy ingest'`,
  );
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of rows) process.kill(pid, name);
  };
  expect(rows.length).toBeGreaterThan(0);
  signal('SIGSTOP');
  return work().finally(() => signal('SIGCONT'));
}

/** Stops a worker. Returns its exit code, and whether it ended soon enough that its supervisor would not have killed it. */
async function leave(worker: RoleProcess): Promise<{ code: number | null; isSoon: boolean }> {
  const fromMs = performance.now();
  const code = await worker.stop();
  return { code, isSoon: performance.now() - fromMs < 7_000 };
}

test('a worker that is stopped during a flood ends soon, even if broker or database hang, and nothing is lost or counted twice', async () => {
  await (await start()).stop();
  await flood();
  const first = await start();
  await expect.poll(stored, { interval: 10 }).toBeGreaterThan(0);
  // Simulate a broker that is busy with other clients. It handles the worker's DISCONNECT late, and sends waiting messages until then.
  process.kill(mosquitto.pid, 'SIGSTOP');
  const leaving = await leave(first);
  process.kill(mosquitto.pid, 'SIGCONT');
  expect(leaving).toEqual({ code: 0, isSoon: true });

  await flood();
  const blocker = await database.pool.connect();
  await blocker.query('BEGIN; LOCK TABLE device_heads IN ACCESS EXCLUSIVE MODE');
  const second = await start();
  const waits = () =>
    blocker.query('SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted').then(({ rows }) => rows[0].n);
  await expect.poll(waits).toBeGreaterThan(0);
  expect(await leave(second)).toEqual({ code: 0, isSoon: true });
  await blocker.query('ROLLBACK');
  blocker.release();

  // While the database does not respond, neither the active worker nor the standby worker can release its lock or its database session.
  const serving = await start();
  const standingBy = await start();
  expect([serving.ready.standing_by, standingBy.ready.standing_by]).toEqual([undefined, true]);
  const both = await whileDatabaseHangs(async () => {
    // Wait for the standby's next query. The standby sends one every 0.4 s.
    await new Promise((resolve) => setTimeout(resolve, 600));
    return Promise.all([leave(serving), leave(standingBy)]);
  });
  expect(both).toEqual(Array(2).fill({ code: 0, isSoon: true }));

  await start();
  await expect.poll(stored, { interval: 200 }).toBe(FLOODS * MESSAGES);
  const { rows } = await database.pool.query('SELECT sum(energy_milliwatt_hours)::int AS energy FROM user_hourly');
  expect(rows[0].energy).toBe(FLOODS * (MESSAGES / DEVICES - 1) * DEVICES * 1_000);
});
