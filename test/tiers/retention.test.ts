import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { AppError } from '#src/core/errors.ts';
import { createDatabase } from '#src/database/connect.ts';
import { dropExpiredReadings, getRetentionStartMs } from '#src/database/migrate.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createEdit } from '#src/devices/edits/store.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours, type TestMeter } from '#test/support/meters.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-20T12:00:00Z');
const at = (daysAgo: number) => new Date(NOW.getTime() - daysAgo * DAY_MS);

let database: TestDatabase;
// Each test has its own database, because it would otherwise process the readings of earlier tests.
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function readingsOf(one: TestMeter): Promise<number> {
  const { rows } = await database.pool.query(
    'SELECT count(*) AS n FROM readings JOIN series USING (series_id) WHERE device_id = $1',
    [one.deviceId],
  );
  return rows[0].n;
}

test('readings beyond the retention are dropped in whole chunks, and their consumption stays in every aggregate', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [...Array(21).keys()].map((index) => [at(200 - index * 10), 1_000 + index * 10]),
    at(0),
  );
  // The readings of this meter were written with a longer retention (36 months).
  const long = await createTestMeter(database, { retentionMonths: 36 });
  const history = [...Array(61).keys()].map((index) => [at(300 - index * 5), 1_000 + index * 10] as const);
  await long.read(history, NOW);
  await database.settle(NOW);
  const before = await readingsOf(long);
  expect(before).toBe(61);
  const dropped = await dropExpiredReadings(database.pool, NOW, 3);
  expect(dropped.length).toBeGreaterThan(5);
  const retainedReadings = await readingsOf(long);
  // The last three months remain. Earlier readings also remain if they are in the same chunk (at most a month).
  const inTime = history.filter(([time]) => time.getTime() >= getRetentionStartMs(NOW.getTime(), 3)).length;
  expect(retainedReadings).toBeGreaterThanOrEqual(inTime);
  expect(retainedReadings).toBeLessThanOrEqual(inTime + 7);
  await database.settle(NOW);
  for (const relation of ['device_intervals', 'device_hourly', 'user_hourly', 'user_daily', 'user_monthly']) {
    expect({ relation, total: await sumImportedMilliwattHours(database, relation, long.userId) }).toEqual({
      relation,
      total: 600_000_000,
    });
  }
  expect(await dropExpiredReadings(database.pool, NOW, 3)).toEqual([]);
  const { capabilities } = database;
  const since = new Date(Date.UTC(2024, 0, 1));
  const check = await checkAllRollups(database.pool, { capabilities, since, mode: 'check' });
  expect(check.differences).toEqual([]);
});

