import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import { connect } from 'node:tls';
import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '#src/database/connect.ts';
import { readComposeFile, readImageContents } from '#test/support/compose-file.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { findAvailableTiers } from '#test/support/tiers/available-tiers.ts';
import type { TestPostgresServer } from '#test/support/tiers/server.ts';
import { TIER_SERVER_STARTERS } from '#test/support/tiers/tiers.ts';

/**
 * Tests deploy/compose.yaml without Docker: the volume is a folder, the host `database` is the test's server, and containers get free
 * ports.
 */
const root = resolve(import.meta.dirname, '../../..');
const ROLES = ['ingest', 'api', 'worker'];
const PORT_OF: Record<string, string> = { 8883: 'MQTTS_PORT', 1883: 'MQTT_PORT', 8443: 'API_PORT', 8080: 'HTTP_PORT' };
const ADMIN_KEY = `eus_live_${'k'.repeat(40)}`;
/** Docker's stop_grace_period for the roles, in ms. */
const GRACE_MS = 15_000;
/**
 * Polling interval of the test. It is long, because a key may send only 300 requests a minute, and a correction may take 30 s to appear.
 */
const PATIENTLY = { interval: 500 };

interface Container {
  child: ChildProcess;
  output(): string;
  ended: Promise<number | null>;
}

let server: TestPostgresServer;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let ports: Record<string, number>;
const containers = new Map<string, Container>();
const clients: MqttClient[] = [];

/** Starts a service of the compose file with the command of its image. */
function run(role: string): Container {
  const filled = { POSTGRES_PASSWORD: 'postgres', SECRET_KEY: 'k'.repeat(32), BOOTSTRAP_ADMIN_KEY: ADMIN_KEY };
  const file = readComposeFile({ ...filled, PUBLIC_URL: `https://localhost:${ports.API_PORT}` });
  const { command = [], environment = {}, volumes } = file.services[role] ?? {};
  expect(volumes).toEqual(['data:/data']);
  const { DATABASE_URL, DATA_DIR } = environment;
  expect([DATABASE_URL, DATA_DIR]).toEqual(['postgres://energy:postgres@database:5432/energy', '/data']);
  const mapped = { DATABASE_URL: server.urlOf('energy'), DATA_DIR: join(folder.path, 'data') };
  const [program, ...args] = [...readImageContents().entrypoint, ...command];
  expect(program).toBe('node');
  const child = spawn(process.execPath, args, {
    cwd: join(folder.path, 'app'),
    env: { PATH: process.env.PATH, ...environment, ...mapped, ...portsOf(role) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const container = {
    child,
    output: () => output,
    ended: new Promise<number | null>((done) => child.once('exit', done)),
  };
  containers.set(role, container);
  return container;
}

/** Returns the ports of a role. In Docker each container has its own ports; in this test all roles share one machine. */
const portsOf = (role: string) =>
  Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [
      name,
      String(name === 'OPERATOR_PORT' ? port + ROLES.indexOf(role) : port),
    ]),
  );

const ready = (role: string) =>
  expect.poll(() => containers.get(role)?.output() ?? '', { message: role }).toMatch(/"msg":"ready"/);

/** Sends a request to the API; without `ca` the certificate is not verified. */
const ask = (path: string, { ca, body }: { ca?: string; body?: unknown } = {}) =>
  // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
  new Promise<any>((done, failed) => {
    const outgoing = request(
      {
        host: 'localhost',
        port: ports.API_PORT,
        path,
        method: body ? 'POST' : 'GET',
        ...(ca ? { ca } : { rejectUnauthorized: false }),
        headers: {
          ...(ca ? { authorization: `Bearer ${ADMIN_KEY}` } : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
      },
      async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        const isWell = [200, 201].includes(response.statusCode ?? 0);
        if (!isWell) return failed(new Error(`${path}: ${response.statusCode} ${text}`));
        done(/json/.test(response.headers['content-type'] ?? '') ? JSON.parse(text) : text);
      },
    );
    outgoing.on('error', failed);
    outgoing.end(body && JSON.stringify(body));
  });

beforeAll(async () => {
  folder = await createTemporaryFolder();
  for (const name of readImageContents().folders)
    cpSync(join(root, name), join(folder.path, 'app', name), { recursive: true });
  for (const name of ['package.json', 'package-lock.json', 'node_modules'])
    symlinkSync(join(root, name), join(folder.path, 'app', name));
  // Among the database servers that this machine can start, use the one that resembles the compose file's most.
  const [tier = 'plain'] = findAvailableTiers().reached.slice(-1);
  server = await TIER_SERVER_STARTERS[tier]();
  const admin = createPool(server.urlOf('postgres'), { max: 1 });
  await admin.query('CREATE DATABASE energy');
  await admin.end();
  const names = [...Object.values(PORT_OF), 'OPERATOR_PORT'];
  ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await findFreePort()])));
});
afterAll(async () => {
  for (const client of clients) await client.endAsync(true);
  for (const { child, ended } of containers.values()) {
    child.kill('SIGKILL');
    await ended;
  }
  await server.stop();
  await folder.remove();
});

