import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { startAlertEvaluator } from '#src/alerts/pool.ts';
import { createId } from '#src/core/ids.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase, type Pool } from '#src/database/connect.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createUser } from '#src/users/store.ts';
import { startMosquitto } from '../test/support/mosquitto.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../test/support/receiver.ts';
import { startRole } from '../test/support/service.ts';
import type { BenchmarkResult } from './answer.ts';
import { computeMedian, computeQuantile } from './support.ts';
import { runOnEveryTier, type TierDatabase } from './tier-databases.ts';

const HOMES = 10_000;
/** Readings per second of all homes together. Each home sends one reading every ten seconds. */
const RATE = 1_000;
/** Duration of the load. */
const SECONDS = 40;
/** One home in `ONE_IN` exceeds the threshold of its alert, once during the run. */
const ONE_IN = 5;
const THRESHOLD_MILLIWATT_HOURS = 150_000;
const SECRET_KEY = 'the secret of the bench';
const ROUNDS = 3;

/**
 * Measures the time from the PUBLISH of a reading until its webhook, on every database tier (kind of database server), with 1,000
 * readings/s from 10,000 homes. Also measures alert evaluations per second on one thread and on all.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const { results, missing } = await runOnEveryTier(publishToReceipt, { alsoPlain: false });
  const threads = await measureEvaluations();
  const lines = results.map(
    ({ name, on, answer }) =>
      `${name.padEnd(10)} ${on.padEnd(18)} p50 ${answer.p50_ms} ms, p99 ${answer.p99_ms} ms from publish to receipt, ${answer.received} of ${answer.fired} firings`,
  );
  const ratio = Math.round((threads.all / threads.one) * 100) / 100;
  return {
    json: { rate: RATE, homes: HOMES, results, evaluations_per_second: threads, all_to_one: ratio, missing },
    lines: [
      ...lines,
      `evaluation  ${threads.one} periods/s on one thread, ${threads.all} on ${threads.threads}: ratio ${ratio}`,
      ...missing,
    ],
    goals: results.map(({ name, answer }) => ({
      what: `From publish to the alert's receipt on ${name}, p99`,
      measured: answer.p99_ms,
      unit: ' ms',
      goal: { atMost: 1_000 },
    })),
  };
}

async function publishToReceipt(database: TierDatabase) {
  const receiver = await startWebhookReceiver();
  const mosquitto = await startMosquitto();
  const folder = await mkdtemp(join(tmpdir(), 'energy-bench-'));
  await writeFile(join(folder, 'ca.pem'), receiver.ca);
  const homes = await createHomes(database.pool, receiver);
  const env = {
    DATABASE_URL: urlOf(database.pool),
    MQTT_URL: mosquitto.url,
    DATA_DIR: folder,
    SECRET_KEY,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
  };
  const roles = await Promise.all([startRole('ingest', env), startRole('worker', env)]);
  try {
    const publishedMs = await publish(mosquitto.url, homes);
    const deadline = Date.now() + 30_000;
    while (receiver.calls.length < publishedMs.size && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const took = new Map<string, number>();
    for (const { body, atMs } of receiver.calls) {
      const { user_id } = JSON.parse(body).data;
      took.set(user_id, atMs - (publishedMs.get(user_id) as number));
    }
    const times = [...took.values()];
    return {
      fired: publishedMs.size,
      received: took.size,
      p50_ms: computeMedian(times),
      p99_ms: computeQuantile(times, 0.99),
    };
  } finally {
    await Promise.all(roles.map((role) => role.stop()));
    await mosquitto.stop();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const urlOf = (pool: Pool): string =>
  (pool as unknown as { options: { connectionString: string } }).options.connectionString;

interface Home {
  userId: string;
  deviceId: string;
}

/** Creates homes with one meter and one alert each, and an administrator who is notified of every alert. */
async function createHomes(pool: Pool, receiver: WebhookReceiver): Promise<Home[]> {
  const homes = Array.from({ length: HOMES }, () => ({ userId: createId('usr'), deviceId: createId('dev') }));
  const users = homes.map(({ userId }) => userId);
  await pool.query(
    `INSERT INTO users (user_id, email, role) SELECT u, u || '@example.com', 'homeowner' FROM unnest($1::text[]) u`,
    [users],
  );
  await pool.query(
    `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256)
     SELECT d, u, 'smart_meter', 'x', '\\x00' FROM unnest($1::text[], $2::text[]) h (d, u)`,
    [homes.map(({ deviceId }) => deviceId), users],
  );
  await pool.query(
    `INSERT INTO alerts (alert_id, user_id, type, threshold_milliwatt_hours, delivery)
     SELECT a, u, (ARRAY['peak_usage', 'daily_usage', 'monthly_usage'])[1 + n % 3], $3, 'webhook'
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY h (a, u, n)`,
    [users.map(() => createId('alr')), users, THRESHOLD_MILLIWATT_HOURS],
  );
  await pool.query('ANALYZE');
  const db = createDatabase(pool);
  const { user_id } = await createUser(db, { email: 'admin@example.com', role: 'admin' });
  const webhook = { events: ['alert.triggered'] as const, url: receiver.url, authToken: 'a secret token' };
  await createWebhook(db, createSecretEncrypter(SECRET_KEY), user_id, webhook);
  return homes;
}

