import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { detectCapabilities } from '#src/database/capabilities.ts';
import { createPool } from '#src/database/connect.ts';
import { compressOldChunks, migrate } from '#src/database/migrate.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { startTimescaleApache } from '#test/support/tiers/apache.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Creates an empty database on this tier's server. */
async function emptyDatabase(): Promise<{ pool: ReturnType<typeof createPool>; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = createPool(inject('adminUrl'), { max: 1 });
  await admin.query(`CREATE DATABASE ${name}`);
  const pool = createPool(inject('databaseUrl').replace('NAME', name));
  return {
    pool,
    async drop() {
      await pool.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

test('a database’s tier is detected and described in a line', async () => {
  const { tier, line } = await detectCapabilities(database.pool);
  expect(tier).toBe(database.tier);
  expect(line).toMatch(
    {
      community: /^TimescaleDB [\d.]+ \(community licence\) on PostgreSQL [\d.]+: hypertables, continuous aggregates/,
      apache: /^TimescaleDB [\d.]+ \(Apache licence\) on PostgreSQL [\d.]+: hypertables, rollup tables/,
      plain: /^PostgreSQL [\d.]+ without TimescaleDB: monthly partitions, rollup tables/,
    }[tier],
  );
});

test('repeated migration changes nothing, and four concurrent processes create one schema', async () => {
  expect((await migrate(database.pool)).applied).toEqual([]);
  const empty = await emptyDatabase();
  try {
    const all = await Promise.all([1, 2, 3, 4].map(() => migrate(empty.pool)));
    expect(all.map(({ database: { tier } }) => tier)).toEqual(Array(4).fill(database.tier));
    expect(all.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
  } finally {
    await empty.drop();
  }
});

test('with TIMESCALE=off a new database is plain, and stays so', async () => {
  const empty = await emptyDatabase();
  try {
    expect((await migrate(empty.pool, { timescale: 'off' })).database.tier).toBe('plain');
    expect((await migrate(empty.pool)).database.tier).toBe('plain');
    expect(await compressOldChunks(empty.pool, new Date())).toEqual({ compressed: [], nextChunks: null });
  } finally {
    await empty.drop();
  }
});

test('TIMESCALE=off refuses a database that was created with the extension', async () => {
  if (database.tier === 'plain') expect((await detectCapabilities(database.pool, 'off')).tier).toBe('plain');
  else await expect(detectCapabilities(database.pool, 'off')).rejects.toThrow(/Unset TIMESCALE, or move/);
});

test('an extension that is installed but not loaded leaves the database plain, and the summary line states the remedy', async () => {
  // Only TimescaleDB's Apache edition can also be started without its extension loaded.
  if (database.tier !== 'apache') return;
  const server = await startTimescaleApache({ preload: false });
  const pool = createPool(server.urlOf('postgres'));
  const found = (await migrate(pool)).database;
  await pool.end();
  await server.stop();
  expect(found.tier).toBe('plain');
  expect(found.line).toMatch(/shared_preload_libraries/);
});

test('chunks hold 25 million readings, and are an hour to four weeks long', async () => {
  if (!database.capabilities.hypertables) {
    expect((await compressOldChunks(database.pool, new Date())).nextChunks).toBeNull();
    return;
  }
  const { rows } = await database.pool.query(
    `SELECT chunk_length(r)::text AS length FROM unnest('{10,1000000,25000000,2500000000}'::float8[]) r`,
  );
  expect(rows.map(({ length }) => length)).toEqual(['672:00:00', '600:00:00', '24:00:00', '01:00:00']);
  // With only 8,640 readings a day, the job chooses chunks that are longer than a week.
  await database.pool.query(
    `INSERT INTO readings SELECT 1, t, 0, 1 FROM generate_series(now() - interval '30 days', now(), '10 s') t`,
  );
  await database.pool.query('ANALYZE readings');
  expect((await compressOldChunks(database.pool, new Date(0))).nextChunks).toBe('672:00:00');
  expect((await compressOldChunks(database.pool, new Date(0))).nextChunks).toBeNull();
});
