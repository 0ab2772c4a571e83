import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { generateSchemaFile, SCHEMA_FILE } from '#test/support/generate-schema.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('sql/schema.sql is the result of the migrations (else: npm run schema)', async () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(await generateSchemaFile(database.pool));
});

test.each([
  ['a column', 'ALTER TABLE users ADD COLUMN nickname text'],
  ['a type', 'ALTER TABLE alerts ALTER COLUMN threshold_hours TYPE bigint'],
  ['a default', `ALTER TABLE users ALTER COLUMN timezone SET DEFAULT 'Europe/Berlin'`],
  ['a column that may be null', 'ALTER TABLE users ALTER COLUMN email DROP NOT NULL'],
  ['a check', 'ALTER TABLE devices DROP CONSTRAINT devices_limit_kw_check'],
  ['a key', 'ALTER TABLE alert_firings DROP CONSTRAINT alert_firings_pkey'],
  ['an index', 'DROP INDEX users_email'],
  ['a comment', `COMMENT ON COLUMN readings.value IS 'changed'`],
])('the comparison of schemas detects a change of %s', async (_what, change) => {
  const client = await database.pool.connect();
  try {
    await client.query('BEGIN');
    const before = await generateSchemaFile(database.pool);
    await client.query(change);
    expect(await generateSchemaFile(client)).not.toBe(before);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
