import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDeltaStatements } from '#ingest/write/deltas.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { addToLoadProfile, convertToDeltaRows, type LoadProfileChange } from '#test/support/load-profile.ts';

/** Writes more differences (changes of quarter-hours) than one statement can contain. */
const HOUR_MS = Date.UTC(2026, 10, 20, 10);
const NOW = new Date('2026-11-20T12:00:00Z');

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

test('differences give the same result if written by several statements of limited size as by one', async () => {
  // There are two devices for each user. The differences are not ordered by user.
  const differences = Array.from(
    { length: 40 },
    (_, index): LoadProfileChange => ({
      deviceId: `dev_${index % 8}`,
      userId: `usr_${(index % 8) >> 1}`,
      startsAtMs: HOUR_MS + Math.floor(index / 8) * 900_000,
      energyMilliwattHours: index,
      readingCount: 1,
      coveredMs: 900_000,
    }),
  );
  const levels = async () =>
    Promise.all(
      ['device_hourly', 'user_hourly', 'user_daily', 'user_monthly'].map(async (level) => {
        const text = `SELECT * FROM ${level} ORDER BY 1, 2`;
        return (await database.pool.query(text)).rows;
      }),
    );
  await addToLoadProfile(database, differences);
  await database.settle(NOW);
  const inOne = await levels();
  expect(inOne.map(({ length }) => length)).toEqual([16, 8, 4, 4]);
  await database.pool.query(`SELECT erase_consumption('usr_' || n) FROM generate_series(0, 3) n`);
  expect(await levels()).toEqual([[], [], [], []]);

  const steps = createDeltaStatements(convertToDeltaRows(differences), 7);
  expect(steps).toHaveLength(6);
  const rows: number[] = [];
  await runInTransaction(database.pool, async (client) => {
    const query = (config: { text: string; values: [Buffer] }) => {
      // PostgreSQL's binary format of an array has the number of elements at byte 12.
      rows.push(config.values[0].readInt32BE(12));
      return client.query(config);
    };
    for (const step of steps) await step({ query } as unknown as PoolClient);
  });
  expect(rows).toEqual([7, 7, 7, 7, 7, 5]);
  await database.settle(NOW);
  expect(await levels()).toEqual(inOne);
});
