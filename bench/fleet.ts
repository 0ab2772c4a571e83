import { fork } from 'node:child_process';
import { Agent, request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { createKey } from '#src/auth/keys.ts';
import { createDatabase, type Pool } from '#src/database/connect.ts';
import { recordDeviceSilences } from '#src/devices/fleet/record-silences.ts';
import { createUser } from '#src/users/store.ts';
import type { BenchmarkResult } from './answer.ts';
import { computeMedian, computeQuantile, startBenchmarkDatabase } from './support.ts';

const [FEW = 1_000, MANY = 100_000] = (
  process.argv.find((flag) => flag.startsWith('--devices='))?.slice(10) ?? '1000,100000'
)
  .split(',')
  .map(Number);
/** Default number of rows per page. */
const FULL_PAGE = 50;
/** Number of pages that are requested of each query. Some hundred pages are needed for p99. */
const PAGES = Number(process.argv.find((flag) => flag.startsWith('--pages='))?.slice(8) ?? 300);
const ROUNDS = 3;
const TARGET = { p99Ms: 300, ratio: 2 };
const DAY_MS = 86_400_000;

/** Queries of the dashboard's pages by name, in the order of the results. */
const LISTS: Readonly<Record<string, string>> = {
  'first page': '/v1/fleet/devices',
  'by location': '/v1/fleet/devices?sort=location',
  'by location, from the end': '/v1/fleet/devices?sort=-location',
  'longest silent first': '/v1/fleet/devices?sort=last_seen_at',
  'heard last first': '/v1/fleet/devices?sort=-last_seen_at',
  'silent for a day': '/v1/fleet/devices?silent_for_hours=24&sort=last_seen_at',
  'faulty, by location': '/v1/fleet/devices?status=faulty&sort=location',
  'production, by location': '/v1/fleet/devices?placement=production&sort=location',
  'a rare family': '/v1/fleet/devices?family=shelly',
  'unknown quantity': '/v1/fleet/devices?attention=unknown_quantity',
  'placement guessed': '/v1/fleet/devices?attention=placement_guessed&sort=location',
  'a word that all have': '/v1/fleet/devices?text=met&sort=location',
  'a word that eleven have': '/v1/fleet/devices?text=flat+{eleven}&sort=location',
  'a word that one in ninety has': '/v1/fleet/devices?text=flat+77&sort=location',
  'an address': '/v1/fleet/devices?text=home7@example',
  'inactive, by location': '/v1/fleet/devices?status=inactive&sort=location',
  'silent, by location': '/v1/fleet/devices?attention=silent&sort=location',
  inactive: '/v1/fleet/devices?status=inactive',
  'active, faulty family': '/v1/fleet/devices?status=active&family=tasmota&sort=location',
  accounts: '/v1/users',
  'accounts, counted': '/v1/users?include=devices',
  'accounts with silent devices': '/v1/users?silent=true&include=devices',
  'accounts that want attention': '/v1/users?has_attention=true',
};
/**
 * Names of the queries that read all matching devices and then sort them. These queries have no goal, because the number of matching
 * devices grows with the fleet.
 */
const GROWING: ReadonlySet<string> = new Set(['a word that one in ninety has']);
const MAPS: Readonly<Record<string, string>> = {
  'silence map, a day': mapOf(1),
  'silence map, seven days': mapOf(7),
};

function mapOf(days: number): string {
  const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return `/v1/fleet/silence?start=${date(Date.now() - (days - 1) * DAY_MS)}&end=${date(Date.now())}`;
}

/** A fleet under test. Two fleets are queried alternately, so that other load on the machine affects both equally. */
interface Fleet {
  devices: number;
  port: number;
  keys: Record<string, string>;
  agent: Agent;
}

/**
 * Measures how long the API takes for pages of device lists among 1,000 and 100,000 devices (`--devices=1000,100000`), for an administrator
 * and a utility. `--pages=300` sets the pages per query and round.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const watches: number[] = [];
  const rows = await withFleet(FEW, watches, (few) => withFleet(MANY, watches, (many) => compare(few, many)));
  const misses = rows.filter(
    ({ question, p99, ratio }) =>
      !(question in MAPS) && (p99 > TARGET.p99Ms || (ratio > TARGET.ratio && !GROWING.has(question))),
  );
  const line = (name: string, cells: readonly (string | number)[]) =>
    name.padEnd(42) + cells.map((cell) => String(cell).padStart(8)).join('');
  return {
    json: {
      devices: [FEW, MANY],
      pages: PAGES,
      rows,
      watch_ms: watches,
      misses: misses.map(({ who, question }) => `${who}: ${question}`),
    },
    lines: [
      `Medians in ms of pages of so many rows of both fleets, and their ratio; median and p99 of full pages of ${MANY} devices`,
      line('', ['rows', FEW, MANY, 'ratio', 'page', 'p99']),
      ...rows.map(({ who, question, rows, ratio, ...ms }) => {
        const [few, alike, p50, p99] = [ms.few, ms.alike, ms.p50, ms.p99].map((one) => one.toFixed(1));
        return line(`${who}: ${question}`, [rows, few ?? '', alike ?? '', ratio.toFixed(2), p50 ?? '', p99 ?? '']);
      }),
      '',
      `one look for silences: ${watches.join(' and ')} ms, once a minute`,
    ],
    goals: [
      {
        what: `Lists with a p99 above ${TARGET.p99Ms} ms, or a ratio above ${TARGET.ratio}`,
        measured: misses.length,
        goal: { atMost: 0 },
      },
    ],
  };
}

/** Calls `run` with a server whose database has `devices` devices. Appends the duration of one check for silent devices to `watches`. */
async function withFleet<T>(devices: number, watches: number[], run: (fleet: Fleet) => Promise<T>): Promise<T> {
  const database = await startBenchmarkDatabase();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  try {
    process.stderr.write(`filling ${devices} devices …\n`);
    const db = createDatabase(database.pool);
    const { user_id: admin } = await createUser(db, { email: 'admin@example.com', role: 'admin' });
    const { user_id: utility } = await createUser(db, { email: 'utility@example.com', role: 'utility' });
    await addFleet(database.pool, devices, utility);
    await recordDeviceSilences(db, new Date());
    const began = performance.now();
    for (let look = 0; look < 5; look++) await recordDeviceSilences(db, new Date());
    watches.push(Math.round((performance.now() - began) / 5));
    await database.pool.query('VACUUM ANALYZE');
    const keys = {
      admin: (await createKey(db, { userId: admin, environment: 'live' })).key,
      utility: (await createKey(db, { userId: utility, environment: 'live' })).key,
    };
    return await withServer(database.url, (port) => run({ devices, port, keys, agent }));
  } finally {
    agent.destroy();
    await database.remove();
  }
}

/**
 * Adds devices, two per home. Every fifth home has a gateway, to which its devices belong. 2 % of the devices are silent and 0.5 % are
 * faulty. On each of the last 30 days, 1 % stopped sending for some time.
 */
async function addFleet(pool: Pool, devices: number, utility: string): Promise<void> {
  const statements: [string, unknown[]][] = [
    [
      `INSERT INTO users (user_id, email, role, enrolled_by)
       SELECT 'usr_' || lpad(n::text, 8, '0'), 'home' || n || '@example.com', 'homeowner', CASE WHEN n % 2 = 0 THEN $2 END
       FROM generate_series(1, $1::int / 2) n`,
      [devices, utility],
    ],
    [
      `INSERT INTO devices (device_id, user_id, type, location, says_faulty, placement, placement_by, mqtt_secret_sha256, created_at)
       SELECT 'dev_' || lpad(n::text, 8, '0'), 'usr_' || lpad(((n + 1) / 2)::text, 8, '0'), 'meter',
         'Meter ' || (ARRAY['cellar', 'hall', 'garage', 'attic', 'kitchen'])[1 + n % 5] || ', flat ' || (n * 7919) % $1::int,
         n % 200 = 0,
         CASE WHEN n % 40 = 0 THEN 'production' WHEN n % 2 = 0 THEN 'grid' ELSE 'consumption' END,
         CASE WHEN n % 100 < 4 THEN 'type' ELSE 'owner' END, '', now() - interval '90 days' + n * interval '1 second'
       FROM generate_series(1, $1::int) n`,
      [devices],
    ],
    [
      `UPDATE device_heads SET laws = repeat('x', 300), seen_at = now() - CASE WHEN substr(device_id, 5)::int % 50 = 1
         THEN random() * interval '60 days' + interval '25 hours' ELSE random() * interval '20 minutes' END`,
      [],
    ],
    [
      `INSERT INTO gateways (gateway_id, user_id, name, mqtt_secret_sha256)
       SELECT 'gwy_' || user_id, user_id, 'x', '' FROM users WHERE role = 'homeowner' AND substr(user_id, 5)::int % 5 = 0`,
      [],
    ],
    [
      `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id, device_id)
       SELECT 'dsc_' || device_id, gateway_id, CASE WHEN substr(user_id, 5)::int % 500 = 0 THEN 'shelly' ELSE 'tasmota' END, device_id, device_id
       FROM gateways JOIN devices USING (user_id)`,
      [],
    ],
    [
      `INSERT INTO series (device_id, channel, kind, counts_import)
       SELECT device_id, CASE WHEN substr(device_id, 5)::int % 300 = 0 THEN 'unknown/x' ELSE 'import' END, 'register', substr(device_id, 5)::int % 300 <> 0
       FROM devices`,
      [],
    ],
    [
      `INSERT INTO device_silences (device_id, began_at, user_id, was_heard, ended_at)
       SELECT 'dev_' || lpad(n::text, 8, '0'), at, 'usr_' || lpad(((n + 1) / 2)::text, 8, '0'), true, at + interval '2 hours'
       FROM (SELECT DISTINCT ON (n) n, at FROM (SELECT 1 + floor(random() * $1::int)::int AS n, now() - interval '3 hours' - random() * interval '30 days' AS at
         FROM generate_series(1, greatest(1, $1::int * 3 / 10))) drawn WHERE n % 50 <> 1) once`,
      [devices],
    ],
  ];
  for (const [text, values] of statements) await pool.query(text, values);
  await pool.query('VACUUM ANALYZE');
}

/**
 * Compares response times in ms: the medians of both fleets for pages with the same number of rows, and the median and p99 of the larger
 * fleet for full pages.
 */
async function compare(few: Fleet, many: Fleet) {
  const rows = [];
  for (const who of Object.keys(few.keys)) {
    for (const [question, path] of Object.entries({ ...LISTS, ...MAPS })) {
      const isMap = question in MAPS;
      const pages = isMap ? Math.ceil(PAGES / 10) : PAGES;
      const most = isMap ? FULL_PAGE : Math.max(1, rowsOf(await get(few, who, path)));
      const alike = most < FULL_PAGE ? `${path}${path.includes('?') ? '&' : '?'}limit=${most}` : path;
      // Each turn also queries the smaller fleet twice, so that the servers of both fleets have the same load and the same memory.
      const asked = [
        pagesOf(few, who, path),
        pagesOf(many, who, alike),
        pagesOf(few, who, path),
        pagesOf(many, who, path),
      ];
      const [before, same, after, full] = (await timed(asked, pages)) as [Times, Times, Times, Times];
      const of = Math.min(before.p50, after.p50);
      const ratio = Math.round((100 * same.p50) / of) / 100;
      const row = { rows: most, few: of, alike: same.p50, ratio, p50: full.p50, p99: full.p99 };
      rows.push({ who, question, ...row });
      process.stderr.write(`  ${JSON.stringify(rows.at(-1))}\n`);
    }
  }
  return rows;
}

interface Times {
  p50: number;
  p99: number;
}

/** In each round, requests `pages` pages of each list, alternately one page of each list. Returns the medians of the rounds. */
async function timed(walks: readonly AsyncGenerator<void>[], pages: number): Promise<Times[]> {
  for (const walk of walks) await walk.next();
  const rounds: number[][][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const took: number[][] = walks.map(() => []);
    for (let page = 0; page < pages; page++) {
      for (const [index, walk] of walks.entries()) {
        const began = performance.now();
        await walk.next();
        took[index]?.push(performance.now() - began);
      }
    }
    rounds.push(took);
  }
  return walks.map((_, index) => {
    const of = (share: number) => computeMedian(rounds.map((took) => computeQuantile(took[index] ?? [], share)));
    return { p50: Math.round(10 * of(0.5)) / 10, p99: Math.round(10 * of(0.99)) / 10 };
  });
}

/** Requests the pages of a list one after the other, and starts again at the beginning after the last page. Never ends. */
async function* pagesOf(fleet: Fleet, who: string, path: string): AsyncGenerator<void> {
  for (let next: string | null = null; ; yield) ({ next } = await get(fleet, who, next ?? path));
}

/** Number of rows of a page. */
const rowsOf = ({ text }: { text: string }): number => JSON.parse(text).length;

function get(
  { devices, port, keys, agent }: Fleet,
  who: string,
  path: string,
): Promise<{ next: string | null; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${keys[who]}` };
    // The search matches exactly eleven flats, because eleven flat numbers begin with the text.
    const asked = path.replace('{eleven}', String(devices - 1).slice(0, -1));
    request({ port, host: '127.0.0.1', path: asked, headers, agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode !== 200) return reject(new Error(`${path}: ${text}`));
        const next = /<([^>]+)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1] ?? null;
        resolve({ next, text });
      });
    })
      .on('error', reject)
      .end();
  });
}

async function withServer<T>(url: string, run: (port: number) => Promise<T>): Promise<T> {
  const child = fork(fileURLToPath(new URL('./api-server.ts', import.meta.url)), ['full', url], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      child.once('message', (message) => resolve(message as number));
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return await run(port);
  } finally {
    child.kill();
  }
}
