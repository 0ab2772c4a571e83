import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  acquireLease,
  acquireLeaseOfEarlierVersion,
  loadSessionsOfEarlierVersions,
  recordSessionWithoutMessages,
  type SessionLease,
} from '#ingest/source/session-lease.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createPool, type Pool } from '#src/database/connect.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

const log = pino({ level: 'silent' });
let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { max: 3 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
// Waits until no lock is held, because PostgreSQL releases the locks of a closed connection with a delay.
beforeEach(() => expect.poll(heldLocks).toBe(0));

const heldLocks = async () =>
  (
    await database.pool.query(
      `SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory'
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
  ).rows[0].count;

/** Returns the process id of the PostgreSQL session that holds the lease (exclusive right to an MQTT session), or undefined. */
const holder = async () =>
  (
    await database.pool.query(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [ADVISORY_LOCKS.ingestSession],
    )
  ).rows[0]?.pid;

const waitingForLocks = async () =>
  (
    await database.pool.query(
      `SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
  ).rows[0].count;

/** Returns the number of connections in use. */
const used = () => pool.totalCount - pool.idleCount;

/** Ends all connections that hold leases, as if the database had been restarted. */
const breakHolders = () =>
  database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );

const BROKER = 'mqtt://someone:secret@broker.example:1883';
const take = (url = BROKER) => acquireLease(pool, 'live', url);
const taken = async () => (await take()) as SessionLease;

test('one process holds a session’s lease, under a constant name; other processes get none, and occupy no connection', async () => {
  const first = await taken();
  expect(first.clientId).toMatch(/^energy-ingest-live-[0-9a-f]{12}-1$/);
  expect(await take()).toBeNull();
  expect(used()).toBe(1);
  // Another login at the same broker uses the same lease. At another broker, the same client id has its own lease.
  expect(await take('mqtt://Broker.example:1883/')).toBeNull();
  const elsewhere = await take('mqtt://other.example:1883');
  expect(elsewhere?.clientId).toBe(first.clientId);
  await elsewhere?.release();
  // A process of an earlier version may hold the lease. The lease then counts as taken, too.
  const other = await acquireLeaseOfEarlierVersion(pool, 'live', 2);
  expect(other?.clientId).toBe(first.clientId.replace(/1$/, '2'));
  await other?.release();
  await first.release();
  expect(used()).toBe(0);
  const next = await taken();
  expect(next.clientId).toBe(first.clientId);
  await next.release();
});

test('the first worker of an earlier version, which has the same name, keeps a broker’s session until it exits', async () => {
  const earlier = await acquireLeaseOfEarlierVersion(pool, 'live', 1);
  expect(await take()).toBeNull();
  expect(used()).toBe(1);
  await earlier?.release();
  const lease = await taken();
  expect(await acquireLeaseOfEarlierVersion(pool, 'live', 1)).toBeNull();
  await lease.release();
});

test('a lease that cannot be recorded is released', async () => {
  await database.pool.query('ALTER TABLE installation RENAME COLUMN installation_id TO id');
  await expect(take()).rejects.toThrow('installation_id');
  await database.pool.query('ALTER TABLE installation RENAME COLUMN id TO installation_id');
  expect(used()).toBe(0);
  await expect.poll(heldLocks).toBe(0);
});

test('a lease whose connection was lost is acquired again; if another process has it, the former holder is notified', async () => {
  const lease = await taken();
  let losses = 0;
  lease.whenLost(() => losses++, log);
  const broken = await holder();
  await breakHolders();
  // PostgreSQL ends a terminated session with a short delay. Until then, it still has the locks.
  await expect.poll(async () => ![undefined, broken].includes(await holder())).toBe(true);
  expect([await take(), losses]).toEqual([null, 0]);

  // Another process waits for the lease. It gets the lease as soon as PostgreSQL has ended the first connection.
  const other = await database.pool.connect();
  const theirs = other.query('SELECT pg_advisory_lock($1, 1)', [ADVISORY_LOCKS.ingestSession]);
  await expect.poll(waitingForLocks).toBe(1);
  await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  await theirs;
  await expect.poll(() => losses).toBe(1);
  other.release(true);
  await lease.release();
  expect(used()).toBe(0);
});

test('a lease whose connection was lost can be released without an error, and is not acquired again', async () => {
  const lease = await taken();
  let lossCount = 0;
  lease.whenLost(() => lossCount++, log);
  await breakHolders();
  await lease.release();
  await expect.poll(used).toBe(0);
  await expect.poll(heldLocks).toBe(0);
  expect(lossCount).toBe(0);
});

test('the holder sends statements regularly, so that the server does not end its connection', async () => {
  const lease = await taken();
  let timesLost = 0;
  lease.whenLost(() => timesLost++, log);
  const before = await holder();
  // Waits for longer than a session may be silent before PostgreSQL ends it.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(await holder()).toBe(before);
  await lease.release();
});

test('sessions of earlier versions are listed until they are recorded as empty; the current one is not among them', async () => {
  await database.pool.query('INSERT INTO ingest_slots VALUES (1, true), (2, true), (3, false), (4, true)');
  expect(await loadSessionsOfEarlierVersions(pool)).toEqual([2, 4]);
  await recordSessionWithoutMessages(pool, 2);
  expect(await loadSessionsOfEarlierVersions(pool)).toEqual([4]);
});
