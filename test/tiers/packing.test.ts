import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createDatabase } from '#src/database/connect.ts';
import { migrate } from '#src/database/migrate.ts';
import { createDevice } from '#src/devices/store.ts';
import { loadImportedEnergyInsights } from '#src/energy/insights.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import {
  findRollupLevel,
  listRollupColumns,
  MEASURE_NAMES,
  type Measure,
  type MeasureSums,
} from '#src/rollups/levels.ts';
import { packHoursIntoDays, unpackDaysIntoHours } from '#src/rollups/pack.ts';
import { eraseUser } from '#src/users/erase.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import {
  addToLoadProfile,
  COMPLETE_QUARTER_HOUR_MEASURES,
  type LoadProfileChange,
} from '#test/support/load-profile.ts';
import { createTestMeter } from '#test/support/meters.ts';
import { HOURS_MIGRATION, revertHoursMigration } from '#test/support/without-heads.ts';

const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 96 * QUARTER_HOUR_MS;
const FIRST_MS = Date.UTC(2026, 10, 1);
const NOW = new Date('2026-11-20T12:10:00Z');
/** Days before this time are packed: one row contains all values of a device's day. */
const BEFORE_MS = Date.UTC(2026, 10, 17);
const DEVICES = 6;
const ROUNDS = 10;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Returns a random generator that gives the same numbers for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
}

/** The expected quarter-hours of each device, as sums of all differences. */
type Truth = Map<string, Map<number, Partial<Record<Measure, number>>>>;

function add(truth: Truth, { deviceId, userId: _, startsAtMs, ...sums }: LoadProfileChange): void {
  const quarters = truth.get(deviceId) ?? new Map();
  const known = quarters.get(startsAtMs) ?? {};
  for (const name of MEASURE_NAMES) known[name] = (known[name] ?? 0) + (sums[name] ?? 0);
  truth.set(deviceId, quarters.set(startsAtMs, known));
}

/** Returns random differences: new quarter-hours, whole days of equal values, corrections, and removals of values. */
function differences(
  draw: (below: number) => number,
  truth: Truth,
  owners: ReadonlyMap<string, string>,
): LoadProfileChange[] {
  const deviceIds = [...owners.keys()];
  const found: LoadProfileChange[] = [];
  const push = (deviceId: string, startsAtMs: number, sums: Partial<MeasureSums>) => {
    const difference = { deviceId, userId: owners.get(deviceId) as string, startsAtMs, ...sums };
    found.push(difference as LoadProfileChange);
    add(truth, difference as LoadProfileChange);
  };
  for (let index = 0; index < 40; index++) {
    const place = draw(DEVICES);
    const deviceId = deviceIds[place] as string;
    const dayMs = FIRST_MS + draw(19) * DAY_MS;
    const known = [...(truth.get(deviceId) ?? [])].filter(
      ([ms, sums]) => ms >= dayMs && ms < dayMs + DAY_MS && sums.coveredMs,
    );
    const kind = draw(6);
    if (kind === 0)
      for (let quarter = 0; quarter < 96; quarter++)
        push(deviceId, dayMs + quarter * QUARTER_HOUR_MS, {
          energyMilliwattHours: 7 as never,
          ...COMPLETE_QUARTER_HOUR_MEASURES,
        });
    else if (kind === 1)
      // Removes the values of all quarter-hours of a day, or of the first three.
      for (const [ms, sums] of draw(2) ? known : known.slice(0, 3))
        push(deviceId, ms, Object.fromEntries(MEASURE_NAMES.map((name) => [name, -(sums[name] ?? 0)])));
    else if (kind === 2 && known[0]) push(deviceId, known[0][0], { energyMilliwattHours: (1 + draw(9)) as never });
    else {
      // The energy of a power station exceeds the maximum of a packed day.
      const energyMilliwattHours = (place === 0 ? 3_000_000_000 : 1) * (1 + draw(1000));
      const exported = draw(3) ? {} : { exportMilliwattHours: draw(99) as never, exportCoveredMs: 900_000 };
      push(deviceId, dayMs + draw(96) * QUARTER_HOUR_MS, {
        energyMilliwattHours: energyMilliwattHours as never,
        ...COMPLETE_QUARTER_HOUR_MEASURES,
        ...exported,
      });
    }
  }
  return found;
}

