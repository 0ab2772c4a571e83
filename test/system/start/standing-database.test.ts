import { readdirSync, readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { createDatabase, createPool } from '#src/database/connect.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { createUser } from '#src/users/store.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
let api: RoleProcess;
let key: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  server = await startEmbeddedPostgres({ dataDir: folder.path, sharedBuffersMb: 128 });
  // The request limits are high, because each refused request would add a line to the log.
  const many = { minute: 10_000, day: 10_000 };
  const limits = JSON.stringify({ free: many, developer: many, enterprise: many });
  const env = { DATA_DIR: folder.path, DATABASE_URL: server.url, LOG_LEVEL: 'error', PLAN_LIMITS: limits };
  api = await startRole('api', env);
  const pool = createPool(server.url);
  const db = createDatabase(pool);
  const { user_id: userId } = await createUser(db, { email: 'a@example.com', role: 'homeowner' });
  ({ key } = await createKey(db, { userId, environment: 'live' }));
  await pool.end();
});
afterAll(async () => {
  signal('SIGCONT');
  await api?.stop();
  await server?.stop();
  await folder.remove();
});

/** Returns the process ids of the database server: its first process and all descendants. */
function processes(): number[] {
  const find = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true }).flatMap((one) => {
      if (one.name === 'postmaster.pid') return [join(path, one.name)];
      return one.isDirectory() && path.split('/').length < 8 ? find(join(path, one.name)) : [];
    });
  const [file] = find(folder.path);
  const first = Number(readFileSync(file as string, 'utf8').split('\n')[0]);
  const children = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]) === first;
    } catch {
      // The process has ended since it was listed.
      return false;
    }
  });
  return [first, ...children.map(Number)];
}

function signal(name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of processes()) process.kill(pid, name);
}

interface TimedResponse {
  status: number | undefined;
  retryAfter: string | undefined;
  tookMs: number;
}

function ask(send: typeof request, options: object, body?: string): Promise<TimedResponse> {
  const fromMs = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = send({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      response.resume().on('end', () => {
        const { statusCode: status, headers } = response;
        resolve({ status, retryAfter: headers['retry-after'], tookMs: performance.now() - fromMs });
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

/** For each kind of client, a function that sends a request and resolves to the response. */
function askAll(): Record<string, () => Promise<TimedResponse>> {
  const https = { port: api.ready.https_port, rejectUnauthorized: false };
  const headers = { authorization: `Bearer ${key}` };
  const json = { 'content-type': 'application/json' };
  const login = JSON.stringify({ username: 'dev_x', password: 'x', clientid: 'x' });
  return {
    devices: () => ask(request, { ...https, path: '/v1/devices', headers }),
    insights: () => ask(request, { ...https, path: '/v1/energy-insights', headers }),
    ready: () => ask(request, { ...https, path: '/readyz' }),
    'sign-in': () =>
      ask(
        request,
        {
          ...https,
          path: '/dashboard/session',
          method: 'POST',
          headers: { ...json, origin: `https://localhost:${api.ready.https_port}` },
        },
        JSON.stringify({ token: 'x'.repeat(43) }),
      ),
    broker: () =>
      ask(
        plainRequest as typeof request,
        { port: api.ready.operator_port, path: '/internal/mqtt/authenticate', method: 'POST', headers: json },
        login,
      ),
  };
}

test('a database that does not respond is reported within 5 s, repeatedly, and everything recovers by itself', async () => {
  const asked = askAll();
  const each = (names: string[]) =>
    Promise.all(names.map(async (name) => ({ name, ...(await (asked[name] as () => Promise<TimedResponse>)()) })));
  const all = Object.keys(asked);
  // In the second round, the service has new database connections, and connections that were idle during the first round.
  for (let round = 0; round < 2; round++) {
    for (const { name, status } of await each(all)) expect({ name, status }).not.toEqual({ name, status: 503 });
    signal('SIGSTOP');
    // Send more requests than one account may have open, and more than the service has database connections.
    const results = await each([...all, ...Array(20).fill('devices')]);
    for (const { name, status, retryAfter, tookMs } of results) {
      expect({ name, status, retryAfter }).toEqual({ name, status: 503, retryAfter: '5' });
      expect(tookMs, name).toBeLessThan(scaleTimeLimitMs(5_500));
    }
    // When the service has detected that the database does not respond, it answers requests at once.
    for (const { name, status, tookMs } of await each(all)) {
      expect({ name, status }).toEqual({ name, status: 503 });
      expect(tookMs, name).toBeLessThan(scaleTimeLimitMs(5_500));
    }
    expect(
      (await ask(request, { port: api.ready.https_port, rejectUnauthorized: false, path: '/healthz' })).status,
    ).toBe(200);
    signal('SIGCONT');
    await expect.poll(async () => (await asked.ready?.())?.status).toBe(200);
    await expect.poll(async () => (await asked.devices?.())?.status).toBe(200);
    await expect.poll(async () => (await asked.broker?.())?.status).toBe(200);
    const again = await each(Array(20).fill('devices'));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
  }
});
