import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { get as plainGet } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '#test/support/free-port.ts';
import { listPromQlExpressions } from '#test/support/monitoring-files.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { findUnknownMetrics, parseScrape } from '#test/support/promql.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  const names = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT', 'OPERATOR_PORT'];
  const ports = await Promise.all(names.map(async (name) => [name, String(await findFreePort())]));
  env = { PATH: process.env.PATH ?? '', DATA_DIR: folder.path, LOG_LEVEL: 'warn', ...Object.fromEntries(ports) };
});
afterAll(() => folder.remove());

interface Started {
  child: ChildProcess;
  output(): string;
  ended: Promise<number | null>;
}

function start(): Started {
  // Only the service gets this variable. The CLI commands in these tests run without it, like commands in another shell of the user.
  const own = { ...env, MQTTS_HOST: '127.0.0.1' };
  const child = spawn(process.execPath, [TESTED_PROGRAM, 'start'], { env: own, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  return { child, output: () => output, ended: new Promise((done) => child.once('exit', (code) => done(code))) };
}

const ready = (service: Started) => expect.poll(service.output).toContain('Ready.');

/** Returns the id of the process of the service whose title begins with this text. */
function pidOf(title: string): number {
  const pid = pids().find(({ command }) => command.startsWith(title))?.pid;
  if (pid === undefined) throw new Error(`there is no ${title}`);
  return pid;
}

const processes = (): string[] => pids().map(({ command }) => command);

/** Returns the processes of the tested service, without zombies. They are found by the data directory in their environment. */
function pids(): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const mine = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${folder.path}\0`);
      return mine && command !== '' ? [{ pid: Number(pid), command }] : [];
    } catch {
      return [];
    }
  });
}

/** Returns the TCP ports on which these processes listen (proc(5), /proc/net/tcp). */
function portsOf(pids: number[]): number[] {
  const sockets = new Set(
    pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).map((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
        } catch {
          return undefined;
        }
      }),
    ),
  );
  const LISTENING = '0A';
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTENING && sockets.has(inode))
      .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16)),
  );
}

/** Sends a request with this Host header to the operators' port, and returns the status of the response. */
const statusOf = (host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: env.OPERATOR_PORT, path: '/healthz', headers: { host } };
    plainGet(options, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });

/** Returns a function that sends requests to the service of a data directory, and trusts the service's certificate. */
function asker(dataDir: string, port = env.API_PORT) {
  const ca = readFileSync(`${dataDir}/tls/cert.pem`);
  // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
  type Answer = { status: number; json: any };
  return (path: string, bearer: string, body?: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { authorization: `Bearer ${bearer}`, ...(body ? { 'content-type': 'application/json' } : {}) };
      const options = { host: 'localhost', port, path, ca, method: body ? 'POST' : 'GET', headers };
      const outgoing = request(options, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) }));
      });
      outgoing.on('error', reject);
      outgoing.end(body && JSON.stringify(body));
    });
}

/** Signs in with a printed link. Returns the user's role, or the status of the error response. */
async function roleOf(output: string): Promise<string | number> {
  const [, token] = /\/dashboard\/sign-in#([\w-]{43})\s/.exec(output) ?? [];
  const { status, json } = await asker(folder.path)('/dashboard/session', 'none', { token });
  return json.user?.role ?? status;
}

test('starts everything, prints the key once, refuses a second service, and recovers from SIGKILL', async () => {
  // A service that is stopped during its start leaves no processes.
  const early = start();
  await expect.poll(() => existsSync(join(folder.path, 'postgres/postmaster.pid'))).toBe(true);
  early.child.kill('SIGTERM');
  expect(await early.ended).toBe(0);
  await expect.poll(early.output).toBe('Stopping …\n');
  expect(processes()).toEqual([]);

  const first = start();
  await ready(first);
  expect(first.output()).toMatch(/eus_live_\w{42}/);
  expect(await roleOf(first.output())).toBe('admin');
  // A printed sign-in link works only once.
  expect(await roleOf(first.output())).toBe(422);
  const printed = (email: string) => {
    const { stdout, stderr } = spawnSync(process.execPath, [TESTED_PROGRAM, 'users', 'sign-in', email], { env });
    return `${stdout}${stderr}`;
  };
  expect(await roleOf(printed('Admin@localhost'))).toBe('admin');
  expect(printed('nobody@example.com')).toContain('There is no user nobody@example.com');
  expect(processes().filter((command) => /^energy (ingest|api|worker)/.test(command))).toHaveLength(3);
  // The doctor identifies the ports, the broker and the database of the running service.
  const doctor = spawnSync(process.execPath, [TESTED_PROGRAM, 'doctor', '--json'], { env, encoding: 'utf8' });
  const { findings } = JSON.parse(doctor.stdout) as { findings: { level: string; finding: string }[] };
  expect(findings.filter(({ level }) => level === 'problem' || level === 'skipped')).toEqual([]);
  expect([doctor.status, doctor.stderr]).toEqual([0, '']);
  const made = spawnSync(
    process.execPath,
    [TESTED_PROGRAM, 'gateways', 'create', '--user', 'admin@localhost', '--name', 'home'],
    {
      env,
      encoding: 'utf8',
    },
  );
  expect(made.stdout).toMatch(new RegExp(`^host +localhost, port ${env.MQTTS_PORT} with TLS$`, 'm'));

  const operator = `http://127.0.0.1:${env.OPERATOR_PORT}`;
  const metrics = await (await fetch(`${operator}/metrics`)).text();
  for (const role of ['ingest', 'api', 'worker']) {
    expect(metrics).toMatch(new RegExp(`process_cpu_seconds_total\\{[^}]*role="${role}"`));
  }
  for (const name of [
    'energy_messages_received_total',
    'energy_http_requests_total',
    'energy_late_differences_waiting',
    'energy_days_to_pack',
  ]) {
    expect(metrics.match(new RegExp(`^# HELP ${name} `, 'gm'))).toHaveLength(1);
  }
  // The service exports every metric that the dashboards and alert rules use.
  const known = parseScrape(metrics);
  const unknown = listPromQlExpressions().flatMap(({ where, expression }) =>
    findUnknownMetrics(expression, known).map((what) => `${where}: ${what}`),
  );
  expect(unknown).toEqual([]);
  const health = async () => {
    const answer = await fetch(`${operator}/healthz`);
    return { status: answer.status, body: await answer.json() };
  };
  expect(await health()).toEqual({
    status: 200,
    body: { status: 'ok', roles: { ingest: 'up', api: 'up', worker: 'up' } },
  });
  expect(await statusOf(`localhost:${env.OPERATOR_PORT}`)).toBe(200);
  expect(await statusOf(`rebind.example.com:${env.OPERATOR_PORT}`)).toBe(403);
  const unknownPath = await fetch(`${operator}/unknown`);
  expect(await unknownPath.json()).toMatchObject({ status: 404, code: 'not_found' });
  // No role may listen on a port chosen by the operating system: this could be one of the configured ports.
  const configured = Object.entries(env).flatMap(([name, value]) => (name.endsWith('_PORT') ? [Number(value)] : []));
  expect(portsOf(pids().map(({ pid }) => pid)).sort()).toEqual(configured.sort());
  process.kill(pidOf('energy worker'), 'SIGKILL');
  await expect
    .poll(health, { timeout: 5_000, interval: 20 })
    .toMatchObject({ status: 503, body: { roles: { worker: 'down' } } });
  await expect.poll(health).toMatchObject({ status: 200 });

  const second = start();
  expect(await second.ended).toBe(1);
  // Output of a process may still arrive after its exit event.
  await expect.poll(second.output).toContain('Stop it first, or set DATA_DIR');

  first.child.kill('SIGKILL');
  await first.ended;
  await expect.poll(() => processes().filter((command) => command.startsWith('energy'))).toEqual([]);

  const again = start();
  await ready(again);
  expect(again.output()).not.toContain('eus_live_');
  expect(again.output()).not.toContain('/sign-in#');
  const startedAt = performance.now();
  // The pipes for the process's output are closed, so writing its output fails while it stops.
  again.child.stdout?.destroy();
  again.child.stderr?.destroy();
  again.child.kill('SIGTERM');
  expect(await again.ended).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(scaleTimeLimitMs(5_000));
  await expect.poll(processes).toEqual([]);
});

