import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDeltaStatements } from '#ingest/write/deltas.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createDatabase } from '#src/database/connect.ts';
import { compressOldChunks } from '#src/database/migrate.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { formatEpochDate, readImportedEnergy } from '#src/energy/usage/imports.ts';
import { MEASURE_COLUMNS } from '#src/rollups/levels.ts';
import { refreshRollups } from '#src/rollups/refresh.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { convertToDeltaRows } from '#test/support/load-profile.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';

/** Known errors of TimescaleDB's continuous aggregates, each tested on the service's aggregates. NOW: current time of each refresh. */
const NOW = new Date('2026-11-20T12:00:00Z');
const at = (time: string) => new Date(`${time}Z`);
/** After a refresh at NOW, the continuous aggregates contain all data before this time. */
const BORDER = at('2026-11-19T00:00:00');

let database: TestDatabase;
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const pass = () => refreshRollups(database.pool, NOW);
const LEVELS = ['device_hourly', 'user_hourly', 'user_daily', 'user_monthly'];

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const watermarks = () =>
  query(
    `SELECT c.view_name AS level, _timescaledb_functions.to_timestamp(_timescaledb_functions.cagg_watermark(h.id)) AS watermark
     FROM timescaledb_information.continuous_aggregates c
     JOIN _timescaledb_catalog.hypertable h ON h.schema_name = c.materialization_hypertable_schema AND h.table_name = c.materialization_hypertable_name`,
  );

test('aggregates answer in real time: written data is in every level before any refresh', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2026-11-20T10:00'), 1],
      [at('2026-11-20T11:00'), 3],
    ],
    NOW,
  );
  for (const level of LEVELS)
    expect({ level, total: await sumImportedMilliwattHours(database, level, home.userId) }).toEqual({
      level,
      total: 2_000_000,
    });
  await pass();
  await home.read([[at('2026-11-20T11:30'), 4]], NOW);
  for (const level of LEVELS)
    expect({ level, total: await sumImportedMilliwattHours(database, level, home.userId) }).toEqual({
      level,
      total: 3_000_000,
    });
});

test('of equal hours the earliest is the peak hour, materialised and in real time', async () => {
  const home = await createTestMeter(database);
  for (const day of ['2026-11-10', '2026-11-20']) {
    const base = day === '2026-11-10' ? 100 : 200;
    await home.read(
      [
        [at(`${day}T02:00`), base],
        [at(`${day}T03:00`), base + 2],
        [at(`${day}T07:00`), base + 2],
        [at(`${day}T08:00`), base + 4],
        [at(`${day}T09:00`), base + 6],
      ],
      NOW,
    );
  }
  const peaks = async () => {
    const rows = await query(
      `SELECT peak_hour FROM user_daily WHERE user_id = $1 AND day = ANY ('{2026-11-10,2026-11-20}') ORDER BY day`,
      [home.userId],
    );
    return rows.map(({ peak_hour }) => peak_hour.toISOString().slice(11, 16));
  };
  expect(await peaks()).toEqual(['02:00', '02:00']);
  await pass();
  expect(await peaks()).toEqual(['02:00', '02:00']);
});

test('a query of the part read in real time uses an index, however many rows the chunk has', async () => {
  await query(`INSERT INTO device_hours SELECT 'dev_' || d, t, 'usr_' || d, 1, 0, 0, 1, 900000, 0
    FROM generate_series(1, 400) d, generate_series('2026-11-17'::timestamptz, '2026-11-20 12:00', '15 min') t`);
  await pass();
  await query('ANALYZE device_hours');
  const plan = (
    await query(
      `EXPLAIN SELECT * FROM user_daily WHERE user_id = 'usr_7' AND day >= '2026-11-01' AND day < '2026-12-01'`,
    )
  )
    .map((row) => row['QUERY PLAN'])
    .join('\n');
  expect(plan).toMatch(/Index Cond: \(\(user_id = 'usr_7'::text\) AND \(starts_at >= /);
  // The table of device states is so small here that PostgreSQL does not use its index.
  expect(plan).not.toMatch(/Seq Scan on (?!device_heads)/);
});

test('a row at the very start of a month, late and changed twice, is in that month only', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2026-08-31T23:45'), 100],
      [at('2026-09-01T00:15'), 101],
    ],
    NOW,
  );
  await pass();
  const months = async () =>
    (
      await query('SELECT month, energy_milliwatt_hours FROM user_monthly WHERE user_id = $1 ORDER BY 1', [home.userId])
    ).map((row) => [row.month.toISOString().slice(0, 7), row.energy_milliwatt_hours]);
  expect(await months()).toEqual([
    ['2026-08', 500_000],
    ['2026-09', 500_000],
  ]);
  await home.read([[at('2026-09-01T00:00'), 100.25]], NOW);
  await pass();
  expect(await months()).toEqual([
    ['2026-08', 250_000],
    ['2026-09', 750_000],
  ]);
  await home.read([[at('2026-09-01T00:00'), 100.125]], NOW);
  await pass();
  expect(await months()).toEqual([
    ['2026-08', 125_000],
    ['2026-09', 875_000],
  ]);
});

