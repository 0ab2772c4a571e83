import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropReadings, retentionStartMs } from '#src/database/history.ts';
import { passOverRollups } from '#src/rollups/mend.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { type Meter, meter, totalMilliwattHours } from '#test/support/meters.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-20T12:00:00Z');
const at = (daysAgo: number) => new Date(NOW.getTime() - daysAgo * DAY_MS);

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

async function readingsOf(one: Meter): Promise<number> {
  const { rows } = await database.pool.query(
    'SELECT count(*) AS n FROM readings JOIN series USING (series_id) WHERE device_id = $1',
    [one.deviceId],
  );
  return rows[0].n;
}

test('readings beyond the retention are dropped in whole pieces, what they consumed stays in every aggregate', async () => {
  const home = await meter(database);
  await home.read(
    [...Array(21).keys()].map((index) => [at(600 - index * 30), 1_000 + index * 10]),
    at(0),
  );
  // Written while the retention was longer.
  const long = await meter(database, { retentionMonths: 36 });
  const history = [...Array(61).keys()].map((index) => [at(900 - index * 15), 1_000 + index * 10] as const);
  await long.read(history, NOW);
  await database.settle(NOW);
  const before = await readingsOf(long);
  expect(before).toBe(61);
  const dropped = await dropReadings(database.pool, NOW, 13);
  expect(dropped.length).toBeGreaterThan(10);
  const kept = await readingsOf(long);
  // Those of the last 13 months, and of the piece that the cut goes through: a month at most.
  const inTime = history.filter(([time]) => time.getTime() >= retentionStartMs(NOW.getTime(), 13)).length;
  expect(kept).toBeGreaterThanOrEqual(inTime);
  expect(kept).toBeLessThanOrEqual(inTime + 3);
  await database.settle(NOW);
  for (const relation of ['device_intervals', 'device_hourly', 'user_hourly', 'user_daily', 'user_monthly']) {
    expect({ relation, total: await totalMilliwattHours(database, relation, long.userId) }).toEqual({
      relation,
      total: 600_000_000,
    });
  }
  expect(await dropReadings(database.pool, NOW, 13)).toEqual([]);
  const { capabilities } = database;
  const since = new Date(Date.UTC(2024, 0, 1));
  const check = await passOverRollups(database.pool, { capabilities, since, mode: 'check' });
  expect(check.differences).toEqual([]);
}, 240_000);

test('readings stream on while others are dropped, and neither fails for the other', async () => {
  const homes = await Promise.all([1, 2, 3].map(() => meter(database, { retentionMonths: 36 })));
  for (const home of homes)
    await home.read(
      [...Array(40).keys()].map((index) => [at(900 - index * 10), 100 + index]),
      NOW,
    );
  const before = (
    await database.pool.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
  ).rows[0].deadlocks;
  let over = false;
  const streams = homes.map(async (home) => {
    for (let index = 1; !over; index++)
      await home.read([[new Date(NOW.getTime() - 3_600_000 + index * 100), 140 + index / 1_000]], NOW);
  });
  for (const months of [28, 26, 24, 22, 20, 18]) await dropReadings(database.pool, NOW, months);
  over = true;
  await Promise.all(streams);
  await database.pool.query('SELECT pg_stat_force_next_flush()').catch(() => {});
  const after = (await database.pool.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'))
    .rows[0].deadlocks;
  expect(after - before).toBe(0);
}, 240_000);

test('a reading from before what is kept is refused, whatever the retention says now', async () => {
  const home = await meter(database, { retentionMonths: 36 });
  await home.read(
    [
      [at(90), 100],
      [at(80), 200],
      [at(10), 900],
    ],
    NOW,
  );
  await dropReadings(database.pool, NOW, 1);
  const late = await home.read([[at(85), 150]], NOW);
  expect(late).toMatchObject({ stored: 0, rejected: 1 });
  const { rows } = await database.pool.query('SELECT reason FROM rejected_messages WHERE device_id = $1', [
    home.deviceId,
  ]);
  expect(rows).toEqual([{ reason: 'time is older than the readings that are kept of this series' }]);
  await database.settle(NOW);
  expect(await totalMilliwattHours(database, 'user_daily', home.userId)).toBe(800_000_000);
}, 240_000);

test('late readings over the cut are worked in as if nothing had been dropped', async () => {
  // Two meters that send the same; only of the first is the past dropped before the late readings come.
  const steps = fc.array(
    fc.record({
      days: fc.integer({ min: 1, max: 60 }),
      jitter: fc.integer({ min: 0, max: 99 }),
      kwh: fc.integer({ min: -30, max: 200 }),
    }),
    { minLength: 12, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.nat(1_000), { minLength: 1, maxLength: 8 }), async (walk, picks) => {
      let [day, kwh] = [100, 1_000];
      const all = walk.map((step) => {
        day = Math.max(1, day - step.days / 10);
        kwh = Math.max(0, kwh + step.kwh);
        return [at(day + step.jitter / 10_000), kwh] as const;
      });
      const startMs = retentionStartMs(NOW.getTime(), 1);
      const isLate = (index: number) =>
        (all[index]?.[0].getTime() ?? 0) > startMs && picks.some((pick) => pick % all.length === index);
      const first = all.filter((_, index) => !isLate(index));
      const late = all.filter((_, index) => isLate(index));
      const [cut, whole] = [
        await meter(database, { retentionMonths: 36 }),
        await meter(database, { retentionMonths: 36 }),
      ];
      await cut.read(first, NOW);
      await dropReadings(database.pool, NOW, 1);
      if (late.length > 0) await cut.read(late, NOW);
      await whole.read(all, NOW);
      await database.settle(NOW);
      const profile = async ({ deviceId }: Meter) =>
        (
          await database.pool.query(
            'SELECT starts_at, energy_milliwatt_hours, estimated_milliwatt_hours, reading_count, covered_ms FROM device_intervals WHERE device_id = $1 ORDER BY 1',
            [deviceId],
          )
        ).rows;
      expect(await profile(cut)).toEqual(await profile(whole));
    }),
    { numRuns: 10 },
  );
}, 240_000);
