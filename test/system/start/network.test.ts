import { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { Command } from 'commander';
import mqtt from 'mqtt';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startIngest } from '#ingest/start.ts';
import { registerCommands as registerDevices } from '#src/cli/devices.ts';
import { registerCommands as registerUsers } from '#src/cli/users.ts';
import { loadConfig } from '#src/config/load.ts';
import { systemClock } from '#src/core/clock.ts';
import { startBelievedTimeUpdates } from '#src/database/believed-time.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { loadTlsPair } from '#src/start/certificate.ts';
import { createUser } from '#src/users/store.ts';
import { createExpectedErrorBody } from '../../support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '../../support/service.ts';

/** Another loopback address of this machine. A listener on 127.0.0.1 is not reachable at it. */
const ELSEWHERE = '127.0.0.3';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let env: Record<string, string>;
let api: RoleProcess;
let ingest: RoleProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await createTemporaryFolder();
  const from = { DATABASE_URL: database.url, DATA_DIR: folder.path, LOG_LEVEL: 'error' };
  env = { ...from, PUBLIC_MQTT_HOST: ELSEWHERE, TZ: 'Europe/Lisbon' };
  [api, ingest] = await Promise.all([startRole('api', env), startRole('ingest', env)]);
});
afterAll(async () => {
  await Promise.all([api, ingest].map((role) => role.stop()));
  await database.drop();
  await folder.remove();
});

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Sends a request without an API key, and without verifying the certificate (like curl -k). */
const ask = (path: string, options: { accept?: string; body?: unknown } = {}) =>
  new Promise<Answer>((done, failed) => {
    const { accept, body } = options;
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: api.ready.https_port,
        path,
        method: body ? 'POST' : 'GET',
        rejectUnauthorized: false,
        headers: { ...(accept ? { accept } : {}), ...(body ? { 'content-type': 'application/json' } : {}) },
      },
      async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        done({ status: response.statusCode ?? 0, headers: response.headers, text });
      },
    );
    outgoing.on('error', failed);
    outgoing.end(body && JSON.stringify(body));
  });

/** Runs a CLI command in this process. Returns its output or its error message. */
async function energy(...args: string[]): Promise<string> {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    const program = new Command().exitOverride();
    for (const register of [registerUsers, registerDevices]) register(program);
    await program.parseAsync(args, { from: 'user' });
    return printed.mock.calls.flat().join('\n');
  } finally {
    vi.unstubAllEnvs();
    printed.mockRestore();
  }
}

test('a device on another machine connects with TLS, by the announced host and the downloaded certificate', async () => {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: 'elsewhere@example.com', role: 'homeowner' });
  const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'Cellar' });
  const { status, text: ca, headers } = await ask('/certificate.pem');
  expect(status).toBe(200);
  expect(headers['content-disposition']).toBe('attachment; filename="energy-service.pem"');
  expect(ca).not.toContain('PRIVATE');
  expect(new X509Certificate(ca).fingerprint256).toBe(
    new X509Certificate(readFileSync(join(folder.path, 'tls/cert.pem'))).fingerprint256,
  );
  const login = { username: device.device_id, password: secret, reconnectPeriod: 0 };
  const client = await mqtt.connectAsync(`mqtts://${ELSEWHERE}:${ingest.ready.tlsPort}`, { ...login, ca });
  const reading = { ts: '2026-11-20T10:00:00Z', energy_total_kwh: 1 };
  await client.publishAsync(getReadingsTopic(device.device_id), JSON.stringify(reading), { qos: 1 });
  await client.endAsync();
  const { rows } = await database.pool.query('SELECT count(*)::int AS n FROM readings');
  expect(rows).toEqual([{ n: 1 }]);
  // The client itself ends the connection, because it does not trust the broker's certificate.
  await expect(mqtt.connectAsync(`mqtts://${ELSEWHERE}:${ingest.ready.tlsPort}`, login)).rejects.toThrow(/self-signed/);
  // Without TLS, the broker accepts connections only from this machine.
  const answers = (host: string) =>
    new Promise<boolean>((done) => {
      const socket = createConnection({ host, port: ingest.ready.port ?? 0 }, () => socket.destroy());
      socket.on('error', () => done(false)).on('connect', () => done(true));
    });
  expect([await answers('127.0.0.1'), await answers(ELSEWHERE)]).toEqual([true, false]);
});