test('late rows of any age are in every level after one pass, and a removed row is in none', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2026-11-19T10:00'), 900],
      [at('2026-11-19T11:00'), 901],
    ],
    NOW,
  );
  await pass();
  await home.read(
    [
      [at('2025-12-01T00:00'), 100],
      [at('2025-12-01T01:00'), 150],
      [at('2026-03-01T00:00'), 200],
    ],
    NOW,
  );
  await pass();
  for (const level of LEVELS)
    expect({ level, total: await sumImportedMilliwattHours(database, level, home.userId) }).toEqual({
      level,
      total: 801_000_000,
    });
  // Removes the energy of the registers. Hours whose energy came only from registers must disappear.
  await query(
    `SELECT apply_interval_deltas(array_agg(ROW (device_id, user_id, starts_at, ${MEASURE_COLUMNS.map((column) => `-${column}`).join(', ')})::interval_delta))
    FROM closed_device_intervals WHERE user_id = $1 AND starts_at < '2026-11-01'`,
    [home.userId],
  );
  await pass();
  for (const level of LEVELS) {
    const [{ n }] = await query(
      `SELECT count(*) AS n FROM ${level} WHERE user_id = $1 AND ${level.endsWith('hourly') ? 'hour' : level === 'user_daily' ? 'day' : 'month'} < '2026-11-01'`,
      [home.userId],
    );
    expect({ level, n }).toEqual({ level, n: 0 });
  }
});

test('a batch with current and old readings makes only the changed days stale', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2026-06-01T00:00'), 100],
      [at('2026-11-18T00:00'), 200],
    ],
    NOW,
  );
  await pass();
  await home.read(
    [
      [at('2026-06-01T00:10'), 100],
      [at('2026-11-20T10:00'), 201],
    ],
    NOW,
  );
  const waiting = await query('SELECT DISTINCT day FROM late_deltas ORDER BY 1');
  // The late reading lies in a gap, whose energy is distributed again.
  expect(waiting[0].day.toISOString()).toBe('2026-06-01T00:00:00.000Z');
  expect(await query(`SELECT FROM _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log`)).toEqual([]);
  const { folded, days } = await pass();
  expect(folded).toBeGreaterThan(0);
  expect(days).toBe(waiting.filter(({ day }) => day < BORDER).length);
  expect(await pass()).toMatchObject({ folded: 0, days: 0 });
});

test('aggregates remain if their load profile is dropped by hand, whatever is refreshed later', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2026-01-10T00:00'), 100],
      [at('2026-01-20T00:00'), 150],
      [at('2026-09-10T00:00'), 150],
      [at('2026-09-12T00:00'), 190],
    ],
    NOW,
  );
  await pass();
  await query(`SELECT drop_chunks('device_hours', older_than => '2026-06-01'::timestamptz)`);
  const before = await query(`SELECT * FROM user_daily WHERE user_id = $1 AND day < '2026-04-01' ORDER BY day`, [
    home.userId,
  ]);
  expect(before.length).toBeGreaterThan(8);
  await home.read([[at('2026-09-11T00:00'), 180]], NOW);
  await pass();
  await refreshRollups(database.pool, new Date(NOW.getTime() + 5 * 86_400_000));
  expect(
    await query(`SELECT * FROM user_daily WHERE user_id = $1 AND day < '2026-04-01' ORDER BY day`, [home.userId]),
  ).toEqual(before);
  const [{ total }] = await query(
    `SELECT sum(energy_milliwatt_hours)::bigint AS total FROM user_daily WHERE user_id = $1 AND day = '2026-09-10'`,
    [home.userId],
  );
  expect(total).toBe(30_000_000);
});

test('a clock that is ahead does not move the watermark beyond the start of yesterday, or hide later data', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2026-11-18T10:00'), 1],
      [at('2026-11-20T11:50'), 2],
      [at('2026-11-20T12:04'), 3],
    ],
    NOW,
  );
  await pass();
  for (const { level, watermark } of await watermarks())
    expect({ level, late: watermark > BORDER }).toEqual({ level, late: false });
  await home.read([[at('2026-11-20T11:55'), 2.5]], NOW);
  expect(await sumImportedMilliwattHours(database, 'user_daily', home.userId)).toBe(2_000_000);
  // The clock is set far ahead, and then corrected. Readings that seem late meanwhile are still added.
  await refreshRollups(database.pool, at('2027-06-01T00:00'));
  await home.read([[at('2026-11-20T11:58'), 2.75]], NOW);
  await pass();
  const [{ hourly }] = await query(
    `SELECT sum(energy_milliwatt_hours)::bigint AS hourly FROM user_hourly WHERE user_id = $1`,
    [home.userId],
  );
  expect(hourly).toBe(2_000_000);
});

