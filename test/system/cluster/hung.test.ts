import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createAlert } from '#test/support/alerts.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/receiver.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

/** Maximum time until another process takes over the work of a hung process, in ms. */
const TAKEOVER_MS = 10_000;
/** Additional time that a reading may take to cause its webhook on a machine that is busy with other tests, in ms. */
const BUSY_MS = 5_000;
const SECRET_KEY = 'the secret of this installation';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let receiver: WebhookReceiver;
beforeAll(async () => {
  [database, folder, receiver] = await Promise.all([
    createTestDatabase(),
    createTemporaryFolder(),
    startWebhookReceiver(),
  ]);
});
const children = new Set<ChildProcess>();
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await receiver.close();
  await database.drop();
  await folder.remove();
});

/** Starts two processes that compete for a lock, and records which process executes each step, in order. */
async function holders(statement: string) {
  const { pool } = database;
  await pool.query(
    'DROP TABLE IF EXISTS duty_steps; CREATE TABLE duty_steps (step bigserial PRIMARY KEY, name text NOT NULL)',
  );
  const program = resolve(import.meta.dirname, '../../support/cluster/lock-holder.ts');
  const all = new Map<string, ChildProcess>(
    ['one', 'other'].map((name) => [name, fork(program, [database.url, name, statement], { stdio: 'ignore' })]),
  );
  for (const child of all.values()) children.add(child);
  const steps = async (): Promise<string[]> =>
    (await pool.query('SELECT name FROM duty_steps ORDER BY step')).rows.map(({ name }) => name);
  await expect.poll(async () => (await steps()).length, { interval: 50 }).toBeGreaterThan(0);
  const first = (await steps())[0] as string;
  return {
    first,
    process: all.get(first) as ChildProcess,
    steps,
    /** Waits until the other process has taken over. Returns the time in ms. */
    async taken(): Promise<number> {
      const from = performance.now();
      await expect.poll(async () => (await steps()).at(-1) !== first, { interval: 50 }).toBe(true);
      return performance.now() - from;
    },
    async end() {
      const alive = [...all.values()].filter(({ signalCode, exitCode }) => signalCode === null && exitCode === null);
      const ends = alive.map((child) => new Promise((done) => child.once('exit', done)));
      for (const child of alive) child.kill('SIGKILL');
      await Promise.all(ends);
    },
  };
}

test('another process takes over the duty of a hung one, which does not continue the duty when it resumes', async () => {
  const duty = await holders('SELECT pg_sleep(0.02)');
  duty.process.kill('SIGSTOP');
  expect(await duty.taken()).toBeLessThan(TAKEOVER_MS);
  const before = await duty.steps();
  duty.process.kill('SIGCONT');
  await setTimeout(2_500);
  const after = (await duty.steps()).slice(before.length);
  await duty.end();
  expect(after.length).toBeGreaterThan(20);
  expect(new Set(after)).not.toContain(duty.first);
});

test('another process takes over the duty of a killed one, whatever statement it was running', async () => {
  const duty = await holders('SELECT pg_sleep(60)');
  duty.process.kill('SIGKILL');
  expect(await duty.taken()).toBeLessThan(TAKEOVER_MS);
  await duty.end();
});

