import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createKey } from '#src/auth/keys.ts';
import { createDatabase, type Pool } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import type { BenchmarkResult } from './answer.ts';
import { runWithApiServer } from './api.ts';
import { computeMedian, startBenchmarkDatabase } from './support.ts';

const READINGS = 1_000_000;
const PAGE = 10_000;
/** Number of pages that are read before measuring, so that the code is compiled and the pools of connections and buffers are filled. */
const WARM_UP_PAGES = 5;
const SAMPLE_MS = 20;
/**
 * Response formats. `accept`: media type. `byte`: a byte that a page contains once per reading, and once outside the readings. The
 * benchmark counts this byte to count the readings.
 */
const FORMATS = {
  json: { accept: 'application/json', byte: '{'.charCodeAt(0) },
  csv: { accept: 'text/csv', byte: '\n'.charCodeAt(0) },
} as const;
/** Number of pages at the beginning and at the end whose times are compared with each other. */
const COMPARED_PAGES = 20;
const RANGE = 'start=2026-05-01&end=2026-06-01';

interface Server {
  port: number;
  pid: number;
  key: string;
}

/**
 * Measures how much the API's memory grows while a client reads all readings of a device in pages of the maximum size. Each response format
 * is measured with a new API process.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  try {
    const results = await measureReadingsApi(database);
    const lines = Object.entries(results).map(
      ([name, { pages, more_mib, page_p50_ms, last_to_first }]) =>
        `${name.padEnd(5)} ${pages} pages of ${PAGE.toLocaleString('en')} readings   ${more_mib} MiB more resident memory   a page ${page_p50_ms} ms, the last ones ${last_to_first} × the first`,
    );
    return {
      lines,
      json: { readings: READINGS, page: PAGE, results },
      goals: Object.entries(results).map(([name, { more_mib }]) => ({
        what: `Memory that a million readings take more as ${name}`,
        measured: more_mib,
        unit: ' MiB',
        goal: { atMost: 60 },
      })),
    };
  } finally {
    await database.remove();
  }
}

/** Stores readings in an empty database, and reads them in each format. Returns the results by format. */
export async function measureReadingsApi({ pool, url }: { pool: Pool; url: string }, stored = READINGS) {
  const db = createDatabase(pool);
  const { user_id: userId } = await createUser(db, { email: 'bench@example.com', role: 'homeowner' });
  const { key } = await createKey(db, { userId, environment: 'live', scopes: ['readings:read'] });
  const { device } = await createDevice(db, { userId, type: 'smart_meter', location: 'bench' });
  await pool.query(
    `INSERT INTO series (device_id, channel, kind, native_name, counts_import)
     VALUES ($1, 'import', 'register', 'import energy_total_kwh', true), ($1, 'import', 'power', 'import power_w', false)`,
    [device.device_id],
  );
  await pool.query(`SELECT make_room('2026-05-01', '2026-06-30')`);
  await pool.query(
    `INSERT INTO readings SELECT series_id, timestamptz '2026-05-01' + make_interval(secs => 2 * n), 0, n * 1000
     FROM series, generate_series(1, $1::int) n`,
    [stored / 2],
  );
  await pool.query('VACUUM ANALYZE readings');
  const path = `/v1/devices/${device.device_id}/readings?${RANGE}&limit=${PAGE}`;
  const results: Record<string, Awaited<ReturnType<typeof readAll>>> = {};
  for (const name of Object.keys(FORMATS) as (keyof typeof FORMATS)[])
    results[name] = await runWithApiServer(['full', url, userId], (port, pid) =>
      readAll({ port, pid, key }, path, name),
    );
  return results;
}

/**
 * Reads all pages. Returns the maximum growth of the process's memory after the first pages, and whether late pages take longer than early
 * pages.
 */
async function readAll({ port, pid, key }: Server, path: string, format: keyof typeof FORMATS) {
  const { accept, byte } = FORMATS[format];
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const get = (url: string) =>
    new Promise<{ status: number; next: string | undefined }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, accept };
      request({ host: '127.0.0.1', port, path: url, agent, headers }, (response) => {
        response.on('data', (chunk: Buffer) => {
          for (let at = chunk.indexOf(byte); at >= 0; at = chunk.indexOf(byte, at + 1)) readings++;
        });
        const [, next] = /^<([^>]+)>; rel="next"$/.exec(String(response.headers.link)) ?? [];
        response.on('end', () => resolve({ status: response.statusCode ?? 0, next }));
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  const times: number[] = [];
  let [most, before, readings] = [0, 0, 0];
  const sampling = setInterval(() => {
    most = Math.max(most, residentMib(pid));
  }, SAMPLE_MS);
  try {
    for (let next: string | undefined = path; next; ) {
      if (times.length === WARM_UP_PAGES) [before, most] = [residentMib(pid), 0];
      const fromMs = performance.now();
      const page = await get(next);
      if (page.status !== 200) throw new Error(`answered ${page.status}`);
      times.push(performance.now() - fromMs);
      next = page.next;
    }
  } finally {
    clearInterval(sampling);
    agent.destroy();
  }
  const compiled = times.slice(WARM_UP_PAGES);
  const ratio = computeMedian(times.slice(-COMPARED_PAGES)) / computeMedian(compiled.slice(0, COMPARED_PAGES));
  return {
    pages: times.length,
    readings: readings - times.length,
    more_mib: Math.round(most - before),
    page_p50_ms: Math.round(computeMedian(times)),
    last_to_first: Math.round(100 * ratio) / 100,
  };
}

/** Returns the resident memory of a process in MiB, from the second field of /proc/PID/statm (proc(5)), in pages of 4 KiB. */
const residentMib = (pid: number): number => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) / 256;