/** Publishes readings at the rate `RATE`. Returns for each home the time at which the reading that triggers its alert was published. */
async function publish(url: string, homes: readonly Home[]): Promise<Map<string, number>> {
  const client = await connectAsync(url);
  const published = new Map<string, number>();
  const turns = (RATE * SECONDS) / homes.length;
  const startMs = Date.now();
  const total = RATE * SECONDS;
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((Date.now() - startMs) / 1_000) * RATE));
    for (; sent < due; sent++) {
      const index = sent % homes.length;
      const turn = Math.floor(sent / homes.length);
      const { userId, deviceId } = homes[index] as Home;
      // In each turn, every home sends one reading. Alerts fire from the second turn on, because the first one warms up caches and query
      // plans.
      const crosses = index % ONE_IN === 0 && turn === 1 + (Math.floor(index / ONE_IN) % (turns - 1));
      if (crosses) published.set(userId, Date.now());
      // The interval of the reading is shorter than the time between two readings, because energy of overlapping intervals would not be
      // added.
      const reading = { ts: Date.now(), energy_kwh: crosses ? 0.2 : 0.000_1, interval_s: 9 };
      client.publish(`energy/v1/${deviceId}/readings`, JSON.stringify(reading), { qos: 1 });
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await client.endAsync();
  return published;
}

/** Returns how many alert periods are evaluated per second, on one thread and on one thread per processor. */
async function measureEvaluations(): Promise<{ one: number; all: number; threads: number }> {
  const threads = availableParallelism();
  const [one, all]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await evaluationsWith(1));
    all.push(await evaluationsWith(threads));
  }
  return { one: computeMedian(one), all: computeMedian(all), threads };
}

async function evaluationsWith(threads: number): Promise<number> {
  const evaluator = startAlertEvaluator(threads);
  const users = 2_000;
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'];
  const hourMs = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const each = (length: number, of: (index: number) => number) => Array.from({ length }, (_, index) => of(index));
  let evaluated = 0;
  const endMs = Date.now() + 2_000;
  const lane = async () => {
    while (Date.now() < endMs) {
      const rules = users * 3;
      const found = await evaluator.candidates(
        {
          kind: Uint8Array.from(each(rules, (index) => index % 3)),
          zone: Uint16Array.from(each(rules, (index) => index % zones.length)),
          user: Uint32Array.from(each(rules, (index) => Math.floor(index / 3))),
        },
        zones,
        {
          user: Uint32Array.from(each(users * 2, (index) => index >> 1)),
          hourMs: Float64Array.from(each(users * 2, (index) => hourMs - (index % 2) * 3_600_000)),
        },
        Date.now(),
      );
      evaluated += found.rule.length;
    }
  };
  await Promise.all(each(threads, () => 0).map(lane));
  await evaluator.close();
  return Math.round(evaluated / 2);
}