test('compressed history accepts late rows, more than one statement may decompress by default, and is compressed again', async () => {
  const home = await createTestMeter(database);
  const start = at('2026-09-01T00:00').getTime();
  const minutes = 130_000;
  await query(
    `WITH made AS (INSERT INTO series (device_id, channel, kind, counts_import) VALUES ($1, 'import', 'power', true) RETURNING series_id)
     UPDATE device_heads SET laws = (SELECT format('[[%s,%s,null]]', series_id, extract(epoch FROM timestamptz '2026-11-30')::bigint * 1000) FROM made)
     WHERE device_id = $1`,
    [home.deviceId],
  );
  await query(
    `INSERT INTO readings SELECT series_id, to_timestamp($1::bigint / 1000) + i * interval '30 s', 0, 1000000 FROM series, generate_series(0, $2::int) i WHERE device_id = $3`,
    [start, minutes, home.deviceId],
  );
  const compressed = async () =>
    query(`SELECT chunk_name FROM timescaledb_information.chunks WHERE hypertable_name = 'readings' AND is_compressed`);
  await compressOldChunks(database.pool, NOW, NOW);
  expect((await compressed()).length).toBeGreaterThan(4);
  const client = await database.pool.connect();
  // The update of readings resembles an edit, and the later deletion of readings resembles the deletion of an account. Both change old
  // readings in all chunks.
  await client.query(
    'UPDATE readings SET value = value + 1 WHERE series_id = (SELECT series_id FROM series WHERE device_id = $1)',
    [home.deviceId],
  );
  client.release();
  const late = await createTestMeter(database);
  await late.read(
    [
      [at('2026-09-03T00:00'), 10],
      [at('2026-09-03T01:00'), 11],
    ],
    NOW,
  );
  await pass();
  expect(await sumImportedMilliwattHours(database, 'user_daily', late.userId)).toBe(1_000_000);
  expect(await query(`SELECT count(*) AS n, sum(value)::bigint AS sum FROM readings`)).toEqual([
    { n: minutes + 3, sum: (minutes + 1) * 1_000_001 + 21_000_000 },
  ]);
  const again = await compressOldChunks(database.pool, NOW, NOW);
  expect(again.compressed.length).toBeGreaterThan(0);
  expect((await compressOldChunks(database.pool, NOW, NOW)).compressed).toEqual([]);
  expect(await query(`SELECT count(*) AS n FROM readings`)).toEqual([{ n: minutes + 3 }]);
});

test('a concurrent manual refresh by an operator does no harm', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [...Array(200).keys()].map((index) => [
      new Date(at('2026-05-01T00:00').getTime() + index * 86_400_000),
      100 + index,
    ]),
    NOW,
  );
  await pass();
  let over = false;
  const byHand = (async () => {
    while (!over)
      await query(
        `CALL refresh_continuous_aggregate('closed_user_hourly', '2026-05-01'::timestamptz, '2026-11-01'::timestamptz, force => true)`,
      ).catch(() => {});
  })();
  let failed = 0;
  for (let index = 0; index < 10; index++) {
    await home.read(
      [[new Date(at('2026-05-01T12:00').getTime() + index * 20 * 86_400_000), 100 + index * 20 + 0.25]],
      NOW,
    );
    await pass().catch(() => failed++);
  }
  over = true;
  await byHand;
  await pass();
  const wrong = await query(
    `SELECT FROM closed_user_hourly s FULL JOIN closed_user_hourly_expected e USING (user_id, hour) WHERE s.energy_milliwatt_hours IS DISTINCT FROM e.energy_milliwatt_hours`,
  );
  expect({ wrong: wrong.length, total: await sumImportedMilliwattHours(database, 'user_hourly', home.userId) }).toEqual(
    {
      wrong: 0,
      total: 199_000_000,
    },
  );
  expect(failed).toBeLessThan(10);
});

test('of several concurrent passes only one refreshes, and the others report that another is running', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2026-06-01T00:00'), 100],
      [at('2026-07-01T00:00'), 200],
    ],
    NOW,
  );
  // The lock makes the first pass last until the other two have tried to run.
  const inTheWay = await database.pool.connect();
  await inTheWay.query('BEGIN; LOCK TABLE rollup_progress');
  let busy = 0;
  const passes = [pass(), pass(), pass()];
  for (const one of passes) void one.then((report) => (busy += Number(report.busy)));
  await expect.poll(() => busy).toBe(2);
  await inTheWay.query('COMMIT');
  inTheWay.release();
  const reports = await Promise.all(passes);
  expect(reports.filter(({ busy }) => !busy)).toHaveLength(1);
});

