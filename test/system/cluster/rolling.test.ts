import { connect as connectHttp2 } from 'node:http2';
import { Agent } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { createSignIn } from '#src/auth/sign-ins.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createUser } from '#src/users/store.ts';
import { type ApiPair, startApiPair } from '#test/support/cluster/api-pair.ts';

/** Maximum number of requests per minute of an account on the plan "free". */
const FREE = 40;
/** Interval between two requests of a client in ms. All clients together send 50 requests a second. */
const EVERY_MS = 240;
const CLIENTS = 12;

let pair: ApiPair;
let made = 0;
beforeAll(async () => {
  pair = await startApiPair({ minute: { free: FREE } });
});
afterAll(() => pair.stop());

const both = () => [pair.ports.first, pair.ports.second] as const;
const asAdmin = () => ({ key: pair.adminKey });
const someone = () => ({ email: `someone${++made}@example.com`, role: 'homeowner' });

async function account(): Promise<{ userId: string; key: string; keyId: string }> {
  const db = createDatabase(pair.database.pool);
  const { user_id: userId } = await createUser(db, { email: `account${++made}@example.com`, role: 'homeowner' });
  const { key, key_id: keyId } = await createKey(db, { userId, environment: 'live' });
  return { userId, key, keyId };
}

test('a POST that reaches both processes at once has one effect and one response', async () => {
  const body = someone();
  const post = (port: number) =>
    pair.ask(port, '/v1/users', { method: 'POST', ...asAdmin(), body, headers: { 'idempotency-key': 'both' } });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(both()[index % 2] as number)));
  const ids = new Set(answers.filter(({ status }) => status === 201).map(({ json }) => json.user_id));
  expect(ids.size).toBe(1);
  // A repeated request is refused with 409 while the first one is in progress. Afterwards either process returns the first response.
  expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  for (const port of both()) {
    const again = await post(port);
    expect([again.status, again.json.user_id, again.headers['idempotent-replayed']]).toEqual([
      201,
      [...ids][0],
      'true',
    ]);
  }
  const { rows } = await pair.database.pool.query('SELECT FROM users WHERE email = $1', [body.email]);
  expect(rows).toHaveLength(1);
});

