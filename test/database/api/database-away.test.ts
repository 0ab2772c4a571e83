import { request } from 'node:https';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { buildApp } from '#src/api/app.ts';
import { createAuthenticate } from '#src/auth/authenticate.ts';
import { databaseCounter } from '#src/auth/database-counter.ts';
import { newKey } from '#src/auth/key-format.ts';
import { secretBox } from '#src/core/secret-box.ts';
import { createDb, createPool } from '#src/database/connect.ts';
import { testApi } from '#test/support/api.ts';

test.each([
  ['does not run', 'postgresql://postgres@localhost/energy?host=/nowhere'],
  ['has a name that does not resolve', 'postgresql://postgres@database.invalid/energy'],
])('while the database %s answers 503 with Retry-After, and stays up', async (_case, url) => {
  const pool = createPool(url);
  const db = createDb(pool);
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
  const app = buildApp(
    { db, readDb: db, clock: () => new Date(), environment: 'live', box: secretBox('the secret of the tests') },
    {
      authenticate: createAuthenticate(db, 'live'),
      counter: databaseCounter(db, {}, () => new Date()),
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
      const headers = { authorization: `Bearer ${newKey('live')}` };
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

test('a connection that breaks amid a change is answered with 503, and the change is as if it had never been', async () => {
  const api = await testApi();
  const { key } = await api.user('homeowner');
  const { json: device } = await api.send('/v1/devices', { method: 'POST', key, body: { type: 'x', location: 'y' } });
  // As when the primary is killed: after the transaction began, before it is over.
  await api.database.pool.query(
    `CREATE FUNCTION breaks() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN new; END';
     CREATE TRIGGER breaks BEFORE UPDATE OF location ON devices FOR EACH ROW EXECUTE FUNCTION breaks()`,
  );
  const path = `/v1/devices/${device.device_id}`;
  const { status, headers } = await api.send(path, { method: 'PATCH', key, body: { location: 'attic' } });
  expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '5' });
  expect((await api.send(path, { key })).json.location).toBe('y');
  await api.close();
});

test('a database that was closed for writing, as a move leaves it, still answers', async () => {
  const api = await testApi();
  const { userId, key } = await api.user('homeowner');
  const { rows } = await api.database.pool.query('SELECT current_database() AS name');
  await api.database.pool.query(`ALTER DATABASE ${rows[0].name} SET default_transaction_read_only = on`);
  await api.database.pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  // The last session that may still write goes, too.
  await api.database.pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
  expect((await api.send('/v1/energy-insights', { key })).json).toMatchObject({ user_id: userId, kwh_used: 0 });
  const listed = await api.send('/v1/devices', { key });
  expect(listed.status).toBe(200);
  // Where nothing is counted no limits are named: least of all those of 0 requests.
  expect(listed.headers.ratelimit ?? listed.headers['ratelimit-policy']).toBeUndefined();
  const { status, headers } = await api.send('/v1/devices', {
    method: 'POST',
    key,
    body: { type: 'x', location: 'y' },
  });
  expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '5' });
  await api.close();
});
