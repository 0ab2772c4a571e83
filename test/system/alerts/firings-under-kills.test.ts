import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReadingBatchWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import { createId } from '#src/core/ids.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase, createPool, type Pool } from '#src/database/connect.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createUser } from '#src/users/store.ts';
import { waitUntilDatabaseClusterUnused } from '#test/support/postgres-processes.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/receiver.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

/** Number of homes, each with ten alerts. With FIRING_HOMES=1000 there are 10,000 firings. */
const HOMES = Number(process.env.FIRING_HOMES ?? 80);
const ALERTS = 10;
const SECRET_KEY = 'the secret of this installation';
const TOKEN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let receiver: WebhookReceiver;
let server: EmbeddedPostgres;
let pool: Pool;
let env: Record<string, string>;
const roles: Record<'worker' | 'api', RoleProcess | undefined> = { worker: undefined, api: undefined };
const homes = Array.from({ length: HOMES }, () => ({ userId: createId('usr'), deviceId: createId('dev') }));

beforeAll(async () => {
  [folder, receiver] = await Promise.all([createTemporaryFolder(), startWebhookReceiver()]);
  server = await startEmbeddedPostgres({ dataDir: folder.path, sharedBuffersMb: 128 });
  pool = createPool(server.url);
  await migrate(pool, { timescale: 'off' });
  await pool.query(
    `INSERT INTO users (user_id, email, role) SELECT u, u || '@example.com', 'homeowner' FROM unnest($1::text[]) u`,
    [homes.map(({ userId }) => userId)],
  );
  await pool.query(
    `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256)
     SELECT d, u, 'smart_meter', 'x', '\\x00' FROM unnest($1::text[], $2::text[]) h (d, u)`,
    [homes.map(({ deviceId }) => deviceId), homes.map(({ userId }) => userId)],
  );
  await pool.query(
    `INSERT INTO alerts (alert_id, user_id, type, threshold_milliwatt_hours, delivery)
     SELECT a, u, 'daily_usage', t, 'webhook' FROM unnest($1::text[], $2::text[], $3::bigint[]) h (a, u, t)`,
    [
      homes.flatMap(() => Array.from({ length: ALERTS }, () => createId('alr'))),
      homes.flatMap(({ userId }) => Array(ALERTS).fill(userId)),
      homes.flatMap(() => Array.from({ length: ALERTS }, (_, index) => (index + 1) * 1_000_000)),
    ],
  );
  const db = createDatabase(pool);
  const { user_id: adminId } = await createUser(db, { email: 'admin@example.com', role: 'admin' });
  const webhook = { events: ['alert.triggered'] as const, url: receiver.url, authToken: TOKEN };
  await createWebhook(db, createSecretEncrypter(SECRET_KEY), adminId, webhook);
  await writeFile(join(folder.path, 'ca.pem'), receiver.ca);
  env = {
    DATABASE_URL: server.url,
    TIMESCALE: 'off',
    DATA_DIR: folder.path,
    SECRET_KEY,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_CA_FILE: join(folder.path, 'ca.pem'),
    LOG_LEVEL: 'fatal',
  };
  for (const name of ['worker', 'api'] as const) roles[name] = await startRole(name, env);
});
afterAll(async () => {
  await Promise.all(Object.values(roles).map((role) => role?.stop()));
  await pool.end();
  await server.stop();
  await receiver.close();
  await folder.remove();
});

async function kill(which: 'worker' | 'api' | 'database'): Promise<void> {
  if (which !== 'database') {
    await roles[which]?.kill();
    roles[which] = await startRole(which, env);
    return;
  }
  const [pid] = (await readFile(join(folder.path, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await waitUntilDatabaseClusterUnused(join(folder.path, 'postgres'));
  server = await startEmbeddedPostgres({ dataDir: folder.path, sharedBuffersMb: 128 });
}

const YESTERDAY_MS = Math.floor(Date.now() / 86_400_000 - 1) * 86_400_000;

/** Adds 1.1 kWh of yesterday's usage to every home. Repeats the readings until the database has committed them, as a broker does. */
async function consume(round: number): Promise<void> {
  const readAtMs = YESTERDAY_MS + 6 * 3_600_000 + round * 600_000;
  const batch = homes.map(({ deviceId }): IncomingMessage => {
    const value = 100_000_000 + round * 1_100_000;
    const reading = {
      deviceId,
      channel: 'import',
      kind: 'register' as const,
      readAtMs,
      intervalMs: 0,
      value,
      element: 0,
    };
    const decoded = { deviceId, readings: [reading], rejections: [] };
    return { topic: 'x', payload: Buffer.alloc(0), receivedAtMs: Date.now(), decoded };
  });
  for (;;) {
    try {
      await createReadingBatchWriter(pool).write(batch);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

test(`of ${HOMES * ALERTS} firings none is lost or duplicated while worker, API and database are killed in turn`, async () => {
  const victims = ['worker', 'database', 'api'] as const;
  await consume(0);
  for (let round = 1; round <= ALERTS; round++) {
    await consume(round);
    // The delay varies, so that the kills interrupt both the evaluation of alerts and the delivery of events.
    await new Promise((resolve) => setTimeout(resolve, 300 + ((round * 137) % 700)));
    await kill(victims[round % victims.length] as (typeof victims)[number]);
  }
  const delivered = () => new Set(receiver.calls.map(({ headers }) => headers['webhook-id']));
  await expect.poll(() => delivered().size, { interval: 500 }).toBe(HOMES * ALERTS);

  const events = receiver.calls.map(({ body, headers }) => new Webhook(TOKEN).verify(body, headers)) as {
    id: string;
    data: { alert_id: string; period_start: string };
  }[];
  // Each alert has one event, because it has usage on one day only. Repeated deliveries of it have the same id.
  const byId = new Map(events.map(({ id, data }) => [id, `${data.alert_id} ${data.period_start}`]));
  expect(new Set(byId.values()).size).toBe(HOMES * ALERTS);
  for (const { id, data } of events) expect(byId.get(id)).toBe(`${data.alert_id} ${data.period_start}`);
  const counts = `SELECT (SELECT count(*) FROM alert_firings)::int AS firings, (SELECT count(*) FROM events WHERE type = 'alert.triggered')::int AS events,
       (SELECT count(*) FROM usage_changes)::int AS waiting`;
  await expect
    .poll(async () => (await pool.query(counts)).rows)
    .toEqual([{ firings: HOMES * ALERTS, events: HOMES * ALERTS, waiting: 0 }]);
});
