import { request } from 'node:https';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { buildApp } from '#src/api/app.ts';
import { createAuthenticate } from '#src/auth/authenticate.ts';
import { newKey } from '#src/auth/key-format.ts';
import { databaseCounter } from '#src/auth/request-counter.ts';
import { secretBox } from '#src/core/secret-box.ts';
import { createDb, createPool } from '#src/database/connect.ts';

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
      publicUrl: 'https://localhost:8443',
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
