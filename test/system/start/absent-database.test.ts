import { type ChildProcess, fork } from 'node:child_process';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await createTemporaryFolder();
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

/** Starts a role whose database is at this port of the machine. `output` returns what the role has printed. */
function start(role: string, port: number) {
  const { username, pathname } = new URL(database.url);
  const ports = { MQTT_PORT: '0', MQTTS_PORT: '0', API_PORT: '0', HTTP_PORT: '0', OPERATOR_PORT: '0' };
  const process = fork(TESTED_PROGRAM, [role], {
    env: { ...ports, DATA_DIR: folder.path, DATABASE_URL: `postgresql://${username}@127.0.0.1:${port}${pathname}` },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let text = '';
  process.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  return { process, output: () => text };
}

const waits = (role: ReturnType<typeof start>) =>
  expect.poll(role.output).toMatch(/ECONNREFUSED.*"waiting for the database/);
const exitOf = (process: ChildProcess) => new Promise((done) => process.once('exit', (code) => done(code)));

/** Accepts connections at a port and forwards them to the test's database server, which listens only on a socket file. */
function openAt(port: number): Promise<Server> {
  const { searchParams } = new URL(database.url);
  const server = createServer((socket) => {
    const inner = connect(`${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port') ?? 5432}`);
    for (const one of [socket, inner]) one.on('error', () => {});
    socket.pipe(inner).pipe(socket);
  });
  return new Promise((done) => server.listen(port, '127.0.0.1', () => done(server)));
}

test.each(['ingest', 'api', 'worker'])(
  'the role %s waits for a database that starts after it, in the same process',
  async (role) => {
    const port = await findFreePort();
    const started = start(role, port);
    await waits(started);
    const server = await openAt(port);
    await expect.poll(started.output).toContain('"msg":"ready"');
    started.process.kill('SIGTERM');
    expect(await exitOf(started.process)).toBe(0);
    server.close();
  },
  150_000,
);

test('the whole service waits, too, and stops while it waits', async () => {
  const started = start('start', await findFreePort());
  await waits(started);
  started.process.kill('SIGTERM');
  expect(await exitOf(started.process)).toBe(0);
});
