import { request } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { buildApp } from '#src/api/app.ts';
import { createAuthenticator } from '#src/auth/authenticate.ts';
import { createDatabaseRequestCounter } from '#src/auth/database-counter.ts';
import { createApiKey } from '#src/auth/key-format.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase, createPool } from '#src/database/connect.ts';
import { startTestApi } from '#test/support/api.ts';
import { createTestDatabase } from '#test/support/database.ts';

test.each([
  ['does not run', 'postgresql://postgres@localhost/energy?host=/nowhere'],
  ['has a name that does not resolve', 'postgresql://postgres@database.invalid/energy'],
])('while the database %s, the API answers 503 with Retry-After, and keeps running', async (_case, url) => {
  const pool = createPool(url);
  const db = createDatabase(pool);
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
  const app = buildApp(
    {
      db,
      readDb: db,
      clock: () => new Date(),
      environment: 'live',
      retentionMonths: 13,
      box: createSecretEncrypter('the secret of the tests'),
    },
    {
      authenticate: createAuthenticator(db, 'live'),
      counter: createDatabaseRequestCounter(db, {}, () => new Date()),
      publicUrl: () => 'https://localhost:8443',
      secret: 'the secret of the tests',
      mqtt: { host: 'localhost', ports: null, is_plain_open: false },
      mailSignIn: async () => {},
      isReady: () =>
        pool.query('SELECT 1').then(
          () => true,
          () => false,
        ),
      tls: { cert: Buffer.from(pair.cert), key: Buffer.from(pair.private) },
      log: pino({ level: 'silent' }),
    },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const ask = (path: string) =>
    new Promise<{ status: number | undefined; retryAfter: string | undefined }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${createApiKey('live')}` };
      request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false }, (response) => {
        response.resume();
        response.on('end', () => resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'] }));
      })
        .on('error', reject)
        .end();
    });
  expect(await ask('/v1/energy-insights')).toEqual({ status: 503, retryAfter: '5' });
  expect(await ask('/readyz')).toEqual({ status: 503, retryAfter: '5' });
  expect(await ask('/healthz')).toEqual({ status: 200, retryAfter: undefined });
  await app.close();
  await pool.end();
});

test('a connection lost during a change is answered with 503, and the change is rolled back', async () => {
  const database = await createTestDatabase();
  const between = await breakable(database.url);
  const api = await startTestApi({ database: { ...database, pool: between.pool } });
  const { key } = await api.user('homeowner');
  const { json: device } = await api.send('/v1/devices', { method: 'POST', key, body: { type: 'x', location: 'y' } });
  const path = `/v1/devices/${device.device_id}`;
  // Locks a row, so that the change waits in the middle of its transaction.
  const holder = await database.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM devices WHERE device_id = $1 FOR UPDATE', [device.device_id]);
  const changing = api.send(path, { method: 'PATCH', key, body: { location: 'attic' } });
  const waits = 'SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = $1';
  await expect.poll(async () => (await holder.query(waits, ['Lock'])).rows[0].count, { interval: 20 }).toBe(1);
  between.breakAll();
  const { status, headers } = await changing;
  expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '5' });
  await holder.query('ROLLBACK');
  holder.release();
  expect((await api.send(path, { key })).json.location).toBe('y');
  await api.close();
  await between.pool.end();
  await between.close();
});

/**
 * Returns a pool whose connections go through a socket of this test. The test can break the connections, as if the server had been killed.
 */
async function breakable(url: string) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432'));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { username, pathname } = new URL(url);
  const pool = createPool(`postgresql://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`);
  return {
    pool,
    breakAll() {
      for (const socket of sockets) socket.destroy();
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

test('a database that a move closed for writing still answers reads', async () => {
  const api = await startTestApi();
  const { userId, key } = await api.user('homeowner');
  const { rows } = await api.database.pool.query('SELECT current_database() AS name');
  await api.database.pool.query(`ALTER DATABASE ${rows[0].name} SET default_transaction_read_only = on`);
  await api.database.pool.query(
    'SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  // Terminates the session of this query itself. It is the last session that can write.
  await api.database.pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
  expect((await api.send('/v1/energy-insights', { key })).json).toMatchObject({ user_id: userId, kwh_used: 0 });
  const listed = await api.send('/v1/devices', { key });
  expect(listed.status).toBe(200);
  // If requests are not counted, the response contains no limit, because a limit of 0 would be wrong.
  expect(listed.headers.ratelimit ?? listed.headers['ratelimit-policy']).toBeUndefined();
  const { status, headers } = await api.send('/v1/devices', {
    method: 'POST',
    key,
    body: { type: 'x', location: 'y' },
  });
  expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '5' });
  await api.close();
});
