import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { closeBillPeriod, createBillPeriod } from '#src/billing/store.ts';
import { createDatabase } from '#src/database/connect.ts';
import { compressOldChunks } from '#src/database/migrate.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createEdit } from '#src/devices/edits/store.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { eraseUser } from '#src/users/erase.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Returns the relations that have a row with one of these texts in any column. */
async function mentions(texts: readonly string[]): Promise<string[]> {
  // A compressed chunk has no whole rows, so each column is searched.
  const { rows } = await database.pool.query(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name,
       string_agg(format('coalesce(strpos(%I::text, x), 0) > 0', a.attname), ' OR ') AS condition
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'timescaledb_information', 'timescaledb_experimental')
       AND n.nspname NOT LIKE 'pg_toast%'
     GROUP BY 1`,
  );
  const found: string[] = [];
  for (const { name, condition } of rows) {
    const { rowCount } = await database.pool.query(
      `SELECT FROM ${name} t WHERE EXISTS (SELECT FROM unnest($1::text[]) x WHERE ${condition}) LIMIT 1`,
      [texts],
    );
    if (rowCount) found.push(name);
  }
  return found.sort();
}

test('an erased user is in no relation of the database, nor is the user’s consumption, and other users are unchanged', async () => {
  const db = createDatabase(database.pool);
  const now = Date.now();
  const at = (days: number, minutes = 0) => new Date(now - days * DAY_MS + minutes * 60_000);
  const gone = await createTestMeter(database);
  const stays = await createTestMeter(database);
  await createKey(db, { userId: gone.userId, environment: 'live' });
  await database.pool.query('INSERT INTO request_counts (counted) VALUES ($1), ($2)', [gone.userId, stays.userId]);
  for (const one of [gone, stays]) {
    // These readings are compressed and materialised. Late readings, current readings and a rejected message follow.
    await one.read([...Array(40).keys()].map((index) => [at(60 - index), 100 + index]));
  }
  await database.settle();
  await compressOldChunks(database.pool, new Date(), at(7));
  for (const one of [gone, stays]) {
    await one.read([
      [at(30, 60), 130.5],
      [at(0, -30), 200],
      [at(0, -20), 1],
      [new Date(now + 60 * 60_000), 300],
    ]);
  }
  // Half of the differences are added to the aggregates, the others are pending. The deletion must find both.
  await database.settle();
  for (const one of [gone, stays]) await one.read([[at(29, 60), 131.5]]);
  const day = at(50).toISOString().slice(0, 10);
  const { period } = await createBillPeriod(db, gone, createDayRange(day, day, 'UTC'), new Date());
  await closeBillPeriod(db, ALL_ACCOUNTS, period.bill_period_id, new Date());
  // The user edits readings of the user's own devices, and of other users' devices.
  const editing = { author: gone.userId, now: new Date(), oldest: at(300) };
  const edit = { nativeName: null, from: at(8), to: at(7.9), value: null, reason: 'x' };
  for (const one of [gone, stays]) await createEdit(db, ALL_ACCOUNTS, one.deviceId, edit, editing);
  const { rows } = await database.pool.query('SELECT series_id FROM series WHERE device_id = $1', [gone.deviceId]);
  const total = await sumImportedMilliwattHours(database, 'user_daily', stays.userId);
  expect(total).toBe(100_000_000);
  expect((await mentions([gone.userId, gone.deviceId])).length).toBeGreaterThan(8);

  expect(await eraseUser(db, gone.userId)).toBe(true);

  expect(await mentions([gone.userId, gone.deviceId])).toEqual([]);
  for (const relation of ['readings', 'closed_readings', 'reading_notes', 'series']) {
    const { rowCount } = await database.pool.query(`SELECT FROM ${relation} WHERE series_id = ANY ($1)`, [
      rows.map((row) => row.series_id),
    ]);
    expect({ relation, rowCount }).toEqual({ relation, rowCount: 0 });
  }
  await database.settle();
  expect(await mentions([gone.userId, gone.deviceId])).toEqual([]);
  expect(await sumImportedMilliwattHours(database, 'user_daily', stays.userId)).toBe(total);
  expect(await eraseUser(db, gone.userId)).toBe(false);
});

test('readings that arrive while their owner is erased belong to no account', async () => {
  const db = createDatabase(database.pool);
  const home = await createTestMeter(database);
  const results = await Promise.all([
    ...[...Array(20).keys()].map((index) => home.read([[new Date(Date.now() - index * 60_000), 500 - index]])),
    eraseUser(db, home.userId),
    ...[...Array(20).keys()].map((index) => home.read([[new Date(Date.now() - index * 30_000), 500 - index / 2]])),
  ]);
  expect(results).toContain(true);
  await home.read([[new Date(), 600]]);
  await database.settle();
  expect((await mentions([home.userId, home.deviceId])).filter((name) => !name.includes('rejected_messages'))).toEqual(
    [],
  );
});
