import { readFileSync } from 'node:fs';
import { connectAsync, type MqttClient } from 'mqtt';
import { createKey } from '#src/auth/keys.ts';
import { createDatabase, type Pool } from '#src/database/connect.ts';
import { openEventStream } from '../test/support/event-stream.ts';
import { startRole } from '../test/support/service.ts';
import type { BenchmarkResult } from './answer.ts';
import { computeMedian, computeQuantile, pairDevices, startBenchmarkDatabase } from './support.ts';

const HOMES = 1_000;
/** Interval of each home's readings in ms; most meters have this interval. The homes' readings are spread evenly over the interval. */
const EVERY_MS = 10_000;
const SECONDS = 40;
/** Waiting time in ms after all streams are open, before the memory of the service is measured. */
const SETTLE_MS = 5_000;
const AT_ONCE = 25;

/**
 * Measures the memory per stream of live readings, and the time from the PUBACK of a reading to its event. 1,000 homes each have a stream
 * at one API process, and a meter.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  const env = { DATABASE_URL: database.url, DATA_DIR: database.dataDir };
  const roles = await Promise.all([startRole('ingest', env), startRole('api', env)]);
  const [ingest, api] = roles as [(typeof roles)[0], (typeof roles)[1]];
  let meters: MqttClient[] = [];
  try {
    process.stderr.write(`${HOMES} homes …\n`);
    const paired = await pairDevices(database.pool, HOMES);
    const keys = await keysOf(database.pool);
    const url = `mqtt://127.0.0.1:${ingest.ready.port}`;
    meters = await inGroups(paired, ({ deviceId, secret }) =>
      connectAsync(url, { username: deviceId, password: secret, clientId: deviceId }),
    );
    /** The times at which each reading was acknowledged and at which its event arrived, by device and register value. */
    const acknowledgedMs = new Map<string, number>();
    const arrivedMs = new Map<string, number>();
    const before = await restingRss(api.process.pid as number);
    process.stderr.write(`${HOMES} streams …\n`);
    const streams = await inGroups([...keys.values()], (key) =>
      openEventStream(api.ready.https_port as number, '/v1/usage/stream', {
        key,
        onEvent: ({ event, data }) => {
          const name = event === 'reading' && `${data.device_id} ${data.channels[0]?.last_value}`;
          if (name && !arrivedMs.has(name)) arrivedMs.set(name, performance.now());
        },
      }),
    );
    const idle = await restingRss(api.process.pid as number);
    const fromMs = performance.now();
    for (let turn = 0; performance.now() - fromMs < SECONDS * 1_000; turn++) {
      const at = turn % HOMES;
      const { deviceId } = paired[at] as { deviceId: string };
      const register = 100 + Math.floor(turn / HOMES) / 100;
      void meters[at]
        ?.publishAsync(`energy/v1/${deviceId}/readings`, JSON.stringify({ energy_total_kwh: register, power_w: 430 }), {
          qos: 1,
        })
        .then(() => acknowledgedMs.set(`${deviceId} ${register}`, performance.now()));
      const dueMs = ((turn + 1) * EVERY_MS) / HOMES;
      const waitMs = dueMs - (performance.now() - fromMs);
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const busy = rssOf(api.process.pid as number);
    const times = [...acknowledgedMs].flatMap(([name, ms]) =>
      arrivedMs.has(name) ? [(arrivedMs.get(name) as number) - ms] : [],
    );
    for (const one of streams) one.close();
    const kib = (bytes: number) => Math.round(bytes / HOMES / 1_024);
    const results = {
      streams: streams.filter(({ status }) => status === 200).length,
      kib_a_stream_idle: kib(idle - before),
      kib_a_stream_told: kib(busy - before),
      readings: acknowledgedMs.size,
      told: times.length,
      p50_ms: Math.round(computeMedian(times)),
      p99_ms: Math.round(computeQuantile(times, 0.99)),
    };
    const { readings, told, p50_ms, p99_ms } = results;
    return {
      json: { homes: HOMES, every_ms: EVERY_MS, results },
      goals: [
        {
          what: 'From the PUBACK of a reading to its event, p99',
          measured: p99_ms,
          unit: ' ms',
          goal: { atMost: 1_000 },
        },
      ],
      lines: [
        `${results.streams} streams: ${results.kib_a_stream_idle} KiB of the API's memory each while idle, ${results.kib_a_stream_told} KiB after ${SECONDS} s of readings`,
        `PUBACK to event: p50 ${p50_ms} ms, p99 ${p99_ms} ms; ${told} of ${readings} readings told`,
      ],
    };
  } finally {
    await Promise.all(meters.map((one) => one.endAsync(true).catch(() => {})));
    await Promise.all(roles.map((role) => role.stop()));
    await database.remove();
  }
}

/** Creates a key for each home. */
async function keysOf(pool: Pool): Promise<Map<string, string>> {
  const db = createDatabase(pool);
  const users = await db.selectFrom('users').select('user_id').where('role', '=', 'homeowner').execute();
  const keys = new Map<string, string>();
  for (const { user_id: userId } of users) keys.set(userId, (await createKey(db, { userId, environment: 'live' })).key);
  return keys;
}

/** Runs `make` on up to `AT_ONCE` elements concurrently. Returns the results in the order of the elements. */
async function inGroups<One, Made>(all: readonly One[], make: (one: One) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    made.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(make))));
  return made;
}

async function restingRss(pid: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return rssOf(pid);
}

/** Returns the resident memory of a process in bytes, from the second field of /proc/PID/statm (proc(5)), in pages of 4 KiB. */
const rssOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4_096;
