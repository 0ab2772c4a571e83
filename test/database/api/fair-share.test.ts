import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { createConcurrencyLimiter } from '#src/api/concurrency-limiter.ts';
import { createDatabase, createPool, type PoolClient } from '#src/database/connect.ts';
import { eraseUser } from '#src/users/erase.ts';
import { startTestApi, type TestApiResponse } from '#test/support/api.ts';

/** Returns the number of statements that wait for the lock on the table `alerts`. */
const waitForLock = async (client: PoolClient) =>
  (await client.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'alerts'::regclass")).rowCount ?? 0;

test('a hundred blocked requests of one account leave connections for other accounts', async () => {
  // The API has ten connections. The test blocks them with an eleventh.
  const api = await startTestApi({ connections: 11 });
  const [hog, neighbour] = [await api.user('homeowner'), await api.user('homeowner')];
  const alerts = `/v1/alerts?user_id=${hog.userId}`;
  const blocking = await api.database.pool.connect();
  let served = 0;
  let asked: Promise<TestApiResponse>[] = [];
  try {
    await blocking.query('BEGIN; LOCK TABLE alerts IN ACCESS EXCLUSIVE MODE');
    asked = Array.from({ length: 100 }, () => api.send(alerts, { key: hog.key }));
    for (const one of asked) void one.then(({ status }) => (served += Number(status === 200)));
    for (let turn = 0; turn < 10; turn++) {
      expect((await api.send('/v1/devices', { key: neighbour.key })).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // An account may run six requests at once, so only six wait for the lock.
    await expect.poll(() => waitForLock(blocking)).toBe(6);
    expect(served).toBe(0);
  } finally {
    await blocking.query('ROLLBACK');
    blocking.release();
  }
  // Requests that wait too long for a connection get a 503.
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
  expect((await api.send(alerts, { key: hog.key })).status).toBe(200);
  await api.close();
});

test('aborted requests count against their account until they have ended, and never beyond its share', async () => {
  const api = await startTestApi({ connections: 11 });
  const [hog, neighbour] = [await api.user('homeowner'), await api.user('homeowner')];
  const blocking = await api.database.pool.connect();
  const path = `/v1/alerts?user_id=${hog.userId}`;
  const askAndLeave = async () => {
    const socket = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hog.key}\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
  };
  try {
    await blocking.query('BEGIN; LOCK TABLE alerts IN ACCESS EXCLUSIVE MODE');
    for (let turn = 0; turn < 4; turn++) await Promise.all(Array.from({ length: 10 }, askAndLeave));
    // Requests that have a database connection continue, even if their clients have disconnected. No further request may start.
    await expect.poll(() => waitForLock(blocking)).toBe(6);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await waitForLock(blocking)).toBe(6);
    expect((await api.send('/v1/devices', { key: neighbour.key })).status).toBe(200);
  } finally {
    await blocking.query('ROLLBACK');
    blocking.release();
  }
  // The aborted requests no longer count towards the account's limit of connections.
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.send(path, { key: hog.key })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await api.close();
});

test('an erasure is not limited by the statement timeout of answers', async () => {
  const api = await startTestApi();
  const { userId } = await api.user('homeowner');
  const hurried = createPool(api.database.url, { settings: ['statement_timeout=200'] });
  const blocking = await api.database.pool.connect();
  await blocking.query('BEGIN');
  await blocking.query('SELECT FROM users WHERE user_id = $1 FOR UPDATE', [userId]);
  const slow = hurried.query('SELECT FROM users WHERE user_id = $1 FOR UPDATE', [userId]);
  await expect(slow).rejects.toMatchObject({ code: '57014' });
  const erased = eraseUser(createDatabase(hurried), userId);
  await new Promise((resolve) => setTimeout(resolve, 600));
  await blocking.query('ROLLBACK');
  blocking.release();
  expect(await erased).toBe(true);
  await hurried.end();
  await api.close();
});

test('a request that waits too long is refused with 503, and takes no other request’s turn', async () => {
  const shares = createConcurrencyLimiter({ perMinute: 100, atOnce: 1, mayWait: 2, waitMs: 50 }, () => new Date());
  const end = await shares.begin('a');
  const [second, third] = [shares.begin('a'), shares.begin('a')];
  expect(await shares.begin('a')).toBe(null);
  expect(await Promise.all([second, third])).toEqual([null, null]);
  const fourth = shares.begin('a');
  end?.();
  const endFourth = await fourth;
  expect(endFourth).toBeTypeOf('function');
  endFourth?.();
  expect(await shares.begin('a')).toBeTypeOf('function');
});

test('silent or slow sockets are closed; others are served meanwhile', async () => {
  const patience = {
    handshakeTimeout: 500,
    headersTimeout: 600,
    requestTimeout: 1_000,
    connectionsCheckingInterval: 100,
  };
  const api = await startTestApi({ patience });
  const { port } = api;
  const silent = connectTcp(port, '127.0.0.1');
  const plain = connectTcp(port, '127.0.0.1');
  plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const tls = () => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  const [mute, slowHead, slowBody] = [tls(), tls(), tls()];
  const started = performance.now();
  const ends = Promise.all(
    [silent, plain, mute, slowHead, slowBody].map(async (socket) => {
      socket.on('error', () => {});
      socket.resume();
      await once(socket, 'close');
      return performance.now() - started;
    }),
  );
  await once(slowBody, 'secureConnect');
  slowHead.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
  const { key } = await api.user('homeowner');
  slowBody.write(
    `POST /v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  expect((await api.send('/healthz')).status).toBe(200);
  // The service's time limits apply, which are shorter than Node's own limits of several minutes.
  for (const ms of await ends) expect(ms).toBeLessThan(30_000);
  await api.close();
});
