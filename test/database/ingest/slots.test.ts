import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeSlot } from '#ingest/source/slot.ts';
import { createPool, type Pool } from '#src/database/connect.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = createPool(database.url, { max: 3 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const heldLocks = async () =>
  (
    await database.pool.query(
      `SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory'
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
  ).rows[0].count;

/** Connections that are not the pool's to give. */
const used = () => pool.totalCount - pool.idleCount;

/** Ends the connections that hold places, as a restart of the database does. */
const breakHolders = () =>
  database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );

test('looking for orphans keeps no connection where it fails, and none where there is nothing', async () => {
  const slot = await takeSlot(pool, 'live');
  await database.pool.query('INSERT INTO ingest_slots VALUES (2, true)');
  await database.pool.query('ALTER TABLE installation RENAME COLUMN installation_id TO id');
  for (let look = 0; look < 3; look++) {
    await expect(slot.takeOrphan()).rejects.toThrow('installation_id');
    expect(used()).toBe(1);
    // A connection that is ended has its lock until the server has seen so.
    await expect.poll(heldLocks).toBe(1);
  }
  await database.pool.query('ALTER TABLE installation RENAME COLUMN id TO installation_id');
  const orphan = await slot.takeOrphan();
  expect(orphan?.number).toBe(2);
  await orphan?.note(false);
  await orphan?.release();
  expect(await slot.takeOrphan()).toBeNull();
  expect(used()).toBe(1);
  await slot.release();
  expect(used()).toBe(0);
});

test('a place whose connection broke is given back without an error', async () => {
  await expect.poll(heldLocks).toBe(0);
  const slot = await takeSlot(pool, 'live');
  expect(await slot.hasOthers()).toBe(false);
  await breakHolders();
  expect(await slot.release()).toEqual({ othersStay: false });
  expect(used()).toBe(0);
});

test('a worker takes no place while its own is not sure, and never its own', async () => {
  await expect.poll(heldLocks).toBe(0);
  await database.pool.query('TRUNCATE ingest_slots');
  const slot = await takeSlot(pool, 'live');
  await slot.note(true);
  await breakHolders();
  // Nobody has a lock now. Its own session, taken for an orphan's, would lose its subscription.
  await expect.poll(heldLocks).toBe(0);
  // The server knows before the worker does: it hears of it with its next turn.
  await expect.poll(used).toBe(0);
  expect(await slot.takeOrphan()).toBeNull();
  // Another's neither: the other may have noted this one's as an orphan at the same time.
  await database.pool.query('INSERT INTO ingest_slots VALUES (7, true)');
  expect(await slot.takeOrphan()).toBeNull();
  await slot.release();
});
