import Fastify from 'fastify';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import { buildApp } from '#src/api/app.ts';
import { createAuthenticator } from '#src/auth/authenticate.ts';
import { createDatabaseRequestCounter } from '#src/auth/database-counter.ts';
import { systemClock } from '#src/core/clock.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase, createPool } from '#src/database/connect.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { readImportedEnergy } from '#src/energy/usage/imports.ts';

/**
 * Child process that answers one type of request. `full`: the complete API. `bare`: a handler that returns a fixed response body. `query`:
 * like `bare`, but also runs the request's SQL statement. Arguments: mode, URL of the database, user, first and last day, and the response
 * body.
 */
const [mode = '', url = '', userId = '', start = '', end = '', bytes = ''] = process.argv.slice(2);

const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
const tls = { cert: Buffer.from(pair.cert), key: Buffer.from(pair.private) };
const db = createDatabase(createPool(url, { max: 10 }));
const many = { minute: 1_000_000_000, day: 1_000_000_000 };

function server() {
  if (mode === 'full') {
    return buildApp(
      {
        db,
        readDb: db,
        clock: systemClock,
        environment: 'live',
        retentionMonths: 13,
        box: createSecretEncrypter('bench'),
      },
      {
        authenticate: createAuthenticator(db, 'live'),
        counter: createDatabaseRequestCounter(db, { free: many, developer: many, enterprise: many }, systemClock),
        isReady: async () => true,
        publicUrl: () => 'https://localhost',
        secret: 'the secret of the bench',
        mqtt: { host: 'localhost', ports: null, is_plain_open: false },
        mailSignIn: async () => {},
        tls,
        log: pino({ level: 'silent' }),
      },
    );
  }
  const app = Fastify({ https: { ...tls, minVersion: 'TLSv1.2' } });
  const range = createDayRange(start, end, 'UTC');
  app.get('/v1/energy-insights', async (_request, reply) => {
    if (mode === 'query') await readImportedEnergy(db, { userId }, range, 'day');
    return reply.type('application/json; charset=utf-8').send(bytes);
  });
  return app;
}

const app = server();
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.((app.server.address() as { port: number }).port);
