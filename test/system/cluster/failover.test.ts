import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { listDurabilityRisks, readCommitSettings } from '#src/database/capabilities.ts';
import { createDatabase, createPool, createQueryFunctionOnConnection, type Pool } from '#src/database/connect.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { computeReferenceConsumption, getStartOfHour } from '#test/reference/consumption.ts';
import { createAlert } from '#test/support/alerts.ts';
import { type ApiResponse, sendApiRequest } from '#test/support/api-request.ts';
import { getLongestGapSeconds, type MeterFleet, type MeterLogin, startMeters } from '#test/support/cluster/meters.ts';
import { type PatroniCluster, startPatroni } from '#test/support/cluster/patroni.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/receiver.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

const SECRET_KEY = 'the secret of this installation';
const TOKEN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const HOMES = 12;
const HOUR_MS = 3_600_000;
const START_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 12 * HOUR_MS;
const THRESHOLD_KWH = 1;
/** Fault of the primary database: SIGKILL, or a freeze, after which its connections stay open but do not respond. */
const BY = process.env.FAILOVER_BY === 'freeze' ? 'freeze' : 'kill';
/** Maximum duration of a failover. Patroni waits at least 20 s before it declares a primary dead. */
const GOAL_SECONDS = 30;

let cluster: PatroniCluster;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let receiver: WebhookReceiver;
let pool: Pool;
let ingest: RoleProcess;
let worker: RoleProcess;
let apis: RoleProcess[];
type Home = MeterLogin & { userId: string; key: string };
const homes: Home[] = [];

beforeAll(async () => {
  [cluster, folder, receiver] = await Promise.all([startPatroni(), createTemporaryFolder(), startWebhookReceiver()]);
  await writeFile(join(folder.path, 'ca.pem'), receiver.ca);
  await cluster.ready();
  const many = { minute: 1_000_000, day: 1_000_000 };
  const env = {
    DATABASE_URL: cluster.url,
    DATABASE_READ_URL: cluster.url,
    DATA_DIR: folder.path,
    SECRET_KEY,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_CA_FILE: join(folder.path, 'ca.pem'),
    PLAN_LIMITS: JSON.stringify({ free: many, developer: many, enterprise: many }),
    LOG_LEVEL: 'fatal',
  };
  // This worker is started alone, because it creates the schema.
  worker = await startRole('worker', env);
  [ingest, ...apis] = (await Promise.all([startRole('ingest', env), startRole('api', env), startRole('api', env)])) as [
    RoleProcess,
    ...RoleProcess[],
  ];
  pool = createPool(cluster.url);
  const db = createDatabase(pool);
  for (let number = 1; number <= HOMES; number++) {
    const { user_id: userId } = await createUser(db, { email: `home${number}@example.com`, role: 'homeowner' });
    const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'cellar' });
    const { key } = await createKey(db, { userId, environment: 'live' });
    await createAlert(db, { userId, type: 'peak_usage', thresholdKwh: THRESHOLD_KWH, delivery: 'webhook' });
    homes.push({ userId, key, secret, deviceId: device.device_id });
  }
  const { user_id: adminId } = await createUser(db, { email: 'admin@example.com', role: 'admin' });
  await createWebhook(db, createSecretEncrypter(SECRET_KEY), adminId, {
    events: ['alert.triggered'],
    url: receiver.url,
    authToken: TOKEN,
  });
});

afterAll(async () => {
  await Promise.all([ingest, worker, ...(apis ?? [])].map((role) => role?.stop()));
  await pool?.end();
  await receiver?.close();
  await cluster?.stop();
  await folder?.remove();
});

/** Returns the warnings about lost commits that a role would log at its start. */
const risks = async () => listDurabilityRisks(await readCommitSettings(createQueryFunctionOnConnection(pool), 2));

const askOf = (api: number, path: string, sent: Parameters<typeof sendApiRequest>[2] = {}) =>
  sendApiRequest(apis[api]?.ready.https_port as number, path, sent);

