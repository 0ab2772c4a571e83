import { createReadingBatchWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import { createDatabase } from '#src/database/connect.ts';
import { compressOldChunks } from '#src/database/migrate.ts';
import { loadUsageInsights } from '#src/energy/insights.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { refreshRollups, refreshUntilComplete } from '#src/rollups/refresh.ts';
import type { BenchmarkResult } from './answer.ts';
import { computeMedian, computeQuantile } from './support.ts';
import { measureReadingsSizeBytes, runOnEveryTier, type TierDatabase } from './tier-databases.ts';

const HOMES = 1_000;
const DAYS = 30;
const STEP_MS = 900_000;
const DAY_MS = 86_400_000;
const BATCH = 5_000;
const QUERIES = 400;
const CORRECTIONS = 11;

interface Result {
  readings_per_s: number;
  /** Time in ms from the commit of a missing reading of ten days ago until the daily aggregate includes it. */
  correction_ms: number;
  bytes_per_reading: number;
  compressed_bytes_per_reading: number;
  insights: Record<string, { p50_ms: number; p99_ms: number }>;
}

/**
 * On every database tier (kind of database server), writes a month of readings of 1,000 homes. Measures the rate, the lag of the
 * aggregates, the size, and the times of queries.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const { results, missing } = await runOnEveryTier(measure);
  const lines = [
    'tier on server                       readings/s  correction  bytes a reading  compressed   day p50/p99   hour p50/p99  month p50/p99 (ms)',
    ...results.map(({ name, on, answer: a }) => {
      const both = (question: string) => `${a.insights[question]?.p50_ms} / ${a.insights[question]?.p99_ms}`;
      return [
        `${name} on ${on}`.padEnd(36),
        String(a.readings_per_s).padStart(10),
        `${a.correction_ms} ms`.padStart(11),
        String(a.bytes_per_reading).padStart(16),
        String(a.compressed_bytes_per_reading).padStart(11),
        both('day').padStart(13),
        both('hour').padStart(14),
        both('month').padStart(14),
      ].join(' ');
    }),
    '',
    ...ratios(results),
    ...missing,
  ];
  const p99s = results.flatMap(({ answer }) => Object.values(answer.insights).map(({ p99_ms }) => p99_ms));
  return {
    lines,
    json: { homes: HOMES, days: DAYS, results, missing },
    goals: [
      {
        what: 'Slowest p99 of a question on any tier',
        measured: Math.max(...p99s),
        unit: ' ms',
        goal: { atMost: 300 },
      },
    ],
  };
}

/** Returns the ratios of each tier's results to those of plain PostgreSQL on the same server. */
function ratios(results: { name: string; on: string; answer: Result }[]): string[] {
  return results.flatMap(({ name, on, answer }) => {
    const plain = results.find((other) => other.on === on && other.name === 'plain');
    if (!plain || name === 'plain') return [];
    const ratio = (a: number, b: number) => (a / b).toFixed(2);
    const { answer: base } = plain;
    const day = (one: Result) => one.insights.day?.p50_ms ?? Number.NaN;
    return [
      `${name} / plain on ${on}: readings/s ${ratio(answer.readings_per_s, base.readings_per_s)}, ` +
        `day p50 ${ratio(day(answer), day(base))}, ` +
        `uncompressed / compressed ${ratio(answer.bytes_per_reading, answer.compressed_bytes_per_reading)}`,
    ];
  });
}

async function measure(database: TierDatabase): Promise<Result> {
  const { pool, found } = database;
  const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const startMs = endMs - DAYS * DAY_MS;
  await pool.query(
    `INSERT INTO users (user_id, email, role) SELECT 'usr_' || i, i || '@example.com', 'homeowner' FROM generate_series(1, $1::int) i`,
    [HOMES],
  );
  await pool.query(
    `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256)
     SELECT 'dev_' || i, 'usr_' || i, 'smart_meter', 'bench', '' FROM generate_series(1, $1::int) i`,
    [HOMES],
  );
  const readings_per_s = await load(database, startMs, endMs);
  const { continuousAggregates } = found.capabilities;
  const now = new Date(endMs);
  if (continuousAggregates) await refreshUntilComplete(pool, now);
  const correction_ms = await corrections(database, endMs);
  await pool.query('VACUUM ANALYZE');
  const questions = {
    day: createDayRange(dateOf(startMs), dateOf(endMs), 'UTC'),
    hour: createDayRange(dateOf(endMs - 7 * DAY_MS), dateOf(endMs), 'UTC'),
    month: createDayRange(dateOf(startMs), dateOf(endMs), 'UTC'),
  };
  const answers: Result['insights'] = {};
  const db = createDatabase(pool);
  for (const [group, range] of Object.entries(questions) as ['day' | 'hour' | 'month', (typeof questions)['day']][]) {
    const times: number[] = [];
    for (let index = 0; index < QUERIES; index++) {
      const startedAt = performance.now();
      await loadUsageInsights(db, `usr_${1 + ((index * 37) % HOMES)}`, range, group);
      if (index >= QUERIES / 10) times.push(performance.now() - startedAt);
    }
    const round = (value: number) => Math.round(value * 100) / 100;
    answers[group] = { p50_ms: round(computeQuantile(times, 0.5)), p99_ms: round(computeQuantile(times, 0.99)) };
  }
  const { rows } = await pool.query('SELECT count(*) AS n FROM readings');
  const bytes = await measureReadingsSizeBytes(database);
  await compressOldChunks(pool, now, new Date(endMs + 365 * DAY_MS));
  const compressed = await measureReadingsSizeBytes(database);
  return {
    readings_per_s,
    correction_ms,
    bytes_per_reading: Math.round(bytes / rows[0].n),
    compressed_bytes_per_reading: Math.round((10 * compressed) / rows[0].n) / 10,
    insights: answers,
  };
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/**
 * Returns the value of a home's register at a time: a base load, plus noise of up to 100 Wh that depends on home and time, in whole Wh as
 * meters show.
 */
const reading = (home: number, atMs: number): number =>
  Math.round(
    (atMs / 3_600_000) * 400 + ((Math.imul(home * 73_856_093 + (atMs / STEP_MS) * 19_349_663, 0x9e3779b1) >>> 0) % 100),
  ) / 1_000;

function message(home: number, atMs: number, kwh: number): IncomingMessage {
  const deviceId = `dev_${home}`;
  return {
    topic: `energy/v1/${deviceId}/readings`,
    payload: Buffer.alloc(0),
    receivedAtMs: atMs,
    decoded: {
      deviceId,
      readings: [
        {
          deviceId,
          channel: 'import',
          kind: 'register',
          readAtMs: atMs,
          intervalMs: 0,
          value: Math.round(kwh * 1e6),
          element: 0,
        },
      ],
      rejections: [],
    },
  };
}

/** Writes the readings with four writers while the aggregates are refreshed. Returns readings per second. */
async function load({ pool, found }: TierDatabase, startMs: number, endMs: number): Promise<number> {
  const writer = createReadingBatchWriter(pool, { now: () => endMs });
  let nowMs = startMs;
  let over = false;
  const refreshing = (async () => {
    while (found.capabilities.continuousAggregates && !over) {
      await refreshRollups(pool, new Date(nowMs));
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
  })();
  const startedAt = performance.now();
  let sent = 0;
  for (let atMs = startMs; atMs < endMs; ) {
    // Each writer has its own homes, because ingest writes all readings of a device through the same partition of its queue.
    const until = Math.min(endMs, atMs + STEP_MS * Math.floor((4 * BATCH) / HOMES));
    await Promise.all(
      [0, 1, 2, 3].map(async (lane) => {
        const batch: IncomingMessage[] = [];
        for (let ms = atMs; ms < until; ms += STEP_MS) {
          for (let home = 1 + lane; home <= HOMES; home += 4) batch.push(message(home, ms, reading(home, ms)));
        }
        sent += batch.length;
        await writer.write(batch);
      }),
    );
    atMs = until;
    nowMs = until;
  }
  const rate = sent / ((performance.now() - startedAt) / 1_000);
  over = true;
  await refreshing;
  return Math.round(rate);
}

/** Writes a missing reading of ten days ago, and measures the time until the day's aggregate contains it. */
async function corrections({ pool, found }: TierDatabase, endMs: number): Promise<number> {
  const times: number[] = [];
  const writer = createReadingBatchWriter(pool, { now: () => endMs });
  for (let index = 0; index < CORRECTIONS; index++) {
    const home = 1 + index * 7;
    const atMs = endMs - 10 * DAY_MS + 7.5 * 60_000;
    const day = new Date(Math.floor(atMs / DAY_MS) * DAY_MS);
    const count = async () =>
      (await pool.query('SELECT reading_count FROM user_daily WHERE user_id = $1 AND day = $2', [`usr_${home}`, day]))
        .rows[0].reading_count;
    const before = await count();
    await writer.write([message(home, atMs, reading(home, atMs - 7.5 * 60_000))]);
    const startedAt = performance.now();
    while ((await count()) === before) {
      if (found.capabilities.continuousAggregates) await refreshRollups(pool, new Date(endMs));
    }
    times.push(performance.now() - startedAt);
  }
  return Math.round(computeMedian(times));
}
