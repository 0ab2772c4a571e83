import { afterAll, beforeAll, expect, test } from 'vitest';
import { compressOldChunks, migrate } from '#src/database/migrate.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';
import { revertHeadsMigration } from '#test/support/without-heads.ts';

const MIGRATION = 'schema/0014_milliwatt_hours.sql';
const HOUR_MS = 3_600_000;
const NOW = new Date('2026-11-20T12:00:00Z');
const LEVELS = ['device_intervals', 'device_hourly', 'user_hourly', 'user_daily', 'user_monthly'];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Restores the earlier names of all relations and columns, as before the migration. */
async function asBefore(): Promise<void> {
  const { pool } = database;
  await revertHeadsMigration(database);
  const { rows } = await pool.query(
    `SELECT r.relname AS relation, a.attname AS name, r.relkind = 'c' AS "isType" FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid
     WHERE r.relnamespace = current_schema()::regnamespace AND r.relkind IN ('r', 'p', 'v', 'c') AND NOT r.relispartition
       AND a.attname LIKE '%\\_milliwatt\\_hours'`,
  );
  for (const { relation, name, isType } of rows) {
    const what = isType ? `TYPE ${relation} RENAME ATTRIBUTE` : `TABLE ${relation} RENAME COLUMN`;
    await pool.query(`ALTER ${what} ${name} TO ${name.replace('_milliwatt_hours', '_mwh')}`);
  }
  await pool.query(`UPDATE series SET tail = replace(tail::text, '"valueMilliwattHours":', '"valueMwh":')::jsonb`);
  await pool.query(`DELETE FROM schema_migrations WHERE name = $1 OR name LIKE 'rollups/%'`, [MIGRATION]);
}

async function columns(): Promise<string[]> {
  const { rows } = await database.pool.query(
    `SELECT r.relname || '.' || a.attname AS name FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid AND NOT a.attisdropped
     WHERE a.attname LIKE '%\\_mwh' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

const totals = (userId: string) =>
  Promise.all(LEVELS.map(async (level) => [level, await sumImportedMilliwattHours(database, level, userId)]));

test('an installation from before mWh columns were renamed returns the same usage after the update, and its meters continue', async () => {
  const home = await createTestMeter(database);
  const hours = [...Array(60 * 24).keys()];
  const at = (hour: number) => new Date(NOW.getTime() - (hours.length - hour) * HOUR_MS);
  // All readings of every second day arrive late: half of them before the migration, and half of them after it.
  const isLate = (hour: number) => Math.floor(hour / 24) % 2 === 1;
  const read = (which: number[]) =>
    home.read(
      which.map((hour) => [at(hour), 100 + hour * 0.25]),
      NOW,
    );
  await read(hours.filter((hour) => !isLate(hour)));
  await database.settle(NOW);
  await compressOldChunks(database.pool, NOW);
  await read(hours.filter((hour) => isLate(hour) && hour < hours.length / 2));
  const before = await totals(home.userId);
  await asBefore();
  expect((await columns()).length).toBeGreaterThan(20);

  expect((await migrate(database.pool)).applied).toContain(MIGRATION);

  // No column name may still end with the former unit (`_mwh`), in any relation with data on this tier, including partitions and chunks.
  expect(await columns()).toEqual([]);
  expect(await totals(home.userId)).toEqual(before);
  await read(hours.filter((hour) => isLate(hour) && hour >= hours.length / 2));
  await home.read([[NOW, 100 + hours.length * 0.25]], NOW);
  await database.settle(NOW);
  await compressOldChunks(database.pool, NOW);
  expect(await totals(home.userId)).toEqual(LEVELS.map((level) => [level, hours.length * 250_000]));
  const since = new Date(Date.UTC(2026, 0, 1));
  const { differences } = await checkAllRollups(database.pool, {
    capabilities: database.capabilities,
    since,
    mode: 'check',
  });
  expect(differences).toEqual([]);
});