/** Sends reads and writes to both API processes until stopped, and records the responses. */
function sendContinuously() {
  const answers: (ApiResponse & { what: string })[] = [];
  let isOver = false;
  const [home] = homes as [Home];
  const { key, deviceId } = home;
  const go = async (api: number, what: string, sent: Parameters<typeof sendApiRequest>[2]) => {
    while (!isOver) {
      // A request without a response is recorded as failed.
      const answer = await askOf(api, what, sent).catch((error) => ({ status: 0, headers: {}, json: String(error) }));
      answers.push({ what, ...answer });
      await pause(200);
    }
  };
  const asking = [
    go(0, '/readyz', {}),
    go(0, '/v1/energy-insights', { key }),
    go(1, '/v1/devices', { key }),
    go(1, `/v1/devices/${deviceId}`, { key, method: 'PATCH', body: { location: 'attic' } }),
  ];
  return {
    answers,
    async stop() {
      isOver = true;
      await Promise.all(asking);
    },
  };
}

test('after SIGKILL of the primary with its Patroni, and a switchover, no acknowledged reading is lost, and nothing is counted or reported twice', async () => {
  expect(await risks()).toEqual([]);
  const meters = startMeters(`mqtt://127.0.0.1:${ingest.ready.port}`, homes, START_MS);
  const api = sendContinuously();
  await expect.poll(() => meters.acknowledged.length).toBeGreaterThan(20 * HOMES);

  const killed = await cluster.primary();
  const killedMs = Date.now();
  await killed[BY]();
  const gap = await untilAcknowledgedAgain(meters, killedMs);
  if (BY === 'kill') killed.start();
  else killed.continue();
  await cluster.ready();

  const switchedMs = Date.now();
  await cluster.switchover();
  const switchGap = await untilAcknowledgedAgain(meters, switchedMs);
  await cluster.ready();
  expect((await cluster.primary()).name).toBe(killed.name);
  await pause(1_000);
  await meters.finish();
  await api.stop();
  console.log(
    `acknowledged again ${gap} s after the kill, ${switchGap} s after the switchover; ${meters.acknowledged.length} readings`,
  );
  expect(gap).toBeLessThan(GOAL_SECONDS);
  expect(switchGap).toBeLessThan(GOAL_SECONDS);

  expect(new Set(api.answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  const refused = api.answers.filter(({ status }) => status === 503);
  expect(new Set(refused.map(({ headers }) => headers['retry-after']))).toEqual(new Set(['5']));
  // During the failover, each kind of request got 503. Now each kind succeeds again.
  const paths = [...new Set(api.answers.map(({ what }) => what))];
  expect(paths.map((path) => api.answers.findLast(({ what }) => what === path)?.status)).toEqual(paths.map(() => 200));
  expect(new Set(refused.map(({ what }) => what))).toEqual(new Set(paths));

  await allStoredOnce(meters);
  await alertsOnce(meters);
});

test('a client reads its own writes from either API; a lagging standby reports its lag, and an unavailable one is not used', async () => {
  const standby = await cluster.standby();
  const inStandby = createPool(cluster.superuserUrl(standby), { max: 1 });
  const [changing, other, writing] = homes as [Home, Home, Home];
  const on = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const insights = `/v1/energy-insights?start=${on(START_MS)}&end=${on(Date.now())}`;
  const usedBy = async (api: number, { key }: Home) => {
    const { status, json, headers } = await askOf(api, insights, { key });
    const kwh = (json.data ?? []).reduce((sum: number, { kwh_used }: { kwh_used: number }) => sum + kwh_used, 0);
    return { status, kwh, ageSeconds: headers.age === undefined ? null : Number(headers.age) };
  };
  const exclude = ({ key, deviceId }: Home, placement: string) =>
    askOf(0, `/v1/devices/${deviceId}`, { method: 'PATCH', key, body: { placement } });
  const { kwh } = await usedBy(1, changing);
  expect(kwh).toBeGreaterThan(1);

  await cluster.maintenance(true);
  await inStandby.query('SELECT pg_wal_replay_pause()');
  expect((await exclude(changing, 'excluded')).status).toBe(200);
  for (const api of [0, 1, 0, 1])
    expect(await usedBy(api, changing)).toEqual({ status: 200, kwh: 0, ageSeconds: null });

  // When the standby database has replayed the account's change, reads of this account are sent to the standby, too.
  await inStandby.query('SELECT pg_wal_replay_resume()');
  await pause(2_500);
  await inStandby.query('SELECT pg_wal_replay_pause()');
  const aged = async (api: number, home: Home) => {
    await exclude(writing, 'excluded');
    return (await usedBy(api, home)).ageSeconds ?? 0;
  };
  await expect.poll(() => aged(1, other), { interval: 300 }).toBeGreaterThan(5);
  expect(await usedBy(1, changing)).toMatchObject({ kwh: 0, ageSeconds: expect.any(Number) });
  expect(await usedBy(1, writing)).toEqual({ status: 200, kwh: 0, ageSeconds: null });
  await inStandby.query('SELECT pg_wal_replay_resume()');
  await expect.poll(async () => (await usedBy(1, other)).ageSeconds).toBeNull();

  await cluster.maintenance(false);
  await inStandby.end();
  await standby.kill();
  for (let asked = 0; asked < 5; asked++)
    expect(await usedBy(1, other)).toMatchObject({ status: 200, ageSeconds: null });
  await expect.poll(risks).toEqual([expect.stringContaining('no standby is connected')]);
});

/** Waits until the broker acknowledges messages after a failover. Returns the time without acknowledgements, in seconds. */
async function untilAcknowledgedAgain(meters: MeterFleet, fromMs: number): Promise<number> {
  await cluster.primary();
  const primaryMs = Date.now();
  await expect
    .poll(() => meters.acknowledged.filter(({ atMs }) => atMs > primaryMs).length, { interval: 50 })
    .toBeGreaterThan(5 * HOMES);
  return getLongestGapSeconds(
    meters.acknowledged.map(({ atMs }) => atMs),
    fromMs,
    Date.now(),
  );
}

async function allStoredOnce({ acknowledged }: MeterFleet): Promise<void> {
  const { rows: stored } = await pool.query(
    `SELECT device_id, (extract(epoch FROM read_at) * 1000)::bigint AS ms, value FROM readings JOIN series USING (series_id)`,
  );
  const lines = stored.map(({ device_id, ms, value }) => `${device_id} ${ms} ${value}`);
  expect(lines.toSorted()).toEqual(
    acknowledged.map(({ reading: { deviceId, readAtMs, value } }) => `${deviceId} ${readAtMs} ${value}`).toSorted(),
  );
  for (const { userId, deviceId } of homes) {
    const { rows } = await pool.query(
      'SELECT (extract(epoch FROM hour) * 1000)::bigint AS ms, energy_milliwatt_hours FROM user_hourly WHERE user_id = $1',
      [userId],
    );
    const energyByMs = Object.fromEntries(rows.map(({ ms, energy_milliwatt_hours }) => [ms, energy_milliwatt_hours]));
    expect(energyByMs).toEqual(Object.fromEntries(await hoursOf(acknowledged, deviceId)));
  }
}

/** Returns the energy of each hour in mWh, computed by the reference implementation in the tests. */
async function hoursOf(acknowledged: MeterFleet['acknowledged'], deviceId: string): Promise<[number, number][]> {
  const { rows } = await pool.query(
    'SELECT limit_kw AS "limitKw", register_max_kwh AS "registerMaxKwh", max_gap_minutes AS "maxGapMinutes" FROM devices WHERE device_id = $1',
    [deviceId],
  );
  const readings = acknowledged.map(({ reading }) => reading).filter((reading) => reading.deviceId === deviceId);
  return [...computeReferenceConsumption(readings, rows[0], getStartOfHour)].map(([at, { energy }]) => [
    Number(at),
    Number(energy),
  ]);
}

async function alertsOnce({ acknowledged }: MeterFleet): Promise<void> {
  const expected = new Set<string>();
  for (const { userId, deviceId } of homes) {
    for (const [atMs, milliwattHours] of await hoursOf(acknowledged, deviceId)) {
      if (milliwattHours > THRESHOLD_KWH * 1e6) expected.add(`${userId} ${new Date(atMs).toISOString()}`);
    }
  }
  expect(expected.size).toBeGreaterThan(HOMES);
  type ReceivedEvent = { id: string; data: { user_id: string; period_start: string } };
  const verifiedEvents = () =>
    receiver.calls.map(({ body, headers }) => new Webhook(TOKEN).verify(body, headers) as ReceivedEvent);
  const periodOf = ({ data }: ReceivedEvent) => `${data.user_id} ${new Date(data.period_start).toISOString()}`;
  await expect.poll(() => new Set(verifiedEvents().map(periodOf))).toEqual(expected);
  // If the response to a delivery is lost, the delivery is repeated with the same event id. Each period must therefore have exactly one
  // event id.
  expect(new Set(verifiedEvents().map(({ id }) => id)).size).toBe(expected.size);
}