test('reports each error of the configuration on its own line', async () => {
  const child = spawn(process.execPath, [TESTED_PROGRAM, 'start'], {
    env: { PATH: env.PATH ?? '', API_PORT: 'x', RETENTION_MONTHS: '3', TLS_KEY_FILE: 'k' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((done) => child.once('close', done));
  expect(text).toMatch(/API_PORT: /);
  expect(text).toMatch(/RETENTION_MONTHS: must be 12 or more/);
});

test('the sandbox has its own keys, simulated devices for each new homeowner, and free ports', async () => {
  const sandbox = await createTemporaryFolder();
  const key = `eus_test_${'k'.repeat(40)}`;
  const found = { API_PORT: '0', HTTP_PORT: '0', MQTT_PORT: '0', MQTTS_PORT: '0', OPERATOR_PORT: '0' };
  const child = spawn(process.execPath, [TESTED_PROGRAM, 'start'], {
    env: { ...env, ...found, DATA_DIR: sandbox.path, ENVIRONMENT: 'sandbox', BOOTSTRAP_ADMIN_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output).toContain('Ready.');
  const ask = asker(sandbox.path, /https:\/\/localhost:(\d+)\/v1/.exec(output)?.[1]);
  expect((await ask('/v1/devices', `eus_live_${'k'.repeat(40)}`)).status).toBe(401);
  const { json } = await ask('/v1/users', key, {
    email: 'new@sandbox.example',
    role: 'homeowner',
    timezone: 'Europe/Berlin',
  });
  const devices = async () =>
    (await ask(`/v1/devices?user_id=${json.user_id}`, key)).json.map(({ type }: { type: string }) => type).sort();
  await expect.poll(devices).toEqual(['smart_meter', 'thermostat']);
  const used = async () => (await ask(`/v1/energy-insights?user_id=${json.user_id}`, key)).json.kwh_used;
  await expect.poll(used, { interval: 500 }).toBeGreaterThan(30);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  await sandbox.remove();
});