test('a pass that is interrupted at any point leaves only work that the next one completes', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [...Array(60).keys()].map((index) => [
      new Date(at('2026-09-01T00:00').getTime() + index * 86_400_000),
      100 + index,
    ]),
    NOW,
  );
  for (let cut = 0; cut < 12; cut++) {
    await home.read([[new Date(at('2026-09-01T06:00').getTime() + cut * 4 * 86_400_000), 100 + cut * 4 + 0.25]], NOW);
    const passing = pass().catch(() => 'cut off');
    await new Promise((resolve) => setTimeout(resolve, cut * 8));
    await query(
      `SELECT pg_terminate_backend(l.pid, 30000) FROM pg_locks l WHERE locktype = 'advisory' AND objid = ${ADVISORY_LOCKS.refresh} AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await passing;
  }
  await database.settle(NOW);
  for (const level of ['closed_user_hourly']) {
    const wrong = await query(
      `SELECT FROM ${level} s FULL JOIN ${level}_expected e USING (user_id, hour) WHERE s.energy_milliwatt_hours IS DISTINCT FROM e.energy_milliwatt_hours`,
    );
    expect({ level, wrong: wrong.length }).toEqual({ level, wrong: 0 });
  }
  expect(await sumImportedMilliwattHours(database, 'user_daily', home.userId)).toBe(59_000_000);
});

test('a writer that began before the border moved delays the move, and is counted', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2026-11-01T00:00'), 100],
      [at('2026-11-02T00:00'), 110],
    ],
    NOW,
  );
  const hold = async (day: string) => {
    const writer = await database.pool.connect();
    await writer.query('BEGIN');
    await writer.query('SELECT FROM device_heads WHERE device_id = $1 FOR NO KEY UPDATE', [home.deviceId]);
    const { deviceId, userId } = home;
    const difference = {
      deviceId,
      userId,
      startsAtMs: Date.parse(day),
      energyMilliwattHours: 7,
      readingCount: 1,
      coveredMs: 1000,
    };
    for (const step of createDeltaStatements(convertToDeltaRows([difference]))) await step(writer);
    return async () => {
      await writer.query('COMMIT');
      writer.release();
    };
  };
  const first = await hold('2026-11-05T00:00Z');
  expect(await refreshRollups(database.pool, NOW, { waitMs: 50 })).toMatchObject({ complete: false });
  await first();
  // The open transaction may have read an earlier value of the time up to which data is materialised.
  const second = await hold('2026-11-05T00:00Z');
  expect(await refreshRollups(database.pool, NOW, { waitMs: 50 })).toMatchObject({ complete: false });
  await second();
  expect(await refreshRollups(database.pool, NOW)).toMatchObject({ complete: true });
  await pass();
  for (const level of LEVELS)
    expect({ level, total: await sumImportedMilliwattHours(database, level, home.userId) }).toEqual({
      level,
      total: 10_000_014,
    });
});

test('months of a long history are found by their hours, without reading all of it', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2025-11-01T00:00'), 100],
      [at('2026-11-01T00:00'), 200],
    ],
    NOW,
  );
  await pass();
  const plan = (
    await query(
      `EXPLAIN SELECT * FROM user_monthly WHERE user_id = 'usr_7' AND month >= '2026-01-01' AND month < '2026-12-01'`,
    )
  )
    .map((row) => row['QUERY PLAN'])
    .join('\n');
  expect(plan).toMatch(/hour >= '2026-01-01/);
});

test('answers in a zone that needs quarter-hours read compressed history', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [
      [at('2026-07-01T00:00'), 100],
      [at('2026-07-03T00:00'), 148],
    ],
    NOW,
  );
  await database.settle(NOW);
  await compressOldChunks(database.pool, NOW, NOW);
  expect(
    (await query(`SELECT FROM timescaledb_information.chunks WHERE hypertable_name = 'device_hours' AND is_compressed`))
      .length,
  ).toBeGreaterThan(0);
  const days = await readImportedEnergy(
    createDatabase(database.pool),
    { userId: home.userId },
    createDayRange('2026-07-01', '2026-07-03', 'Asia/Kolkata'),
    'day',
  );
  expect(days?.at.map((at, place) => [formatEpochDate(at), days.milliwattHours[place]])).toEqual([
    ['2026-07-01', 18_500_000],
    ['2026-07-02', 24_000_000],
    ['2026-07-03', 5_500_000],
  ]);
});
