import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase } from '#src/database/connect.ts';
import { getEmbeddedDatabaseUrl } from '#src/database/embedded-postgres.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

const PASSWORD = 'not-to-be-seen';
const SECRET = 'a secret of the test’s own';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let home: TestMeter;
/** A server that accepts connections but never responds. */
let silent: Server;
let mail: SMTPServer;
let ports: Record<string, string>;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  database = await createTestDatabase();
  home = await createTestMeter(database);
  silent = createServer().listen(0, '127.0.0.1');
  mail = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) =>
      done(password === PASSWORD ? null : new Error('no such login'), { user: 'energy' }),
    onMailFrom: (_address, _session, done) => done(new Error('nothing is to be sent')),
  });
  await new Promise<void>((done) => mail.listen(0, '127.0.0.1', done));
  const names = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT', 'OPERATOR_PORT'];
  ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await findFreePort())])));
});
afterAll(async () => {
  silent.close();
  await Promise.all([database.drop(), new Promise<void>((done) => mail.close(() => done()))]);
  await folder.remove();
});

const portOf = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port;

interface Reported {
  check: string;
  level: string;
  finding: string;
  todo: string | null;
}

/** Runs the doctor and returns its output. `bad` contains the problems that it found, by the name of the check. */
async function doctor(given: Record<string, string>, ...args: string[]) {
  const env = { PATH: process.env.PATH, DATA_DIR: join(folder.path, 'none'), ...ports, ...given };
  const child = spawn(process.execPath, [TESTED_PROGRAM, 'doctor', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, output };
}

async function findings(given: Record<string, string>, ...args: string[]) {
  const { code, output } = await doctor(given, '--json', ...args);
  const { ok, findings: all } = JSON.parse(output) as { ok: boolean; findings: Reported[] };
  expect(code).toBe(ok ? 0 : 1);
  const bad = all.filter(({ level }) => level === 'problem').map(({ check }) => check);
  const of = (check: string) => all.filter((one) => one.check === check);
  return { bad: [...new Set(bad)], of, output };
}

test('reports a newer version only if the operator names an address', async () => {
  let requests = 0;
  const releases = createHttpServer((_request, response) => {
    requests++;
    response.end('{"version":"99.0.0"}');
  }).listen(0, '127.0.0.1');
  await once(releases, 'listening');
  const url = `http://127.0.0.1:${portOf(releases)}/latest`;
  const version = async (...args: string[]) => (await findings({}, ...args)).of('version')[0];
  expect(await version()).toMatchObject({ level: 'ok', finding: expect.stringContaining('energy doctor --releases') });
  expect(requests).toBe(0);
  expect(await version('--releases', url)).toMatchObject({
    level: 'warning',
    finding: expect.stringMatching(/^99\.0\.0 is/),
  });
  expect(requests).toBe(1);
  releases.close();
});

test('recognises the embedded database by the address that the supervisor gives its child processes', async () => {
  const dataDir = join(folder.path, 'none');
  const { of } = await findings({ DATABASE_URL: getEmbeddedDatabaseUrl(dataDir) });
  expect(of('database')[0]?.finding).toContain('the embedded database');
  expect(of('back-ups')[0]).toMatchObject({ level: 'ok', finding: expect.stringContaining('no copy yet') });
});

test('finds no problem before the first start, and creates nothing', async () => {
  const { code, output } = await doctor({});
  expect(output).toMatch(/WARNING {2}service +no service runs on .*\n +→ Start it/);
  expect(output).toMatch(/0 problems, 1 warning\.\n$/);
  expect(code).toBe(0);
  expect(await readdir(folder.path)).toEqual([]);
});

test('reports each error of an invalid configuration on its own line', async () => {
  const { bad, of } = await findings({ API_PORT: 'x', TLS_KEY_FILE: 'k' });
  expect(bad).toEqual(['configuration']);
  expect(of('configuration').map(({ finding }) => finding.split(':')[0])).toContain('API_PORT');
});

test('finds no problem in a healthy installation', async () => {
  await home.read([
    [new Date(Date.now() - 7_200_000), 1],
    [new Date(Date.now() - 60_000), 2],
  ]);
  await createWebhook(createDatabase(database.pool), createSecretEncrypter(SECRET), home.userId, {
    events: ['usage.updated'],
    url: 'https://receiver.example/',
    authToken: 'a token of the owner',
  });
  const { bad, of } = await findings({
    DATABASE_URL: database.url,
    SMTP_URL: `smtp://energy:${PASSWORD}@127.0.0.1:${portOf(mail.server)}`,
    SECRET_KEY: SECRET,
  });
  expect(bad).toEqual([]);
  for (const check of ['database', 'schema', 'clock', 'secret key', 'mail', 'silence', 'outbox', 'aggregates'])
    expect(of(check).map(({ level }) => level)).toEqual(['ok']);
  expect(of('aggregates')[0]?.finding).toContain(home.userId);
  expect(of('silence')[0]?.finding).toBe(
    '0 of 1 devices that sent a message in the last day have been silent for an hour',
  );
});

test('finds each problem, and prints no password', async () => {
  const data = join(folder.path, 'open');
  await mkdir(join(data, 'mail'), { recursive: true });
  await writeFile(join(data, 'secret.key'), 'another secret than that\n');
  await chmod(join(data, 'secret.key'), 0o644);
  const wrong = 'wrong-and-not-to-be-seen';
  const { bad, of, output } = await findings({
    DATA_DIR: data,
    DATABASE_URL: database.url,
    API_PORT: String(portOf(silent)),
    SMTP_URL: `smtp://energy:${wrong}@127.0.0.1:${portOf(mail.server)}`,
    TLS_CERT_FILE: join(data, 'none.pem'),
    TLS_KEY_FILE: join(data, 'none.pem'),
  });
  expect(bad.sort()).toEqual(['certificate', 'files', 'mail', 'ports', 'secret key']);
  expect(of('ports')[0]?.finding).toContain(`process ${process.pid} `);
  expect(of('mail')[0]?.todo).toContain('rejects this login');
  expect(output).not.toContain(wrong);
});

test('finds rejected readings, aggregates that differ, and a schema of a newer version', async () => {
  await database.pool.query('UPDATE devices SET recent_rejects = (1 << 20) - 1');
  // Add a daily row without readings, so that the aggregates differ from the readings.
  await database.pool.query(
    `INSERT INTO closed_user_daily (user_id, day, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours,
       reading_count, covered_ms, export_covered_ms)
     VALUES ($1, date_trunc('month', now(), 'UTC') + interval '40 days', 1, 0, 0, 1, 1, 0)`,
    [home.userId],
  );
  const one = await findings({ DATABASE_URL: database.url, SECRET_KEY: SECRET });
  expect(one.bad).toEqual(['rejected', 'aggregates']);
  await database.pool.query("INSERT INTO schema_migrations (name, sha256) VALUES ('schema/9999_later.sql', '')");
  const later = await findings({ DATABASE_URL: database.url, SECRET_KEY: SECRET });
  expect(later.bad).toEqual(['schema']);
  expect(later.of('rejected')[0]?.level).toBe('skipped');
});

test('reports a hanging database, broker or mail server after a time limit', async () => {
  const at = `energy:${PASSWORD}@127.0.0.1:${portOf(silent)}`;
  const startedAt = performance.now();
  const { bad, of, output } = await findings({
    DATABASE_URL: `postgres://${at}/energy`,
    MQTT_URL: `mqtt://${at}`,
    SMTP_URL: `smtp://${at}`,
  });
  expect(performance.now() - startedAt).toBeLessThan(scaleTimeLimitMs(25_000));
  expect(bad.sort()).toEqual(['broker', 'database', 'mail']);
  expect(of('secret key')[0]?.level).toBe('skipped');
  expect(output).not.toContain(PASSWORD);
});