test('prints a warning at the start if MQTT is open without TLS', async () => {
  const warned = async (MQTT_HOST: string) => {
    const ports = { MQTT_PORT: '0', MQTTS_PORT: '0', MQTTS_HOST: '127.0.0.1' };
    const config = loadConfig({ ...env, ...ports, MQTT_HOST });
    const notices: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void notices.push(line) });
    const { pool } = database;
    const believed = await startBelievedTimeUpdates(pool, { clock: systemClock, log });
    const parts = { pool, tls: await loadTlsPair(config), believed, onSessionLost: () => {}, log };
    await (await startIngest(config, parts)).stop();
    believed.stop();
    return notices.join();
  };
  expect(await warned('0.0.0.0')).toContain('MQTT without TLS listens beyond this machine (MQTT_HOST)');
  expect(await warned('127.0.0.1')).toBe('');
  await expect(warned('192.0.2.77')).rejects.toThrow(/192\.0\.2\.77 is not an address of this machine\. Set MQTT_HOST/);
});

test('redirects a browser from / to the dashboard; a program gets 404', async () => {
  const browser = await ask('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect([browser.status, browser.headers.location]).toEqual([302, '/dashboard']);
  for (const accept of ['application/json', '*/*', undefined]) {
    const { status, text } = await ask('/', accept ? { accept } : {});
    expect([status, JSON.parse(text)]).toEqual([404, createExpectedErrorBody('notFound')]);
  }
});

test('links contain the port that is listened on', async () => {
  const at = `https://localhost:${api.ready.https_port}`;
  expect(JSON.parse((await ask('/v1/openapi.json')).text).servers).toEqual([{ url: at }]);
  const mails = join(folder.path, 'mail');
  // Set the mode with which an earlier version created the folder.
  mkdirSync(mails, { mode: 0o755 });
  await createUser(createDatabase(database.pool), { email: 'link@example.com', role: 'homeowner' });
  expect((await ask('/dashboard/sign-in', { body: { email: 'link@example.com' } })).status).toBe(202);
  const mailed = () => {
    try {
      return readdirSync(mails).filter((name) => name.endsWith('.eml'));
    } catch {
      return [];
    }
  };
  await expect.poll(mailed).toHaveLength(1);
  // Anyone with the link in this mail can sign in, so only the owner of the file may read it.
  expect([mails, join(mails, mailed()[0] ?? '')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  const { text } = await PostalMime.parse(readFileSync(join(mails, mailed()[0] ?? '')));
  expect(text).toContain(`${at}/dashboard/sign-in#`);
});

test('the command line prints the same host, port and certificate for devices', async () => {
  const { user_id: userId } = JSON.parse(await energy('users', 'create', '--email', 'cli@example.com', '--json'));
  const output = await energy('devices', 'create', '--user', userId);
  expect(output).toMatch(/^host {6}127\.0\.0\.3, port 8883 with TLS$/m);
  expect(output).toContain(join(folder.path, 'tls/cert.pem'));
  expect(await energy('gateways', 'create', '--user', userId)).toMatch(/^host {6}127\.0\.0\.3, port 8883 with TLS$/m);
});

test('a new account follows the API’s rules, and has the given time zone or this machine’s', async () => {
  const create = (...args: string[]) => energy('users', 'create', '--email', ...args);
  const bad = await create('nobody', '--role', 'king', '--phone', '123', '--timezone', 'Berlin').catch(
    (error: Error) => error.message,
  );
  for (const name of ['email', 'role', 'phone', 'timezone']) expect(bad).toMatch(new RegExp(`^--${name}: `, 'm'));
  const made = (email: string) =>
    database.pool
      .query('SELECT role, phone, timezone FROM users WHERE email = $1', [email])
      .then(({ rows }) => rows[0]);
  const phone = '+4915112345678';
  await create('a@example.com', '--role', 'utility', '--phone', phone, '--timezone', 'Asia/Kolkata');
  expect(await made('a@example.com')).toEqual({ role: 'utility', phone, timezone: 'Asia/Kolkata' });
  expect(await create('b@example.com')).toContain('time zone Europe/Lisbon');
  expect(await made('b@example.com')).toEqual({ role: 'homeowner', phone: null, timezone: 'Europe/Lisbon' });
  await expect(create('B@example.com')).rejects.toThrow('already in use');
});
