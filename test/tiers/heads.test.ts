import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '#src/database/migrate.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';
import { HEADS_MIGRATION, revertHeadsMigration } from '#test/support/without-heads.ts';

const LEVELS = [
  'device_intervals',
  'device_hourly',
  'user_hourly',
  'user_daily',
  'user_monthly_by_hour',
  'user_monthly',
];
const NOW = new Date('2026-11-20T12:10:00Z');
const HOUR_MS = 3_600_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const totals = (userId: string) =>
  Promise.all(LEVELS.map(async (level) => [level, await sumImportedMilliwattHours(database, level, userId)]));

const differences = async () => {
  const { capabilities, pool } = database;
  return (await checkAllRollups(pool, { capabilities, since: new Date(Date.UTC(2026, 0, 1)), mode: 'check' }))
    .differences;
};

test('an installation from before heads existed returns the same usage after the update, and its meters continue', async () => {
  const { pool } = database;
  const [home, silent] = [await createTestMeter(database), await createTestMeter(database)];
  const at = (hour: number) => new Date(NOW.getTime() - hour * HOUR_MS);
  await database.settle(NOW);
  for (const one of [home, silent]) {
    await one.read(
      [...Array(40 * 24).keys()].reverse().map((hour) => [at(hour), 1_000 - hour * 0.25]),
      NOW,
    );
  }
  await database.settle(NOW);
  const before = await totals(home.userId);
  const { rows: seen } = await pool.query('SELECT device_id, seen_at, laws::jsonb FROM device_heads ORDER BY 1');
  await revertHeadsMigration(database);
  await pool.query(
    `INSERT INTO usage_changes (user_id, hour) SELECT $1, '2026-11-20T12:00Z' FROM generate_series(1, 3)`,
    [home.userId],
  );

  expect((await migrate(pool)).applied).toContain(HEADS_MIGRATION);

  expect(await totals(home.userId)).toEqual(before);
  expect((await pool.query('SELECT device_id, seen_at, laws::jsonb FROM device_heads ORDER BY 1')).rows).toEqual(seen);
  expect((await pool.query('SELECT hour, user_ids FROM usage_changes')).rows).toEqual([
    { hour: new Date('2026-11-20T12:00Z'), user_ids: [home.userId] },
  ]);
  expect(await differences()).toEqual([]);
  // Further readings arrive: one in the current hour, one two hours later, and a late one for an earlier day.
  await home.read([[new Date(NOW.getTime() + HOUR_MS / 6), 1_000.5]], NOW);
  await home.read([[new Date(NOW.getTime() + 2 * HOUR_MS), 1_001]], new Date(NOW.getTime() + 2 * HOUR_MS));
  await home.read([[new Date(at(30 * 24).getTime() + HOUR_MS / 2), 1_000 - 30 * 24 * 0.25 + 0.2]], NOW);
  await database.settle(new Date(NOW.getTime() + 2 * HOUR_MS));
  expect(await totals(home.userId)).toEqual(before.map(([level, total]) => [level, Number(total) + 1_000_000]));
  expect(await totals(silent.userId)).toEqual(before);
  expect(await differences()).toEqual([]);
});

test('the peak hour of a day may be the one that is open', async () => {
  const home = await createTestMeter(database);
  const read = (time: string, kwh: number) => home.read([[new Date(`2026-11-20T${time}Z`), kwh]], NOW);
  const peak = async () =>
    (await database.pool.query('SELECT peak_hour FROM user_daily WHERE user_id = $1', [home.userId])).rows[0]
      ?.peak_hour;
  await read('09:00', 10);
  await read('10:00', 12);
  await read('11:00', 13);
  expect(await peak()).toEqual(new Date('2026-11-20T09:00Z'));
  await read('11:30', 15.5);
  expect(await peak()).toEqual(new Date('2026-11-20T11:00Z'));
  await read('12:10', 15.6);
  expect(await peak()).toEqual(new Date('2026-11-20T11:00Z'));
});