/** Connects as a newly paired device or gateway over TLS, with the downloaded certificate. */
async function connected(login: { username: string; password: string }, ca: string): Promise<MqttClient> {
  const { username, password } = login;
  const client = await mqtt.connectAsync(`mqtts://localhost:${ports.MQTTS_PORT}`, { username, password, ca });
  clients.push(client);
  return client;
}

test('publishes the ports that its programs listen on', () => {
  const { services } = readComposeFile({ POSTGRES_PASSWORD: 'p', SECRET_KEY: 'k', BOOTSTRAP_ADMIN_KEY: ADMIN_KEY });
  const inside = Object.values(services).flatMap((one) => one.ports ?? []);
  expect(inside.map((text) => text.split(':').at(-1) ?? '').sort()).toEqual(Object.keys(PORT_OF).sort());
  expect(Object.keys(services)).toEqual(['database', ...ROLES]);
});

test('the roles start concurrently on an empty volume, and readings of a paired device are acknowledged only once committed', async () => {
  for (const role of ROLES) run(role);
  await Promise.all(ROLES.map(ready));

  const ca = await ask('/certificate.pem');
  // One role created the certificate and the secrets, and all roles use them.
  const brokers = await new Promise<string>((done, failed) => {
    const socket = connect({ host: 'localhost', port: ports.MQTTS_PORT ?? 0, ca }, () => {
      done(socket.getPeerX509Certificate()?.toString() ?? '');
      socket.destroy();
    });
    socket.on('error', failed);
  });
  expect(brokers).toBe(ca);

  const { user_id } = await ask('/v1/users', { ca, body: { email: 'anna@example.com', role: 'homeowner' } });
  const type = { user_id, type: 'smart_meter' };
  const meter = await ask('/v1/devices', { ca, body: { ...type, location: 'Cellar' } });
  const gateway = await ask('/v1/gateways', { ca, body: { user_id, name: 'home' } });
  const device = await connected(meter.mqtt, ca);
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const sendReading = (hour: number, kwh: number) =>
    device.publishAsync(
      meter.mqtt.topic,
      JSON.stringify({ ts: `${day}T${String(hour).padStart(2, '0')}:00:00Z`, energy_total_kwh: kwh }),
      { qos: 1 },
    );
  const used = async (deviceId?: string) => {
    const dates = `start=${day}&end=${day}`;
    const path = deviceId
      ? `/v1/devices/${deviceId}/usage?${dates}`
      : `/v1/energy-insights?user_id=${user_id}&${dates}`;
    return (await ask(path, { ca })).data.map((row: { kwh_used: number }) => row.kwh_used);
  };
  await sendReading(1, 100);
  await sendReading(2, 101.5);
  // Kill the ingest role directly after it has acknowledged a reading.
  containers.get('ingest')?.child.kill('SIGKILL');
  await containers.get('ingest')?.ended;
  await expect.poll(() => used(), PATIENTLY).toEqual([1.5]);

  // Start the ingest role again, as `restart: unless-stopped` does. The device reconnects. Readings through a gateway are stored, too.
  run('ingest');
  const sending = sendReading(3, 103);
  await ready('ingest');
  await sending;
  await expect.poll(() => used(), PATIENTLY).toEqual([3]);
  const bridge = await connected(gateway.mqtt, ca);
  const sensor = (hour: number, kwh: number) =>
    bridge.publishAsync(
      `${gateway.mqtt.topic_prefix}tele/plug/SENSOR`,
      JSON.stringify({ Time: `${day}T0${hour}:00:00`, ENERGY: { Total: kwh } }),
      { qos: 1 },
    );
  await sensor(1, 10);
  const discovered = () => ask(`/v1/devices/discovered?user_id=${user_id}`, { ca });
  await expect.poll(discovered, PATIENTLY).toHaveLength(1);
  const [{ discovery_id }] = await discovered();
  const body = { ...type, type: 'smart_plug', location: 'Desk', timezone: 'UTC', discovery_id };
  const plug = await ask('/v1/devices', { ca, body });
  await sensor(2, 10.25);
  await sensor(4, 10.75);
  await expect.poll(() => used(plug.device_id), PATIENTLY).toEqual([0.5]);

  // No role has logged an error: level 50 is pino's level for errors.
  for (const { output } of containers.values()) expect(output()).not.toMatch(/"level":(50|60)|Error/);
  for (const { child } of containers.values()) child.kill('SIGTERM');
  const stopped = performance.now();
  const codes = await Promise.all([...containers.values()].map(({ ended }) => ended));
  expect(codes).toEqual([0, 0, 0]);
  expect(performance.now() - stopped).toBeLessThan(GRACE_MS);
});
