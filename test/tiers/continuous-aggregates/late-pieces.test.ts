import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { refreshRollups } from '#src/rollups/refresh.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { addToLoadProfile, type LoadProfileChange } from '#test/support/load-profile.ts';
import { sumImportedMilliwattHours } from '#test/support/meters.ts';

/** Late readings of many devices are added to the aggregates in chunks of bounded size. NOW: current time of the refresh. */
const NOW = new Date('2026-11-20T12:00:00Z');
const DAY_MS = Date.UTC(2026, 8, 10);
const QUARTER_HOUR_MS = 900_000;
const LEVELS = ['device_hourly', 'user_hourly', 'user_daily', 'user_monthly'];

let database: TestDatabase;
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

beforeEach(async () => {
  database = await createTestDatabase();
  await refreshRollups(database.pool, NOW);
});
afterEach(() => database.drop());

/** Returns changes of the load profile for this number of devices of one user, in the first `quarters` quarter-hours of the day. */
const lateDay = (devices: number, quarters: number): LoadProfileChange[] =>
  Array.from({ length: devices * quarters }, (_, index) => ({
    deviceId: `dev_${String(Math.floor(index / quarters)).padStart(3, '0')}`,
    userId: 'usr_a',
    startsAtMs: DAY_MS + (index % quarters) * QUARTER_HOUR_MS,
    energyMilliwattHours: 1 + index,
    readingCount: 1,
    coveredMs: QUARTER_HOUR_MS,
  }));
const totalOf = (differences: readonly LoadProfileChange[]) =>
  differences.reduce((sum, { energyMilliwattHours = 0 }) => sum + energyMilliwattHours, 0);
const waiting = async () => Number((await query('SELECT count(*) AS n FROM late_deltas'))[0].n);
const fold = async (afterId: string, devices: number) =>
  (await query('SELECT * FROM fold_late_devices($1, $2, $3)', [new Date(DAY_MS), afterId, devices]))[0];
const totals = () => Promise.all(LEVELS.map((level) => sumImportedMilliwattHours(database, level, 'usr_a')));

test('a chunk processes only its number of devices, and its day stays stale', async () => {
  const late = lateDay(5, 4);
  await addToLoadProfile(database, late);
  expect(await waiting()).toBe(20);
  expect(await fold('', 2)).toEqual({ folded: 8, last: 'dev_001' });
  expect(await waiting()).toBe(12);
  expect(await query('SELECT day FROM stale_days')).toEqual([{ day: new Date(DAY_MS) }]);
  expect(await fold('dev_001', 3)).toEqual({ folded: 12, last: 'dev_004' });
  expect(await fold('dev_004', 3)).toEqual({ folded: 0, last: null });
  // Differences that arrive during a pass are added by the next pass.
  await addToLoadProfile(database, late.slice(0, 4));
  expect(await fold('dev_001', 3)).toEqual({ folded: 0, last: null });
  expect(await waiting()).toBe(4);
});

test('a pass adds a day’s differences in transactions of bounded size, and every level then includes all of them', async () => {
  const late = lateDay(30, 4);
  await addToLoadProfile(database, late);
  expect(await refreshRollups(database.pool, NOW, { devices: 3 })).toMatchObject({ folded: 120, days: 1 });
  expect(await waiting()).toBe(0);
  expect(await totals()).toEqual(LEVELS.map(() => totalOf(late)));
  // Each row contains the id of the transaction that wrote it (xmin). Grouping by it shows the number of transactions, and the rows of
  // each.
  const [transactions] = await query(
    'SELECT count(*)::int AS count, max(rows)::int AS rows FROM (SELECT count(*) AS rows FROM device_hours GROUP BY xmin::text) written',
  );
  expect(transactions).toEqual({ count: 10, rows: 3 });
});

test('differences that waited long are combined into one row per quarter-hour', async () => {
  const [one] = lateDay(1, 1) as [LoadProfileChange];
  for (let times = 0; times < 20; times++) await addToLoadProfile(database, [one]);
  // Records the number of rows of each call, which shows that the differences were combined.
  await query(`CREATE TABLE added (rows bigint);
    ALTER FUNCTION apply_device_hours RENAME TO apply_device_hours_really;
    CREATE FUNCTION apply_device_hours(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO added VALUES (cardinality(deltas));
      PERFORM apply_device_hours_really(deltas);
    END $$`);
  expect(await fold('', 10)).toEqual({ folded: 20, last: null });
  expect(await query('SELECT rows FROM added')).toEqual([{ rows: 1 }]);
  await refreshRollups(database.pool, NOW);
  expect(await totals()).toEqual(LEVELS.map(() => 20));
});

test('energy that one chunk adds and another removes leaves no row and no difference', async () => {
  const late = lateDay(2, 2);
  await addToLoadProfile(database, late);
  await refreshRollups(database.pool, NOW, { devices: 1 });
  const back = late.map((one) => ({
    ...one,
    energyMilliwattHours: -(one.energyMilliwattHours ?? 0),
    readingCount: -1,
    coveredMs: -QUARTER_HOUR_MS,
  }));
  await addToLoadProfile(database, back.slice(0, 3));
  await refreshRollups(database.pool, NOW, { devices: 1 });
  expect(await totals()).toEqual(LEVELS.map(() => 4));
  await addToLoadProfile(database, back.slice(3));
  await refreshRollups(database.pool, NOW, { devices: 1 });
  expect(await query('SELECT FROM device_hours')).toHaveLength(0);
});

test('a pass that is asked to stop ends between two chunks, and the next one continues', async () => {
  const late = lateDay(6, 1);
  await addToLoadProfile(database, late);
  const stopping = new AbortController();
  const { pool } = database;
  const passing = refreshRollups(pool, NOW, { devices: 1, signal: stopping.signal });
  await expect.poll(waiting, { interval: 0 }).toBeLessThan(6);
  stopping.abort();
  const { folded, complete } = await passing;
  // The signal may arrive after the end of the pass.
  if (folded < 6) expect(complete).toBe(false);
  expect(await waiting()).toBe(6 - folded);
  const stopped = new AbortController();
  stopped.abort();
  expect(await refreshRollups(pool, NOW, { signal: stopped.signal })).toMatchObject({ folded: 0, complete: false });
  await database.settle(NOW);
  expect(await totals()).toEqual(LEVELS.map(() => totalOf(late)));
});

test('a pass that is interrupted between two chunks leaves only work that the next one completes', async () => {
  const late = lateDay(60, 4);
  let total = 0;
  let cutOff = 0;
  for (let round = 0; round < 5; round++) {
    await addToLoadProfile(database, late);
    total += totalOf(late);
    const passing = refreshRollups(database.pool, NOW, { devices: 1 }).then(
      () => 0,
      () => 1,
    );
    // Wait until the pass has added some chunks, but not all.
    while ((await waiting()) > 200 - round * 30) await new Promise((resolve) => setTimeout(resolve, 1));
    // Waits until the session of the killed pass has released its lock.
    await query(
      `SELECT pg_terminate_backend(pid, 30000) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [ADVISORY_LOCKS.refresh],
    );
    cutOff += await passing;
  }
  expect(cutOff).toBeGreaterThan(0);
  await database.settle(NOW);
  expect(await waiting()).toBe(0);
  expect(await totals()).toEqual(LEVELS.map(() => total));
});
