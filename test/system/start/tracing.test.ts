import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

/** Bodies that a trace collector received (OTLP over HTTP). Names and values in these bodies are readable as plain bytes. */
const received: Buffer[] = [];
const collector = createServer((incoming, answer) => {
  if (incoming.url === '/v1/traces') incoming.on('data', (chunk: Buffer) => received.push(chunk));
  incoming.on('end', () => answer.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  incoming.resume();
});
let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let roles: RoleProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await createTemporaryFolder();
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_SERVICE_NAME: 'energy-under-test',
  };
  roles = [await startRole('api', env), await startRole('ingest', env)];
});
afterAll(async () => {
  await Promise.all(roles.map((role) => role.stop()));
  collector.close();
  await database.drop();
  await folder.remove();
});

test('requests, their statements and batches become spans of the caller’s trace, without personal values', async () => {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: 'traced@example.com', role: 'homeowner' });
  const { key } = await createKey(db, { userId, environment: 'live' });
  const { device, secret } = await createDevice(db, { userId, type: 'meter', location: 'cellar' });

  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const requestId = await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const port = roles[0]?.ready.https_port;
    request(
      { host: '127.0.0.1', port, path: '/v1/devices?limit=7', headers, rejectUnauthorized: false },
      (response) => {
        response.resume();
        resolve(response.headers['request-id']);
      },
    )
      .on('error', reject)
      .end();
  });
  const login = { username: device.device_id, password: secret };
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${roles[1]?.ready.port}`, login);
  await client.publishAsync(`energy/v1/${device.device_id}/readings`, '{"power_w":100}', { qos: 1 });
  await client.endAsync();
  // When a role stops, it sends the spans that it has not sent yet.
  await Promise.all(roles.splice(0).map((role) => role.stop()));

  const all = Buffer.concat(received);
  for (const text of ['GET /v1/devices', 'postgresql', 'ingest batch', 'energy-under-test', String(requestId)]) {
    expect({ text, isThere: all.includes(text) }).toEqual({ text, isThere: true });
  }
  expect(all.includes(Buffer.from(traceId, 'hex'))).toBe(true);
  for (const text of [key, userId, 'limit=7', secret]) {
    expect({ text, isThere: all.includes(text) }).toEqual({ text, isThere: false });
  }
});
