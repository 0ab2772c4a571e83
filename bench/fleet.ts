import { fork } from 'node:child_process';
import { Agent, request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { createKey } from '#src/auth/keys.ts';
import { createDb, type Pool } from '#src/database/connect.ts';
import { watchSilences } from '#src/devices/fleet/watch.ts';
import { createUser } from '#src/users/store.ts';
import type { Answer } from './answer.ts';
import { benchDatabase, median, quantile } from './support.ts';

const [FEW = 1_000, MANY = 100_000] = (
  process.argv.find((flag) => flag.startsWith('--devices='))?.slice(10) ?? '1000,100000'
)
  .split(',')
  .map(Number);
/** Pages of each question, one after the other: p99 needs some hundred. */
const PAGES = Number(process.argv.find((flag) => flag.startsWith('--pages='))?.slice(8) ?? 300);
const ROUNDS = 3;
const TARGET = { p99Ms: 300, ratio: 2 };
const DAY_MS = 86_400_000;

/** Questions as a person's pages ask them, in the order of the answer. */
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
  'a word that one has': '/v1/fleet/devices?text=flat+77&sort=location',
  'an address': '/v1/fleet/devices?text=home7@example',
  'active, faulty family': '/v1/fleet/devices?status=active&family=tasmota&sort=location',
  accounts: '/v1/users',
  'accounts, counted': '/v1/users?include=devices',
  'accounts with silent devices': '/v1/users?silent=true&include=devices',
  'accounts that want attention': '/v1/users?has_attention=true',
};
const MAPS: Readonly<Record<string, string>> = {
  'silence map, a day': mapOf(1),
  'silence map, seven days': mapOf(7),
};

function mapOf(days: number): string {
  const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return `/v1/fleet/silence?start=${date(Date.now() - (days - 1) * DAY_MS)}&end=${date(Date.now())}`;
}

interface Times {
  p50: number;
  p99: number;
}

/**
 * Pages of a fleet of 1,000 devices and of 100,000 (`--devices=1000,100000`), by an administrator and by a utility that enrolled half of the
 * homes, over TLS keep-alive: the first page and, from every cursor, the next ones. `--pages=300` of each question and round.
 */
export async function bench(): Promise<Answer> {
  const sizes: Record<number, Record<string, Times>> = {};
  const watches: Record<number, number> = {};
  for (const devices of [FEW, MANY]) {
    const database = await benchDatabase();
    try {
      process.stderr.write(`filling ${devices} devices …\n`);
      const db = createDb(database.pool);
      const { user_id: admin } = await createUser(db, { email: 'admin@example.com', role: 'admin' });
      const { user_id: utility } = await createUser(db, { email: 'utility@example.com', role: 'utility' });
      await addFleet(database.pool, devices, utility);
      await watchSilences(db, new Date());
      const began = performance.now();
      for (let look = 0; look < 5; look++) await watchSilences(db, new Date());
      watches[devices] = Math.round((performance.now() - began) / 5);
      await database.pool.query('VACUUM ANALYZE');
      const keys = {
        admin: (await createKey(db, { userId: admin, environment: 'live' })).key,
        utility: (await createKey(db, { userId: utility, environment: 'live' })).key,
      };
      sizes[devices] = await withServer(database.url, (port) => measure(port, keys));
    } finally {
      await database.remove();
    }
  }
  const [few, many] = [sizes[FEW] ?? {}, sizes[MANY] ?? {}];
  const rows = Object.entries(many).map(([name, { p50, p99 }]) => {
    const before = few[name]?.p99 ?? Number.NaN;
    return { name, few: before, p50, p99, ratio: Math.round((100 * p99) / before) / 100 };
  });
  const misses = rows.filter(
    ({ name, p99, ratio }) => !name.includes('map') && (p99 > TARGET.p99Ms || ratio > TARGET.ratio),
  );
  return {
    json: { devices: [FEW, MANY], pages: PAGES, rows, watch_ms: watches, misses: misses.map(({ name }) => name) },
    lines: [
      `${'p99 in ms of'.padEnd(48)} ${String(FEW).padStart(8)} ${String(MANY).padStart(8)}   ratio   p50`,
      ...rows.map(
        ({ name, few, p99, ratio, p50 }) =>
          `${name.padEnd(48)} ${few.toFixed(1).padStart(8)} ${p99.toFixed(1).padStart(8)} ${ratio.toFixed(2).padStart(7)} ${p50.toFixed(1).padStart(5)}`,
      ),
      '',
      `one look for silences: ${watches[FEW]} and ${watches[MANY]} ms, once a minute`,
      `targets: p99 under ${TARGET.p99Ms} ms and ratio at most ${TARGET.ratio} of every list; missed by ${misses.length}`,
    ],
  };
}

/**
 * Two devices a home, every fifth home with a gateway and Tasmota, every thousandth with a Shelly. Two in a hundred are silent, one in two
 * hundred is faulty; each fell silent at some time of the last 60 days, and a hundredth of all stopped and came back each day of the last 30.
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
      `INSERT INTO devices (device_id, user_id, type, location, status, placement, placement_by, mqtt_secret_sha256, created_at)
       SELECT 'dev_' || lpad(n::text, 8, '0'), 'usr_' || lpad(((n + 1) / 2)::text, 8, '0'), 'meter',
         'Meter ' || (ARRAY['cellar', 'hall', 'garage', 'attic', 'kitchen'])[1 + n % 5] || ', flat ' || (n * 7919) % $1::int,
         CASE WHEN n % 200 = 0 THEN 'faulty' WHEN n % 50 = 1 THEN 'inactive' ELSE 'active' END,
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

async function measure(port: number, keys: Record<string, string>): Promise<Record<string, Times>> {
  const times: Record<string, Times> = {};
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  for (const [who, key] of Object.entries(keys)) {
    const ask = (path: string) => get({ port, path, key, agent });
    for (const [name, path] of Object.entries({ ...LISTS, ...MAPS })) {
      const isMap = name in MAPS;
      const pages = isMap ? Math.ceil(PAGES / 10) : PAGES;
      const rounds: number[][] = [];
      await ask(path);
      for (let round = 0; round < ROUNDS; round++) {
        const took: number[] = [];
        // Through all of the list, and from its beginning again.
        let next: string | null = path;
        while (took.length < pages) {
          const began = performance.now();
          const answer = await ask(next ?? path);
          took.push(performance.now() - began);
          next = answer.next;
        }
        rounds.push(took);
      }
      const of = (share: number) => Math.round(10 * median(rounds.map((took) => quantile(took, share)))) / 10;
      times[`${who}: ${name}`] = { p50: of(0.5), p99: of(0.99) };
      process.stderr.write(`  ${who}: ${name} ${JSON.stringify(times[`${who}: ${name}`])}\n`);
    }
  }
  agent.destroy();
  return times;
}

function get(asked: { port: number; path: string; key: string; agent: Agent }): Promise<{ next: string | null }> {
  const { port, path, key, agent } = asked;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    request({ port, host: '127.0.0.1', path, headers, agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode !== 200) return reject(new Error(`${path}: ${text}`));
        const next = /<([^>]+)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1] ?? null;
        resolve({ next });
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
