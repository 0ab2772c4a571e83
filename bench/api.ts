import { fork } from 'node:child_process';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { createKey } from '#src/auth/keys.ts';
import { createDatabase } from '#src/database/connect.ts';
import { getHeapFlags } from '#src/start/children.ts';
import { createUser } from '#src/users/store.ts';
import type { BenchmarkResult } from './answer.ts';
import { computeMedian, startBenchmarkDatabase } from './support.ts';

const CONNECTIONS = 32;
/** `--quick`: a run of half a minute, whose ratios may be wrong by up to a fifth. Used at the end of a test run. */
const IS_QUICK = process.argv.includes('--quick');
const [WARM_UP_SECONDS, SECONDS, ROUNDS] = IS_QUICK ? ([1, 2, 1] as const) : ([2, 6, 3] as const);
const MODES = ['bare', 'query', 'full'] as const;
const RANGE = { start: '2026-06-01', end: '2026-06-30' };
const PATH = `/v1/energy-insights?start=${RANGE.start}&end=${RANGE.end}`;

interface Result {
  per_s: number;
  p99_ms: number;
}

/**
 * Measures requests/s and the p99 response time of `/v1/energy-insights` for 30 days. Compares the API with a handler that only sends the
 * same response, and with a handler that also runs the SQL statement.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  try {
    const db = createDatabase(database.pool);
    const { user_id: userId } = await createUser(db, { email: 'bench@example.com', role: 'homeowner' });
    const { key } = await createKey(db, { userId, environment: 'live' });
    await database.pool.query(
      `INSERT INTO closed_user_daily SELECT $1, d, 12345678, 0, 0, 96, 86400000, 0, d + interval '18 hours'
       FROM generate_series($2::timestamptz, $3::timestamptz, interval '1 day') d`,
      [userId, RANGE.start, RANGE.end],
    );
    await database.pool.query('VACUUM ANALYZE closed_user_daily');
    const bytes = await runWithApiServer(['full', database.url, userId, RANGE.start, RANGE.end], (port) =>
      answerOf(port, key),
    );
    const rounds: Record<(typeof MODES)[number], Result[]> = { bare: [], query: [], full: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const mode of MODES) {
        process.stderr.write(`round ${round + 1}, ${mode} …\n`);
        const args = [mode, database.url, userId, RANGE.start, RANGE.end, bytes];
        rounds[mode].push(await runWithApiServer(args, (port) => load(port, key)));
      }
    }
    const of = (mode: (typeof MODES)[number]): Result => ({
      per_s: Math.round(computeMedian(rounds[mode].map(({ per_s }) => per_s))),
      p99_ms: computeMedian(rounds[mode].map(({ p99_ms }) => p99_ms)),
    });
    const results = { bare: of('bare'), query: of('query'), full: of('full') };
    const ratio = (a: number, b: number) => Math.round((100 * a) / b) / 100;
    const ratios = {
      full_to_bare: ratio(results.full.per_s, results.bare.per_s),
      full_to_query: ratio(results.full.per_s, results.query.per_s),
    };
    const lines = [
      ...MODES.map(
        (mode) =>
          `${mode.padEnd(8)} ${String(results[mode].per_s).padStart(7)} requests/s   p99 ${results[mode].p99_ms} ms`,
      ),
      '',
      `full / bare ${ratios.full_to_bare}   full / query ${ratios.full_to_query}`,
    ];
    return {
      lines,
      json: { connections: CONNECTIONS, bytes: bytes.length, results, ratios },
      goals: [
        { what: 'Requests/s of the API ÷ the same statement', measured: ratios.full_to_query, goal: { atLeast: 0.7 } },
      ],
    };
  } finally {
    await database.remove();
  }
}

/** Starts a server process (api-server.ts), and ends it after `run`. */
export async function runWithApiServer<T>(args: string[], run: (port: number, pid: number) => Promise<T>): Promise<T> {
  const child = fork(fileURLToPath(new URL('./api-server.ts', import.meta.url)), args, {
    execArgv: getHeapFlags('api'),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      child.once('message', (message) => resolve(message as number));
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return await run(port, child.pid as number);
  } finally {
    child.kill();
  }
}

function answerOf(port: number, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    request({ port, host: '127.0.0.1', path: PATH, headers, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    })
      .on('error', reject)
      .end();
  });
}

async function load(port: number, key: string): Promise<Result> {
  const options = {
    url: `https://127.0.0.1:${port}${PATH}`,
    connections: CONNECTIONS,
    headers: { authorization: `Bearer ${key}` },
  };
  await autocannon({ ...options, duration: WARM_UP_SECONDS });
  const { requests, latency, non2xx, errors } = await autocannon({ ...options, duration: SECONDS });
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were no 2xx, ${errors} failed`);
  return { per_s: requests.average, p99_ms: latency.p99 };
}
