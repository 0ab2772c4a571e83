import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '#src/database/migrate.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';

const REFUSED = /A newer version .* created this database: .* schema\/9999_days\.sql\. .* Run that version again/;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a version that does not recognise the whole schema changes nothing, and names the version to run', async () => {
  await database.pool.query(`INSERT INTO schema_migrations VALUES ('schema/9999_days.sql', 'of a later version')`);
  // Simulates that a later version has installed its own functions, which this version must not replace.
  await database.pool.query(`UPDATE schema_migrations SET sha256 = 'later' WHERE name LIKE 'interface/%'`);
  const { rows: before } = await database.pool.query('SELECT * FROM schema_migrations ORDER BY name');
  await expect(migrate(database.pool)).rejects.toThrow(REFUSED);
  const { rows: after } = await database.pool.query('SELECT * FROM schema_migrations ORDER BY name');
  expect(after).toEqual(before);
  // The service's roles refuse to start, and its commands refuse to run.
  for (const command of [['worker'], ['users', 'create', '--email', 'a@example.com']]) {
    const { status, stderr } = spawnSync(process.execPath, [TESTED_PROGRAM, ...command], {
      env: { PATH: process.env.PATH, DATABASE_URL: database.url, OPERATOR_PORT: '0' },
      encoding: 'utf8',
      timeout: 300_000,
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(REFUSED)]);
  }
  await database.pool.query(`DELETE FROM schema_migrations WHERE name = 'schema/9999_days.sql'`);
  expect((await migrate(database.pool)).applied).not.toEqual([]);
});
