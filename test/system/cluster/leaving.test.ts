import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2, constants } from 'node:http2';
import { Agent, request } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '#src/auth/sessions.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

const KEY = `eus_live_${'k'.repeat(40)}`;
const DRAIN_SECONDS = 2;

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

const startApi = () =>
  startRole('api', {
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    BOOTSTRAP_ADMIN_KEY: KEY,
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: String(DRAIN_SECONDS),
    PLAN_LIMITS: JSON.stringify(
      Object.fromEntries(['free', 'developer', 'enterprise'].map((plan) => [plan, { minute: 1e6, day: 1e6 }])),
    ),
  });

interface Answered {
  status: number;
  closes: boolean;
}

/** Sends one HTTP/1.1 request. `body` is sent in two halves, `apartMs` milliseconds apart. */
const send = (
  api: RoleProcess,
  agent: Agent,
  path: string,
  { body, apartMs = 0 }: { body?: string; apartMs?: number } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port: api.ready.https_port, path, agent, rejectUnauthorized: false },
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${KEY}`,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, closes: response.headers.connection === 'close' }),
        );
      },
    );
    outgoing.on('error', reject);
    if (body === undefined) return void outgoing.end();
    outgoing.write(body.slice(0, 5));
    void setTimeout(apartMs).then(() => outgoing.end(body.slice(5)));
  });

test('a process announces its stop, lets its clients move, and interrupts no request', async () => {
  const api = await startApi();
  const agent = () => new Agent({ keepAlive: true, maxSockets: 1 });
  const looks: number[] = [];
  const failures: unknown[] = [];
  const clients = Array.from({ length: 10 }, async () => {
    const own = agent();
    let answers = 0;
    for (;;) {
      const { status, closes } = await send(api, own, '/v1/devices?limit=1');
      if (status !== 200) failures.push(status);
      answers++;
      if (closes) return { answers, atMs: performance.now() };
      await setTimeout(10);
    }
  });
  await setTimeout(300);
  const from = performance.now();
  const stopped = api.stop();
  // A stopping process finishes open requests, so it waits for this body, which arrives after the drain time.
  const late = send(api, agent(), '/v1/users', {
    body: JSON.stringify({ email: 'late@example.com', role: 'homeowner' }),
    apartMs: DRAIN_SECONDS * 1_000 + 500,
  });
  // The process refuses new connections now. It still answers a request on an open connection, because the client may have sent the request
  // before the process began to stop.
  const quiet = connectTls({ host: '127.0.0.1', port: api.ready.https_port as number, rejectUnauthorized: false });
  let answered = '';
  quiet.on('data', (chunk) => {
    answered += chunk;
  });
  const asksLate = setTimeout(DRAIN_SECONDS * 1_000 + 250).then(() =>
    quiet.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  );
  const watcher = agent();
  while (performance.now() - from < (DRAIN_SECONDS * 1_000) / 2 - 200) {
    looks.push((await send(api, watcher, '/readyz')).status);
    await setTimeout(50);
  }
  const ends = await Promise.all(clients);
  // The health check responds 503 at once. Clients then have half of the drain time to move to another process.
  expect(new Set(looks.slice(1))).toEqual(new Set([503]));
  expect(failures).toEqual([]);
  for (const { answers, atMs } of ends) {
    expect(answers).toBeGreaterThan(2);
    expect(atMs - from).toBeGreaterThan((DRAIN_SECONDS * 1_000) / 2 - 50);
    expect(atMs - from).toBeLessThan(DRAIN_SECONDS * 1_000);
  }
  expect(await late).toEqual({ status: 201, closes: true });
  await asksLate;
  expect(await stopped).toBe(0);
  expect(answered).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i);
  expect(performance.now() - from).toBeLessThan(DRAIN_SECONDS * 1_000 + 5_000);
});

/** Maximum number of concurrent requests of a client. */
const MAX_OPEN = 5;

test('over HTTP/2 it completes the requests that it began, and rejects those that it did not begin', async () => {
  const api = await startApi();
  const results: string[] = [];
  const one = () =>
    new Promise<{ isOver: boolean; sent: Promise<void>[] }>((resolve) => {
      const session = connectHttp2(`https://127.0.0.1:${api.ready.https_port}`, { rejectUnauthorized: false });
      let isOver = false;
      session.on('goaway', () => {
        isOver = true;
      });
      session.on('error', (error) => results.push(`session ${error.message}`));
      const ask = () =>
        new Promise<void>((done) => {
          const stream = session.request({ ':path': '/v1/devices?limit=1', authorization: `Bearer ${KEY}` });
          stream.on('response', (headers) => results.push(String(headers[':status'])));
          stream.on('error', () => results.push(`reset ${stream.rstCode}`));
          stream.on('close', () => done());
          stream.resume();
        });
      const sent: Promise<void>[] = [];
      let open = 0;
      const timer = setInterval(() => {
        // Limits the number of open requests. They accumulate on a slow machine, and the service refuses an account that has too many of
        // them.
        if (open >= MAX_OPEN) return;
        if (!isOver && !session.closed && !session.destroyed) {
          open++;
          return void sent.push(ask().finally(() => open--));
        }
        clearInterval(timer);
        resolve({ isOver, sent });
      }, 2);
    });
  const clients = Array.from({ length: 6 }, one);
  await expect.poll(() => results.length).toBeGreaterThan(100);
  const stopped = api.stop();
  for (const { isOver, sent } of await Promise.all(clients)) {
    expect(isOver).toBe(true);
    await Promise.all(sent);
  }
  expect(await stopped).toBe(0);
  const refused = `reset ${constants.NGHTTP2_REFUSED_STREAM}`;
  expect([...new Set(results)].filter((result) => result !== refused)).toEqual(['200']);
});

test('a stopping process ends its event streams, and the page reconnects to another process', async () => {
  const api = await startApi();
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: 'listens@example.com', role: 'homeowner' });
  const { secret } = await openSession(db, userId, new Date());
  const from = { host: '127.0.0.1', port: api.ready.https_port, rejectUnauthorized: false };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { cookie: `__Secure-energy_session=${secret}` };
    const asked = request({ ...from, path: '/dashboard/v1/changes', headers }, resolve);
    asked.on('error', reject);
    asked.end();
  });
  expect(incoming.statusCode).toBe(200);
  const ended = new Promise<string>((resolve) => {
    incoming.once('end', () => resolve('ended'));
    incoming.once('error', () => resolve('cut'));
  });
  incoming.resume();
  const stopped = api.stop();
  expect(await ended).toBe('ended');
  expect(await stopped).toBe(0);
});