test('a rate limit applies to both processes together', async () => {
  const { key } = await account();
  const answers = await Promise.all(
    Array.from({ length: FREE + 30 }, (_, index) => pair.ask(both()[index % 2] as number, '/v1/devices', { key })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(FREE);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
});

test('a session is valid at both processes until it is signed out at either; a link works once', async () => {
  const { userId } = await account();
  const db = createDatabase(pair.database.pool);
  const signIn = await createSignIn(db, { userId, secret: pair.secretKey, now: new Date(), validMs: 60_000 });
  const open = (port: number) =>
    pair.ask(port, '/dashboard/session', { method: 'POST', body: { token: signIn?.token } });
  const opened = await Promise.all([open(pair.ports.first), open(pair.ports.second)]);
  expect(opened.map(({ status }) => status).sort()).toEqual([201, 422]);
  const { headers, json } = opened.find(({ status }) => status === 201) as (typeof opened)[number];
  const cookie = /^[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';
  const mine = { headers: { cookie, 'x-csrf-token': json.csrf_token } };
  const asks = (port: number) => pair.ask(port, `/dashboard/v1/users/${userId}`, mine);
  for (const port of [...both(), pair.ports.proxy]) expect((await asks(port)).status).toBe(200);
  // A write needs the CSRF token of the session. Either process can check the token.
  for (const port of both()) {
    const key = await pair.ask(port, '/dashboard/v1/keys', { method: 'POST', body: {}, ...mine });
    expect(key.status).toBe(201);
  }
  await pair.ask(pair.ports.first, '/dashboard/session', { method: 'DELETE', ...mine });
  expect((await asks(pair.ports.second)).status).toBe(401);
});

test('a key revoked at one process can no longer write at the other, and soon no longer read', async () => {
  const { userId, key, keyId } = await account();
  const patch = () =>
    pair.ask(pair.ports.second, `/v1/users/${userId}`, { method: 'PATCH', key, body: { timezone: 'UTC' } });
  const read = () => pair.ask(pair.ports.second, `/v1/users/${userId}`, { key });
  expect([(await patch()).status, (await read()).status]).toEqual([200, 200]);
  const revoked = await pair.ask(pair.ports.first, `/v1/keys/${keyId}`, { method: 'DELETE', key });
  expect(revoked.status).toBe(200);
  expect((await patch()).status).toBe(401);
  await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe(401);
});

test('the pages of a list continue at the other process', async () => {
  const { userId } = await account();
  const webhook = (index: number) => ({
    event: 'user.created',
    url: `https://example.com/${index}`,
    auth_token: 'a secret',
  });
  const { key } = await createKey(createDatabase(pair.database.pool), { userId, environment: 'live' });
  for (let index = 0; index < 5; index++)
    await pair.ask(pair.ports.proxy, '/v1/webhooks', { method: 'POST', key, body: webhook(index) });
  const seen: string[] = [];
  let next: string | undefined = '/v1/webhooks?limit=2';
  for (let page = 0; next !== undefined; page++) {
    const { json, headers } = await pair.ask(both()[page % 2] as number, next, { key });
    seen.push(...json.map((one: { url: string }) => one.url));
    next = /<([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1]?.replace(/^https:\/\/[^/]+/, '');
  }
  expect(seen).toEqual([0, 1, 2, 3, 4].map((index) => `https://example.com/${index}`));
});

test('both processes are replaced twice, one after the other, and no continuous request fails', async () => {
  const over = new AbortController();
  const failures: string[] = [];
  const counts = { asked: 0, created: 0, changed: 0, http2: 0 };
  const { userId } = await account();
  const note = (what: string, wanted: number, { status, failed }: { status: number; failed?: string }) => {
    counts.asked++;
    if (status !== wanted) failures.push(`${what} ${status} ${failed ?? ''}`);
    return status === wanted;
  };
  const pace = () => setTimeout(EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
  const http1 = async (index: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (path: string, asked = {}) => pair.ask(pair.ports.proxy, path, { ...asAdmin(), agent, ...asked });
    for (let turn = index; !over.signal.aborted; turn++) {
      if (turn % 4 === 0) {
        // A proxy must not repeat these POST requests, because they have no idempotency key.
        if (note('POST', 201, await send('/v1/users', { method: 'POST', body: someone() }))) counts.created++;
      } else if (turn % 4 === 1) {
        const body = { timezone: turn % 8 === 1 ? 'Europe/Berlin' : 'UTC' };
        if (note('PATCH', 200, await send(`/v1/users/${userId}`, { method: 'PATCH', body }))) counts.changed++;
      } else note('GET', 200, await send('/v1/devices?limit=1'));
      await pace();
    }
    agent.destroy();
  };
  const http2 = async () => {
    const session = connectHttp2(`https://localhost:${pair.ports.proxy}`, { ca: pair.ca });
    session.on('error', (error) => failures.push(`HTTP/2 ${error.message}`));
    while (!over.signal.aborted) {
      const status = await new Promise<number>((resolve) => {
        const stream = session.request({ ':path': '/v1/devices?limit=1', authorization: `Bearer ${pair.adminKey}` });
        let status = 0;
        stream.on('response', (headers) => {
          status = headers[':status'] ?? 0;
        });
        stream.on('error', () => {});
        stream.on('close', () => resolve(status));
        stream.resume();
      });
      if (note('HTTP/2 GET', 200, { status })) counts.http2++;
      await setTimeout(50);
    }
    session.close();
  };
  const { rows: before } = await pair.database.pool.query('SELECT count(*)::int AS users FROM users');
  const clients = [...Array.from({ length: CLIENTS }, (_, index) => http1(index)), http2()];
  const startedAt = performance.now();
  const codes: (number | null)[] = [];
  for (const which of [0, 1, 0, 1] as const) {
    codes.push(await pair.replace(which));
    // Wait until the proxy has detected that the new process is ready, as an operator does before replacing the next process.
    await pair.proxy.isUp(`api/api${which + 1}`);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  over.abort();
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(counts.asked / seconds).toBeGreaterThan(10);
  expect(Math.min(counts.created, counts.changed, counts.http2)).toBeGreaterThan(20);
  // Each request that got a response created exactly one user.
  const { rows: after } = await pair.database.pool.query('SELECT count(*)::int AS users FROM users');
  expect(after[0].users - before[0].users).toBe(counts.created);
});

test('while no process is ready, the proxy responds like the API; a request without TLS gets the error that HTTPS is required', async () => {
  const { proxy: port } = pair.ports;
  expect((await pair.ask(port, '/readyz')).json).toEqual({ status: 'ready' });
  const plain = await fetch(`http://127.0.0.1:${pair.proxy.ports.http}/v1/users`);
  expect([plain.status, await plain.json()]).toEqual([403, { error: 'HTTPS is required', status: 403 }]);
  await pair.killBoth();
  await expect.poll(async () => (await pair.ask(port, '/v1/alerts')).status).toBe(503);
  const { json, headers } = await pair.ask(port, '/v1/alerts');
  expect([json, headers['retry-after']]).toEqual([{ error: 'Service Unavailable', status: 503 }, '5']);
});
