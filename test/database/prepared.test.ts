import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, createPool, PREPARED_STATEMENT_PREFIX_SQL } from '#src/database/connect.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a marked statement is prepared once per connection, for any values; others are not', async () => {
  const pool = createPool(database.url, { max: 1 });
  try {
    const db = createDatabase(pool);
    for (const value of [1, 2]) {
      const { rows } = await sql<{
        sum: number;
      }>`${PREPARED_STATEMENT_PREFIX_SQL}SELECT ${value}::int + 1 AS sum`.execute(db);
      expect(rows).toEqual([{ sum: value + 1 }]);
      await sql`SELECT ${value}::int AS plain`.execute(db);
    }
    const { rows } = await pool.query('SELECT statement FROM pg_prepared_statements');
    expect(rows).toEqual([{ statement: '/* prepared */ SELECT $1::int + 1 AS sum' }]);
  } finally {
    await pool.end();
  }
});