test('readings are stored while others are dropped, and neither fails because of the other', async () => {
  const homes = await Promise.all([1, 2, 3].map(() => createTestMeter(database, { retentionMonths: 36 })));
  for (const home of homes)
    await home.read(
      [...Array(40).keys()].map((index) => [at(300 - index * 4), 100 + index]),
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
  for (const months of [9, 8, 7, 6, 5, 4]) await dropExpiredReadings(database.pool, NOW, months);
  over = true;
  await Promise.all(streams);
  await database.pool.query('SELECT pg_stat_force_next_flush()').catch(() => {});
  const after = (await database.pool.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'))
    .rows[0].deadlocks;
  expect(after - before).toBe(0);
});

test('a reading from before the dropped time is refused, whatever the current retention', async () => {
  const home = await createTestMeter(database, { retentionMonths: 36 });
  await home.read(
    [
      [at(90), 100],
      [at(80), 200],
      [at(10), 900],
    ],
    NOW,
  );
  await dropExpiredReadings(database.pool, NOW, 1);
  const late = await home.read([[at(85), 150]], NOW);
  expect(late).toMatchObject({ stored: 0, rejected: 1 });
  const { rows } = await database.pool.query('SELECT reason FROM rejected_messages WHERE device_id = $1', [
    home.deviceId,
  ]);
  expect(rows).toEqual([{ reason: 'time is older than the stored readings of this series' }]);
  await database.settle(NOW);
  expect(await sumImportedMilliwattHours(database, 'user_daily', home.userId)).toBe(800_000_000);
});

/** Random edits of a meter: start (days ago), length in days, and value of a manual reading (null: the edit excludes readings). */
const handEdits = fc.array(
  fc.record({
    days: fc.integer({ min: 1, max: 1_000 }).map((tenths) => tenths / 10),
    length: fc.constantFrom<number[]>(0.1, 1, 5),
    kwh: fc.option(fc.integer({ min: 900, max: 3_000 }), { nil: null }),
  }),
  { maxLength: 4 },
);
type HandEdits = typeof handEdits extends fc.Arbitrary<infer T> ? T : never;

async function edit({ deviceId }: TestMeter, edits: HandEdits): Promise<void> {
  const db = createDatabase(database.pool);
  const editing = { author: 'usr_1', now: NOW, oldest: new Date(0) };
  for (const { days, length, kwh } of edits) {
    const nativeName = kwh === null ? null : 'import energy_total_kwh';
    const to = kwh === null ? at(days - length) : new Date(at(days).getTime() + 1);
    const wanted = { nativeName, from: at(days), to, value: kwh && kwh * 1_000_000, reason: 'drawn' };
    await createEdit(db, ALL_ACCOUNTS, deviceId, wanted, editing).catch((error) => {
      // The error is expected if another edit has already set a register value for this time.
      if (!(error instanceof AppError)) throw error;
    });
  }
  await recomputeChangedDevices(
    database.pool,
    createReadingBatchWriter(database.pool, { retentionMonths: 36, now: () => NOW.getTime() }),
  );
}

test('late readings and edits across the cut have the same results as if nothing had been dropped', async () => {
  // Two meters send the same readings, but the first meter's old readings are dropped before the late ones arrive.
  const steps = fc.array(
    fc.record({
      days: fc.integer({ min: 1, max: 60 }),
      jitter: fc.integer({ min: 0, max: 99 }),
      kwh: fc.integer({ min: -30, max: 200 }),
    }),
    { minLength: 12, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.array(fc.nat(1_000), { minLength: 1, maxLength: 8 }),
      handEdits,
      async (walk, picks, edits) => {
        let [day, kwh] = [100, 1_000];
        const all = walk.map((step) => {
          day = Math.max(1, day - step.days / 10);
          kwh = Math.max(0, kwh + step.kwh);
          return [at(day + step.jitter / 10_000), kwh] as const;
        });
        const startMs = getRetentionStartMs(NOW.getTime(), 1);
        const isLate = (index: number) =>
          (all[index]?.[0].getTime() ?? 0) > startMs && picks.some((pick) => pick % all.length === index);
        const first = all.filter((_, index) => !isLate(index));
        const late = all.filter((_, index) => isLate(index));
        const [cut, whole] = [
          await createTestMeter(database, { retentionMonths: 36 }),
          await createTestMeter(database, { retentionMonths: 36 }),
        ];
        const isLateEdit = ({ days }: { days: number }) => at(days).getTime() > startMs && picks.length % 2 === 0;
        await cut.read(first, NOW);
        await edit(
          cut,
          edits.filter((one) => !isLateEdit(one)),
        );
        await dropExpiredReadings(database.pool, NOW, 1);
        if (late.length > 0) await cut.read(late, NOW);
        await edit(cut, edits.filter(isLateEdit));
        await whole.read(all, NOW);
        await edit(
          whole,
          edits.toSorted((a, b) => Number(isLateEdit(a)) - Number(isLateEdit(b))),
        );
        await database.settle(NOW);
        const profile = async ({ deviceId }: TestMeter) =>
          (
            await database.pool.query(
              'SELECT starts_at, energy_milliwatt_hours, estimated_milliwatt_hours, reading_count, covered_ms FROM device_intervals WHERE device_id = $1 ORDER BY 1',
              [deviceId],
            )
          ).rows;
        expect(await profile(cut)).toEqual(await profile(whole));
      },
    ),
    { numRuns: Number(process.env.RETENTION_RUNS ?? 5) },
  );
});

test('tariffs across the cut have the same results as if nothing had been dropped', async () => {
  const turns = fc.array(
    fc.record({
      tariff: fc.nat(1),
      restHours: fc.integer({ min: 1, max: 140 }),
      uses: fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 20 })), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    { minLength: 15, maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(turns, fc.array(fc.nat(1_000), { minLength: 1, maxLength: 8 }), async (walk, picks) => {
      let minutes = 90 * 1_440;
      const kwh = [1_000, 2_000];
      const all: [Date, number, string][] = [0, 1].map((tariff) => [
        at(90),
        kwh[tariff] as number,
        `import/t${tariff}`,
      ]);
      for (const { tariff, restHours, uses } of walk) {
        minutes -= restHours * 60;
        for (const [after, used] of uses) {
          minutes -= after;
          kwh[tariff] = (kwh[tariff] as number) + used;
          if (minutes > 0) all.push([at(minutes / 1_440), kwh[tariff] as number, `import/t${tariff}`]);
        }
      }
      const startMs = getRetentionStartMs(NOW.getTime(), 1);
      const isLate = (index: number) =>
        (all[index]?.[0].getTime() ?? 0) > startMs && picks.some((pick) => pick % all.length === index);
      const [cut, whole] = [
        await createTestMeter(database, { retentionMonths: 36 }),
        await createTestMeter(database, { retentionMonths: 36 }),
      ];
      const send = async (one: TestMeter, late: boolean | null) => {
        for (const channel of ['import/t0', 'import/t1']) {
          const mine = all.filter(([, , of], index) => of === channel && (late === null || isLate(index) === late));
          if (mine.length > 0)
            await one.read(
              mine.map(([time, value]) => [time, value]),
              NOW,
              { channel },
            );
        }
      };
      await send(cut, false);
      await dropExpiredReadings(database.pool, NOW, 1);
      await send(cut, true);
      await send(whole, null);
      const measures = 'energy_milliwatt_hours, estimated_milliwatt_hours, reading_count, covered_ms';
      expect(await profileOf(cut, measures)).toEqual(await profileOf(whole, measures));
    }),
    { numRuns: Number(process.env.RETENTION_RUNS ?? 5) },
  );
});

const MINUTE_MS = 60_000;

/** Returns a meter's energy in each quarter-hour. */
async function profileOf({ deviceId }: TestMeter, measures: string): Promise<unknown[]> {
  await database.settle(NOW);
  const { rows } = await database.pool.query(
    `SELECT starts_at, ${measures} FROM device_intervals WHERE device_id = $1 ORDER BY 1`,
    [deviceId],
  );
  return rows;
}

/** Returns the time before which the next retention pass drops readings, for a retention of this number of months. */
async function cutOf(months: number): Promise<number> {
  const before = new Date(getRetentionStartMs(NOW.getTime(), months) - DAY_MS);
  const { rows } = await database.pool.query('SELECT max(ends_at) AS cut FROM readings_pieces_before($1)', [before]);
  return rows[0].cut.getTime();
}

test.each([false, true])(
  'a late backlog takes back energy from before the cut, as if nothing had been dropped (a false reading excluded: %s)',
  async (isEdited) => {
    const pair = async () => createTestMeter(database, { retentionMonths: 36 });
    const [other, cut, whole] = [await pair(), await pair(), await pair()];
    await other.read(
      [...Array(60).keys()].map((day) => [at(90 - day), day]),
      NOW,
    );
    const cutMs = await cutOf(1);
    const around = (minutes: number, kwh: number) => [new Date(cutMs + minutes * MINUTE_MS), kwh] as const;
    // From three hours before the retention limit on, the register repeats the same value. The late readings include the energy of this
    // time.
    const first = [
      ...[around(-600, 95), around(-300, 99), around(-240, 100), around(-180, 101)],
      // This false reading is plausible, so the service does not reject it.
      ...(isEdited ? [around(-172, 103)] : []),
      ...[...Array(12).keys()].map((index) => around(-165 + 15 * index, 101)),
      around(5, 101),
    ];
    const late = [around(20, 141), around(35, 141.2), around(50, 141.4)];
    const exclude = (one: TestMeter) => {
      const days = (NOW.getTime() - cutMs) / DAY_MS + 175 / 1_440;
      return isEdited ? edit(one, [{ days, length: 5 / 1_440, kwh: null }]) : undefined;
    };
    await cut.read(first, NOW);
    await exclude(cut);
    expect(await cutOf(1)).toBe(cutMs);
    expect(await dropExpiredReadings(database.pool, NOW, 1)).not.toEqual([]);
    await cut.read(late, NOW);
    await whole.read([...first, ...late], NOW);
    await exclude(whole);
    const all = 'energy_milliwatt_hours, estimated_milliwatt_hours, reading_count, covered_ms';
    expect(await profileOf(cut, all)).toEqual(await profileOf(whole, all));
    expect(await sumImportedMilliwattHours(database, 'user_daily', cut.userId)).toBe(46_400_000);
  },
  240_000,
);

test('few readings of a register that stands still for months are retained, and its next rise is spread over all of that time', async () => {
  const pair = async () => createTestMeter(database, { retentionMonths: 36 });
  const [cut, whole] = [await pair(), await pair()];
  const first = [...Array(4 * 100 + 1).keys()].map(
    (index) => [at(110 - index / 4), index < 3 ? 100 + index : 103] as const,
  );
  const late = [0, 15, 30].map((minutes) => [at(10 - (minutes + 10) / 1_440), 503 + minutes / 100] as const);
  await cut.read(first, NOW);
  for (const months of [2, 1]) {
    await dropExpiredReadings(database.pool, NOW, months);
    const { rows } = await database.pool.query(
      'SELECT count(*) AS n FROM closed_readings JOIN series USING (series_id) WHERE device_id = $1',
      [cut.deviceId],
    );
    expect(rows[0].n).toBeGreaterThan(0);
    expect(rows[0].n).toBeLessThan(8);
  }
  await cut.read(late, NOW);
  await whole.read([...first, ...late], NOW);
  const energy = 'energy_milliwatt_hours, estimated_milliwatt_hours, covered_ms';
  expect(await profileOf(cut, energy)).toEqual(await profileOf(whole, energy));
  expect(await sumImportedMilliwattHours(database, 'user_daily', cut.userId)).toBe(403_300_000);
});
