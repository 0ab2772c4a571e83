import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createPool, type Pool } from '#src/database/connect.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { findFreePort } from '#test/support/free-port.ts';

let database: TestDatabase;
const pools: Pool[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

function open(url: string, options: Parameters<typeof createPool>[1] = {}): Pool {
  const pool = createPool(url, options);
  pools.push(pool);
  return pool;
}

/** Returns a connection string with three hosts: the test server between two hosts on which no server runs. */
async function amongOthers(): Promise<string> {
  const { username, pathname, searchParams } = new URL(database.url);
  const socket = encodeURIComponent(searchParams.get('host') ?? '');
  const nobody = `127.0.0.1:${await findFreePort()}`;
  return `postgresql://${username}@${nobody},${socket},${nobody}${pathname}`;
}

const pidOf = async (pool: Pick<Pool, 'query'>): Promise<number> =>
  (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;

test('of several hosts, the one that accepts writes is used', async () => {
  const pool = open(await amongOthers(), { settings: ['statement_timeout=1234'] });
  const { rows } = await pool.query(
    `SELECT pg_is_in_recovery() AS standby, current_setting('statement_timeout') AS settings, 9007199254740991::bigint AS big`,
  );
  expect(rows).toEqual([{ standby: false, settings: '1234ms', big: 2 ** 53 - 1 }]);
  const client = await pool.connect();
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  client.release();
});

test('a host that takes longer than usual for each connection is reached', async () => {
  const { searchParams, username, pathname } = new URL(database.url);
  const server = createServer(async (socket) => {
    socket.on('error', () => {});
    await pause(3_000);
    const inner = connect(`${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port') ?? 5432}`);
    inner.on('error', () => socket.destroy());
    socket.on('close', () => inner.destroy());
    socket.pipe(inner).pipe(socket);
  });
  const port = await findFreePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const pool = open(`postgresql://${username}@127.0.0.1:${port},127.0.0.1:${await findFreePort()}${pathname}`);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test("connections that only queried a host's state are closed", async () => {
  const sessions = () =>
    database.pool.query(`SELECT count(*) FROM pg_stat_activity WHERE application_name = 'of no use'`);
  const pool = open(await amongOthers(), { wanted: 'standby', applicationName: 'of no use' });
  await expect(pool.query('SELECT 1')).rejects.toThrow('no host');
  await expect.poll(async () => (await sessions()).rows[0].count).toBe(0);
});

test('if no host has the wanted role, the error gives the reason for each', async () => {
  const pool = open(await amongOthers(), { wanted: 'standby' });
  await expect(pool.query('SELECT 1')).rejects.toMatchObject({
    code: '57P03',
    message: expect.stringMatching(
      /no host .* is a standby \(host 1: .*ECONNREFUSED.*; host 2: is no standby; host 3:/,
    ),
  });
});

test('a lost connection is replaced by another one', async () => {
  const pool = open(await amongOthers(), { max: 1 });
  const pid = await pidOf(pool);
  await database.pool.query('SELECT pg_terminate_backend($1)', [pid]);
  await expect.poll(() => pidOf(pool).catch(() => pid)).not.toBe(pid);
});

test.each(['one host', 'several hosts'])(
  'a connection whose server no longer accepts writes is not reused: %s',
  async (of) => {
    const pool = open(of === 'one host' ? database.url : await amongOthers(), { max: 1 });
    const client = await pool.connect();
    const pid = await pidOf(client);
    // A write in a read-only transaction fails with the same error (25006) as a write on a server that has become a standby.
    await client.query('BEGIN READ ONLY');
    await expect(client.query('CREATE TABLE never (no int)')).rejects.toMatchObject({ code: '25006' });
    await client.query('ROLLBACK');
    client.release();
    expect(await pidOf(pool)).not.toBe(pid);
  },
);

test('a database that a move has closed continues to answer on the same connection', async () => {
  const pool = open(database.url, { max: 1, settings: ['default_transaction_read_only=on'] });
  const pid = await pidOf(pool);
  await expect(pool.query('CREATE TABLE never (no int)')).rejects.toMatchObject({ code: '25006' });
  // The test uses a client, because `pool.query` itself closes a connection after a failed statement.
  const client = await pool.connect();
  const own = await pidOf(client);
  await client.query('CREATE TABLE never (no int)').catch(() => {});
  client.release();
  expect(await pidOf(pool)).toBe(own);
  expect(own).not.toBe(pid);
});
