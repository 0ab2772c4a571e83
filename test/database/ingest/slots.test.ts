import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeOrphan, takeSlot } from '#ingest/source/slot.ts';
import { createPool, type Pool } from '#src/database/connect.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = createPool(database.url, { max: 2 });
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

test('looking for orphans keeps no connection where it fails, and none where there is nothing', async () => {
  await database.pool.query('INSERT INTO ingest_slots VALUES (1, true)');
  await database.pool.query('ALTER TABLE installation RENAME COLUMN installation_id TO id');
  for (let look = 0; look < 3; look++) {
    await expect(takeOrphan(pool, 'live')).rejects.toThrow('installation_id');
    expect(pool.totalCount - pool.idleCount).toBe(0);
    // A connection that is ended has its lock until the server has seen so.
    await expect.poll(heldLocks).toBe(0);
  }
  await database.pool.query('ALTER TABLE installation RENAME COLUMN id TO installation_id');
  const orphan = await takeOrphan(pool, 'live');
  expect(orphan?.number).toBe(1);
  expect(await takeOrphan(pool, 'live')).toBeNull();
  await orphan?.release();
  expect(pool.totalCount - pool.idleCount).toBe(0);
});

test('a place whose connection broke is given back without an error', async () => {
  await expect.poll(heldLocks).toBe(0);
  const slot = await takeSlot(pool, 'live');
  expect(await slot.hasOthers()).toBe(false);
  await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  expect(await slot.release()).toEqual({ othersStay: false });
  expect(pool.totalCount - pool.idleCount).toBe(0);
});