test('alerts, webhooks and usage.updated continue while a worker is killed or hangs, without duplicates', async () => {
  await writeFile(join(folder.path, 'ca.pem'), receiver.ca);
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: 'told@example.com', role: 'homeowner' });
  const { device } = await createDevice(db, { userId, type: 'smart_meter', location: 'cellar' });
  const subscription = { url: receiver.url, authToken: 'the token of the tests' };
  for (const event of ['alert.triggered', 'usage.updated'] as const)
    await createWebhook(db, createSecretEncrypter(SECRET_KEY), userId, { events: [event], ...subscription });
  const alerts: string[] = [];
  for (let thresholdKwh = 1; thresholdKwh <= 5; thresholdKwh++)
    alerts.push(
      (await createAlert(db, { userId, type: 'daily_usage', thresholdKwh, delivery: 'webhook' })).alert_id as string,
    );
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    SECRET_KEY,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_CA_FILE: join(folder.path, 'ca.pem'),
    LOG_LEVEL: 'fatal',
  };
  const start = async () => {
    const worker = await startRole('worker', env);
    children.add(worker.process);
    return worker;
  };
  let [hangs, goesOn]: [RoleProcess, RoleProcess] = await Promise.all([start(), start()]);

  const startMs = Math.floor(Date.now() / 86_400_000 - 1) * 86_400_000 + 6 * 3_600_000;
  let used = 0;
  /** Adds 1.1 kWh of usage, which makes the next alert fire. */
  const consume = async () => {
    const reading = {
      ...{ deviceId: device.device_id, channel: 'import', kind: 'register' as const, intervalMs: 0, element: 0 },
      ...{ readAtMs: startMs + used * 600_000, value: 100_000_000 + used * 1_100_000 },
    };
    used++;
    const decoded = { deviceId: device.device_id, readings: [reading], rejections: [] };
    await createReadingBatchWriter(database.pool).write([
      { topic: 'x', payload: Buffer.alloc(0), receivedAtMs: Date.now(), decoded },
    ]);
  };
  const countCalls = (text: string) => receiver.calls.filter(({ body }) => body.includes(text)).length;
  /** Waits until the delivery is recorded. Without the record, another worker would repeat the delivery after the kill. */
  const recorded = async () => {
    const pending = "SELECT FROM deliveries WHERE status = 'pending'";
    await expect.poll(async () => (await database.pool.query(pending)).rows.length, { interval: 50 }).toBe(0);
  };
  const fires = async (index: number) => {
    const from = performance.now();
    await expect.poll(() => countCalls(alerts[index] as string), { interval: 50 }).toBe(1);
    return performance.now() - from;
  };
  await consume();
  await consume();
  await fires(0);
  await expect.poll(() => countCalls('"usage.updated"'), { interval: 50 }).toBe(1);

  // Kill the worker directly after it has new work.
  await recorded();
  await consume();
  await hangs.kill();
  expect(await fires(1)).toBeLessThan(TAKEOVER_MS + BUSY_MS);
  await recorded();
  await goesOn.kill();

  // A worker hangs in a transaction that has locked the user's row in `usage_told`, which records the latest event. The test locks this row
  // before the worker starts, so that the worker does not send the pending event first.
  await database.pool.query("UPDATE usage_told SET told_at = told_at - interval '2 minutes'");
  const inTheWay = await database.pool.connect();
  await inTheWay.query('BEGIN');
  await inTheWay.query('SELECT FROM usage_told FOR UPDATE');
  hangs = await start();
  await consume();
  await fires(2);
  await recorded();
  const waits =
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%usage_told%' AND datname = current_database()";
  await expect.poll(async () => (await database.pool.query(waits)).rows.length, { interval: 50 }).toBe(1);
  hangs.process.kill('SIGSTOP');
  goesOn = await start();
  await inTheWay.query('COMMIT');
  inTheWay.release();
  const from = performance.now();
  await consume();
  expect(await fires(3)).toBeLessThan(TAKEOVER_MS + BUSY_MS);
  await expect.poll(() => countCalls('"usage.updated"'), { interval: 50 }).toBe(2);
  expect(performance.now() - from).toBeLessThan(TAKEOVER_MS + BUSY_MS);

  // When the hung worker resumes, it detects that its transaction was aborted, and works as before.
  hangs.process.kill('SIGCONT');
  await setTimeout(1_500);
  await recorded();
  await goesOn.kill();
  await consume();
  expect(await fires(4)).toBeLessThan(TAKEOVER_MS + BUSY_MS);
  await hangs.kill();
  const ids = receiver.calls.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  expect(countCalls('"alert.triggered"')).toBe(alerts.length);
  const { rows } = await database.pool.query(
    'SELECT (SELECT count(*) FROM alert_firings)::int AS firings, (SELECT count(*) FROM usage_changes)::int AS waiting',
  );
  expect(rows).toEqual([{ firings: alerts.length, waiting: 0 }]);
});