const COLUMNS = listRollupColumns(findRollupLevel('device_intervals')).slice(3);

const stored = async () =>
  (
    await database.pool.query(
      `SELECT device_id, starts_at, ${COLUMNS.join(', ')} FROM device_intervals ORDER BY device_id COLLATE "C", starts_at`,
    )
  ).rows.map((row) => [row.device_id, row.starts_at.getTime(), ...COLUMNS.map((column) => Number(row[column]))]);

const expected = (truth: Truth) =>
  [...truth]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([deviceId, quarters]) =>
      [...quarters]
        .filter(([, sums]) => sums.coveredMs || sums.exportCoveredMs)
        .sort(([a], [b]) => a - b)
        .map(([ms, sums]) => [deviceId, ms, ...MEASURE_NAMES.map((name) => sums[name] ?? 0)]),
    );

const count = async (relation: string, where = 'true') =>
  (await database.pool.query(`SELECT count(*)::int AS count FROM ${relation} WHERE ${where}`)).rows[0].count;

/** Ends the database session of the packing job, and waits until the server has released the job's lock. */
const kill = () =>
  database.pool.query(
    `SELECT pg_terminate_backend(pid, 30000) FROM pg_locks WHERE locktype = 'advisory' AND objid = ${ADVISORY_LOCKS.packing}
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );

test('packing at any time, twice, during writes or killed midway does not change the load profile', async () => {
  const db = createDatabase(database.pool);
  const owners = new Map<string, string>();
  for (let index = 0; index < DEVICES; index++) {
    const { user_id: userId } = await createUser(db, { email: `home${index}@example.com`, role: 'homeowner' });
    const { device } = await createDevice(db, { userId, type: 'smart_meter', location: 'test' });
    owners.set(device.device_id, userId);
  }
  const draw = createRandom(11);
  const truth: Truth = new Map();
  const pack = (devices = 500) => packHoursIntoDays(database.pool, NOW, { devices, rest: 0 });
  for (let round = 0; round < ROUNDS; round++) {
    const found = differences(draw, truth, owners);
    const half = Math.floor(found.length / 2);
    await addToLoadProfile(database, found.slice(0, half));
    const packing = pack(1 + draw(3)).catch(() => 'killed');
    await addToLoadProfile(database, found.slice(half));
    if (draw(2)) await kill();
    await packing;
    expect(await stored()).toEqual(expected(truth));
    await pack();
    expect({ round, rows: await stored() }).toEqual({ round, rows: expected(truth) });
  }
  expect(await pack()).toBeGreaterThan(0);
  const [powerStation] = owners.keys();
  // The power station's days cannot be packed. All other days are packed.
  const before = `starts_at < '${new Date(BEFORE_MS).toISOString()}'`;
  expect(await count('device_hours', `${before} AND device_id <> '${powerStation}'`)).toBe(0);
  expect(await count('device_hours', `${before} AND device_id = '${powerStation}'`)).toBeGreaterThan(0);
  expect(await count('device_days')).toBeGreaterThan(40);
  expect(await count('device_days', 'cardinality(reading_count) = 1')).toBeGreaterThan(2);
  // On tiers with continuous aggregates, the service never packs days.
  const { capabilities, pool } = database;
  if (!capabilities.continuousAggregates)
    expect((await checkAllRollups(pool, { capabilities, since: new Date(0), mode: 'check' })).differences).toEqual([]);

  await unpackDaysIntoHours(pool);
  expect(await count('device_days')).toBe(0);
  expect(await stored()).toEqual(expected(truth));
  expect((await checkAllRollups(pool, { capabilities, since: new Date(0), mode: 'check' })).differences).toEqual([]);
});

test('hours that are written continuously while they are packed count once', async () => {
  const { user_id: userId } = await createUser(createDatabase(database.pool), {
    email: 'busy@example.com',
    role: 'homeowner',
  });
  const made = await createDevice(createDatabase(database.pool), { userId, type: 'smart_meter', location: 'test' });
  const deviceId = made.device.device_id;
  const day = [...Array(24).keys()].map((hour) => ({
    deviceId,
    userId,
    startsAtMs: FIRST_MS + hour * 4 * QUARTER_HOUR_MS,
    energyMilliwattHours: 1 as never,
    ...COMPLETE_QUARTER_HOUR_MEASURES,
  }));
  let isOver = false;
  const write = async (written = 0): Promise<number> => {
    if (isOver) return written;
    await addToLoadProfile(database, day);
    return write(written + 1);
  };
  const writing = [write(), write()];
  for (let pass = 0; pass < 30; pass++) await packHoursIntoDays(database.pool, NOW, { rest: 0 });
  isOver = true;
  const [one = 0, other = 0] = await Promise.all(writing);
  expect(Math.min(one, other)).toBeGreaterThan(10);
  const { rows } = await database.pool.query(
    'SELECT sum(energy_milliwatt_hours)::int AS total FROM closed_device_intervals WHERE device_id = $1',
    [deviceId],
  );
  expect(rows[0].total).toBe(24 * (one + other));
  await packHoursIntoDays(database.pool, NOW);
  await unpackDaysIntoHours(database.pool);
});

test('queries during packing return each quarter-hour once', async () => {
  const home = await createTestMeter(database);
  await home.read(
    [...Array(12).keys()].map((day) => [new Date(FIRST_MS + day * DAY_MS), 100 + day * 24]),
    NOW,
  );
  const total = async () =>
    Number(
      (
        await database.pool.query(
          'SELECT sum(energy_milliwatt_hours)::bigint AS total FROM closed_device_intervals WHERE device_id = $1',
          [home.deviceId],
        )
      ).rows[0].total,
    );
  const before = await total();
  let isPacked = false;
  const packing = packHoursIntoDays(database.pool, NOW, { devices: 1 }).then(() => {
    isPacked = true;
  });
  const seen = new Set<number>();
  while (!isPacked) seen.add(await total());
  await packing;
  seen.add(await total());
  expect([...seen]).toEqual([before]);
  expect(await count('device_days', `device_id = '${home.deviceId}'`)).toBeGreaterThan(9);
  await unpackDaysIntoHours(database.pool);
});

test('a pass pauses between its chunks, reports its progress, stops when asked, and the next one continues from there', async () => {
  const { pool } = database;
  const home = await createTestMeter(database);
  await addHours(home, '2026-10-01', 12);
  const days = () => count('device_days', `device_id = '${home.deviceId}'`);
  const stopping = new AbortController();
  const reportedProgress: number[][] = [];
  const onProgress = (...progress: number[]) => reportedProgress.push(progress);
  const resting = packHoursIntoDays(pool, NOW, { rest: 1e6, signal: stopping.signal, onProgress });
  await expect.poll(days).toBe(1);
  stopping.abort();
  expect(await resting).toBe(0);
  expect(reportedProgress).toEqual([[0, expect.any(Number)]]);
  const packed = (await packHoursIntoDays(pool, NOW, { onProgress })) as number;
  expect(reportedProgress.slice(1)).toEqual([...Array(packed + 1).keys()].map((done) => [done, packed]));
  expect(await days()).toBe(12);
  await unpackDaysIntoHours(pool);
});

test('index space of packed months is released once vacuum has emptied them, and a packed month accepts hours again', async () => {
  const { pool } = database;
  const home = await createTestMeter(database);
  const month = await addHours(home, '2025-03-01', 31);
  /** Counts the partitions that contain no rows, but still have large indexes. */
  const idle = async () =>
    (
      await pool.query(
        `SELECT count(*)::int AS pieces FROM pg_inherits
         WHERE inhparent = 'device_hours'::regclass AND pg_relation_size(inhrelid) = 0 AND pg_indexes_size(inhrelid) > 65536`,
      )
    ).rows[0].pieces;
  await packHoursIntoDays(pool, NOW);
  await pool.query('VACUUM device_hours');
  expect(await idle()).toBeGreaterThan(0);
  // The job neither waits for a transaction that reads the table nor blocks it.
  const reader = await pool.connect();
  await reader.query('BEGIN');
  await reader.query('SELECT count(*) FROM device_hours');
  await packHoursIntoDays(pool, NOW);
  expect(await idle()).toBeGreaterThan(0);
  await reader.query('COMMIT');
  reader.release();
  await packHoursIntoDays(pool, NOW);
  expect(await idle()).toBe(0);
  await addToLoadProfile(database, month.slice(0, 5));
  expect(await count('device_hours', `device_id = '${home.deviceId}'`)).toBeGreaterThan(0);
  await packHoursIntoDays(pool, NOW);
  const { rows } = await pool.query(
    'SELECT sum(energy_milliwatt_hours)::int AS total FROM device_intervals WHERE device_id = $1',
    [home.deviceId],
  );
  expect(rows).toEqual([{ total: month.length + 5 }]);
  await unpackDaysIntoHours(pool);
});

/** Adds 1 mWh to each quarter-hour of these days. Returns the added differences. */
async function addHours({ deviceId, userId }: { deviceId: string; userId: string }, from: string, days: number) {
  const found: LoadProfileChange[] = [...Array(days * 96).keys()].map((quarter) => ({
    deviceId,
    userId,
    startsAtMs: Date.parse(from) + quarter * QUARTER_HOUR_MS,
    energyMilliwattHours: 1 as never,
    ...COMPLETE_QUARTER_HOUR_MEASURES,
  }));
  await addToLoadProfile(database, found);
  return found;
}

test('a device that changed hands during a day keeps both owners’ hours of that day, and other days are packed', async () => {
  const [one, other] = [await createTestMeter(database), await createTestMeter(database)];
  const at = (day: number, hour: number, userId: string): LoadProfileChange => ({
    deviceId: one.deviceId,
    userId,
    startsAtMs: FIRST_MS + day * DAY_MS + hour * 4 * QUARTER_HOUR_MS,
    energyMilliwattHours: 5 as never,
    ...COMPLETE_QUARTER_HOUR_MEASURES,
  });
  const known = async () =>
    (
      await database.pool.query(
        'SELECT user_id, starts_at, energy_milliwatt_hours FROM device_intervals WHERE device_id = $1 ORDER BY starts_at',
        [one.deviceId],
      )
    ).rows;
  const owners = async () =>
    (await database.pool.query('SELECT day, user_id FROM device_days WHERE device_id = $1 ORDER BY 1', [one.deviceId]))
      .rows;
  await addToLoadProfile(database, [
    at(1, 3, one.userId),
    at(2, 3, one.userId),
    at(2, 12, other.userId),
    at(3, 3, other.userId),
  ]);
  const before = await known();
  await packHoursIntoDays(database.pool, NOW);
  expect(await known()).toEqual(before);
  expect(await owners()).toEqual([
    { day: new Date(FIRST_MS + DAY_MS), user_id: one.userId },
    { day: new Date(FIRST_MS + 3 * DAY_MS), user_id: other.userId },
  ]);
  // The device's second owner gets a late value for a day that is packed for the first owner.
  await addToLoadProfile(database, [at(1, 12, other.userId)]);
  const later = await known();
  await packHoursIntoDays(database.pool, NOW);
  expect(await known()).toEqual(later);
  expect(later).toHaveLength(5);
  await unpackDaysIntoHours(database.pool);
});

test('a home that is erased during packing leaves neither packed nor unpacked hours', async () => {
  const { pool } = database;
  const homes = await Promise.all([...Array(6).keys()].map(() => createTestMeter(database)));
  for (const home of homes) {
    await home.read(
      [...Array(12).keys()].map((day) => [new Date(FIRST_MS + day * DAY_MS), 100 + day * 24]),
      NOW,
    );
  }
  const packing = packHoursIntoDays(pool, NOW, { devices: 2 });
  for (const { userId } of homes) expect(await eraseUser(createDatabase(pool), userId)).toBe(true);
  await packing;
  for (const relation of ['device_hours', 'device_days'])
    expect(await count(relation, `user_id = ANY ('{${homes.map(({ userId }) => userId)}}')`)).toBe(0);
  await unpackDaysIntoHours(pool);
});

test('an installation with a row per quarter-hour answers the same after the update and after packing, and accepts late readings', async () => {
  const { pool, capabilities } = database;
  const home = await createTestMeter(database);
  const hours = [...Array(30 * 24).keys()];
  const at = (hour: number) => new Date(NOW.getTime() - (hours.length - hour) * 3_600_000);
  await home.read(
    hours.map((hour) => [at(hour), 100 + hour * 0.25]),
    NOW,
  );
  await database.settle(NOW);
  const db = createDatabase(pool);
  const answers = async () => {
    const found: unknown[] = [];
    for (const zone of ['UTC', 'Asia/Kolkata']) {
      const range = createDayRange('2026-10-22', '2026-11-19', zone);
      for (const whose of [{ userId: home.userId }, { deviceId: home.deviceId }])
        for (const group of ['hour', 'day', 'month'] as const)
          found.push(await loadImportedEnergyInsights(db, whose, range, group));
    }
    for (const relation of ['device_intervals', 'device_hourly', 'user_daily', 'user_monthly']) {
      const { keys } = findRollupLevel(relation);
      found.push(
        (await pool.query(`SELECT * FROM ${relation} WHERE user_id = $1 ORDER BY ${keys.join(', ')}`, [home.userId]))
          .rows,
      );
    }
    return found;
  };
  const before = await answers();
  await revertHoursMigration(database);
  expect(await count('closed_device_intervals', `device_id = '${home.deviceId}'`)).toBeGreaterThan(2_000);

  expect((await migrate(pool)).applied).toContain(HOURS_MIGRATION);

  expect(await answers()).toEqual(before);
  // A late reading changes an hour that was stored before the migration, and hours next to it.
  const late = (hour: number, kwh: number) => home.read([[new Date(at(hour).getTime() + 600_000), kwh]], NOW);
  await late(100, 100 + 100 * 0.25 + 0.2);
  await database.settle(NOW);
  const after = await answers();
  expect(after).not.toEqual(before);
  if (!capabilities.compression) {
    await packHoursIntoDays(pool, NOW);
    expect(await count('device_days', `device_id = '${home.deviceId}'`)).toBeGreaterThan(24);
    expect(
      await count(
        'device_hours',
        `starts_at < '${new Date(BEFORE_MS).toISOString()}' AND device_id = '${home.deviceId}'`,
      ),
    ).toBe(0);
  }
  expect(await answers()).toEqual(after);
  await late(110, 100 + 110 * 0.25 + 0.2);
  await database.settle(NOW);
  const later = await answers();
  expect(later).not.toEqual(after);
  if (!capabilities.compression) await packHoursIntoDays(pool, NOW);
  expect(await answers()).toEqual(later);
  expect((await checkAllRollups(pool, { capabilities, since: new Date(0), mode: 'check' })).differences).toEqual([]);
});
