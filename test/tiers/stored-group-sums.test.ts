import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createDeltaStatements } from '#ingest/write/deltas.ts';
import { createDatabase, type Database, type PoolClient } from '#src/database/connect.ts';
import { loadGroupHomes } from '#src/energy/group/homes.ts';
import { streamGroupInsights } from '#src/energy/group/insights.ts';
import { storeGroupSums } from '#src/energy/group/store-sums.ts';
import { loadStoredSums, type StoredGroupSums } from '#src/energy/group/stored-sums.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { deviceHistorySql, storeDeviceHistory } from '#src/energy/usage/device-history.ts';
import { changeGroupMembers, listGroupHomes } from '#src/groups/members.ts';
import { createGroup } from '#src/groups/store.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES, convertToDeltaRows } from '#test/support/load-profile.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';

/** Writers change data while sums of groups are stored. At each moment, API responses equal the sum over the group's homes. */
const DAY_MS = 86_400_000;
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS;

let database: TestDatabase;
let db: Database;
let home: TestMeter;
let groupId: string;
let passes = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: 'owner@example.com', role: 'admin' });
  home = await createTestMeter(database);
  ({ group_id: groupId } = await createGroup(db, { userId, name: 'x', kind: null, parent_group_id: null }));
  await changeGroupMembers(db, groupId, { add: [home.userId], remove: [] });
});
afterAll(() => database.drop());

const at = (daysAgo: number, minutes: number) => new Date(TODAY_MS - daysAgo * DAY_MS + minutes * 60_000);
const dateOf = (daysAgo: number) => at(daysAgo, 0).toISOString().slice(0, 10);

/** Open transactions of a test, closed after it. */
const connections: PoolClient[] = [];
const holdUntilEnd = (client: PoolClient) => connections.push(client);
afterEach(() => {
  for (const client of connections.splice(0)) client.release(true);
});

/** Runs the job that stores sums of groups, each time later than before, so that every group is due. */
const runPass = (waitMs = 5_000) =>
  storeGroupSums({
    pool: database.pool,
    db,
    now: new Date(Date.now() + ++passes * 600_000),
    continuousAggregates: database.capabilities.continuousAggregates,
    homesOf: listGroupHomes,
    leastHomes: 1,
    waitMs,
  });

/**
 * Compares responses that use stored sums with responses that compute all days and months. Returns the responses, and the days with stored
 * sums.
 */
async function streamedSums(): Promise<{ rows: Record<string, unknown>; kept: string[]; begun: string | null }> {
  const group = await loadGroupHomes(db, await listGroupHomes(db, groupId), new Set(['estimated']));
  const answer = async (groupBy: 'day' | 'month', start: string) => {
    const range = createDayRange(start, dateOf(0), 'UTC');
    const storedSums = await loadStoredSums(db, groupId, group, { range, groupBy });
    const rowsOf = async (kept: StoredGroupSums | null, on: Database = db) => {
      const rows = [];
      for await (const page of streamGroupInsights(on, group, range, groupBy, kept)) rows.push(...page);
      return rows;
    };
    const rows = await rowsOf(storedSums);
    expect(rows).toEqual(await rowsOf(null));
    expect(await db.transaction().execute((trx) => rowsOf(storedSums, trx))).toEqual(rows);
    return { rows, kept: storedSums };
  };
  const { rows, kept } = await answer('day', dateOf(40));
  const months = await answer('month', `${dateOf(40).slice(0, 8)}01`);
  return {
    rows: Object.fromEntries(rows.map(({ date, kwh_used }) => [date, kwh_used])),
    kept: [...kept.sums.keys()],
    begun: months.kept.monthToDate?.end ?? null,
  };
}

test('an open hour is written again and then closes: its day contains its final energy', async () => {
  await home.read([
    [at(9, 0), 100],
    [at(9, 600), 105],
    [at(5, 600), 120],
    [at(5, 610), 121],
  ]);
  await database.settle();
  expect(await runPass()).toBeGreaterThan(4);
  const first = await streamedSums();
  expect(first.kept).toEqual(expect.arrayContaining([dateOf(9), dateOf(5)]));

  // The new reading lies in the same hour as the last one, so the hour stays open (incomplete).
  await home.read([[at(5, 625), 124]]);
  const open = await streamedSums();
  expect(Number(open.rows[dateOf(5)])).toBeCloseTo(Number(first.rows[dateOf(5)]) + 3, 6);
  expect(open.kept).not.toContain(dateOf(5));
  await runPass();
  expect((await streamedSums()).kept).not.toContain(dateOf(5));

  // A closed hour changes. Then the open hour is removed and restored, which the database does not record as a change.
  const { rows } = await database.pool.query('SELECT open FROM device_heads WHERE device_id = $1', [home.deviceId]);
  const { deviceId, userId } = home;
  await addToLoadProfile(database, [
    { deviceId, userId, startsAtMs: at(5, 60).getTime(), energyMilliwattHours: 9, ...COMPLETE_QUARTER_HOUR_MEASURES },
  ]);
  await database.settle();
  await runPass();
  const putOpen = (text: string | null) =>
    database.pool.query('UPDATE device_heads SET open = $1 WHERE device_id = $2', [text, deviceId]);
  await putOpen(null);
  await streamedSums();
  await putOpen(rows[0].open);
  await streamedSums();

  await home.read([[at(0, 0), 200]]);
  await streamedSums();
  await database.settle();
  await streamedSums();
  await runPass();
  const last = await streamedSums();
  expect(last.kept).toEqual(expect.arrayContaining([dateOf(9), dateOf(5), dateOf(4)]));
  expect(last.kept).not.toContain(dateOf(1));
});

test('a group’s sum includes a reading that is late by weeks once it is committed', async () => {
  await home.read([[at(30, 0), 10]]);
  await streamedSums();
  await database.settle();
  expect((await streamedSums()).rows[dateOf(20)]).toBeGreaterThan(0);
  await runPass();
  expect((await streamedSums()).kept).toContain(dateOf(20));
});

test('a group’s sum includes a late reading that commits after a pass that did not see it', async () => {
  const { rows: before } = await streamedSums();
  const client = await database.pool.connect();
  holdUntilEnd(client);
  await client.query('BEGIN');
  const late = { deviceId: home.deviceId, userId: home.userId, startsAtMs: at(9, 60).getTime() };
  for (const step of createDeltaStatements(
    convertToDeltaRows([{ ...late, energyMilliwattHours: 4_000_000, ...COMPLETE_QUARTER_HOUR_MEASURES }]),
  ))
    await step(client);
  await runPass();
  expect((await streamedSums()).kept).toContain(dateOf(9));
  await client.query('COMMIT');
  await database.settle();
  const later = await streamedSums();
  expect(Number(later.rows[dateOf(9)])).toBeCloseTo(Number(before[dateOf(9)]) + 4, 6);
});

test('a pass waits for a writer that began before changes were recorded', async () => {
  // With too few homes, the group has no stored sums, and changes of its homes are not recorded.
  await changeGroupMembers(db, groupId, { add: [], remove: [home.userId] });
  await runPass();
  const { rows } = await database.pool.query('SELECT kept_before = $1 AS rests FROM group_sums_progress', [
    '-infinity',
  ]);
  expect(rows).toEqual([{ rests: true }]);
  await changeGroupMembers(db, groupId, { add: [home.userId], remove: [] });

  const client = await database.pool.connect();
  holdUntilEnd(client);
  await client.query('BEGIN');
  const late = { deviceId: home.deviceId, userId: home.userId, startsAtMs: at(8, 60).getTime() };
  for (const step of createDeltaStatements(
    convertToDeltaRows([{ ...late, energyMilliwattHours: 6_000_000, ...COMPLETE_QUARTER_HOUR_MEASURES }]),
  ))
    await step(client);
  expect(await runPass(200)).toBe(0);
  await client.query('COMMIT');
  await database.settle();
  expect(await runPass()).toBeGreaterThan(20);
  expect((await streamedSums()).kept).toContain(dateOf(8));
});

test('group sums include repaired aggregates at once', async () => {
  const { capabilities, pool } = database;
  const wrong = capabilities.continuousAggregates
    ? `SELECT format('%I.%I', materialization_hypertable_schema, materialization_hypertable_name) AS name
       FROM timescaledb_information.continuous_aggregates WHERE view_name = 'closed_user_hourly'`
    : `SELECT 'closed_user_hourly' AS name`;
  const { rows } = await pool.query(wrong);
  await pool.query(
    `UPDATE ${rows[0].name} SET energy_milliwatt_hours = energy_milliwatt_hours + 1000 WHERE user_id = $1`,
    [home.userId],
  );
  await pool.query('DELETE FROM kept_group_sums');
  await pool.query('UPDATE kept_groups SET looked_at = NULL');
  await runPass();
  const before = await streamedSums();
  const since = new Date(Date.UTC(at(60, 0).getUTCFullYear(), at(60, 0).getUTCMonth(), 1));
  const { rebuilt } = await checkAllRollups(pool, { capabilities, since, mode: 'repair' });
  expect(rebuilt).toBe(1);
  const later = await streamedSums();
  expect(later.rows).not.toEqual(before.rows);
});

test('the first times of devices and the direction of their energy are computed from stored sums and later changes', async () => {
  const { pool } = database;
  await pool.query(`UPDATE group_sums_progress SET noted_before = $1, kept_before = $1`, [at(1, 0)]);
  const devices: string[] = [];
  for (let number = 0; number < 4; number++) {
    const one = await createTestMeter(database);
    devices.push(one.deviceId);
    const flow = (daysAgo: number, exportMilliwattHours: number, energyMilliwattHours = 0) => ({
      deviceId: one.deviceId,
      userId: one.userId,
      startsAtMs: at(daysAgo, 0).getTime(),
      exportMilliwattHours,
      energyMilliwattHours,
      ...COMPLETE_QUARTER_HOUR_MEASURES,
    });
    await addToLoadProfile(database, [flow(40, 500), flow(20, 500)]);
    await database.settle();
    await storeDeviceHistory(db, [{ key: one.deviceId, userId: one.userId, produces: true }], at(1, 0));
    // Changes after the history is stored: none (device 0), imported energy (device 1), earlier imported energy (device 2), and energy
    // before the stored history (device 3).
    if (number === 1) await addToLoadProfile(database, [flow(0, 0, 2_000)]);
    if (number === 2) await addToLoadProfile(database, [flow(20, 0, 3_000)]);
    if (number === 3) await addToLoadProfile(database, [flow(50, 1)]);
  }
  await database.settle();
  const { rows } = await pool.query('SELECT count(*)::int AS kept FROM kept_device_pasts WHERE device_id = ANY ($1)', [
    devices,
  ]);
  expect(rows).toEqual([{ kept: 4 }]);
  const facts = deviceHistorySql('(SELECT key, true AS produces FROM unnest($1::text[]) key) d');
  const pasts = await pool.query(facts, [devices]);
  const past = (daysAgo: number, netExportMilliwattHours: number) => ({
    begins_at: at(daysAgo, 0),
    net_export: netExportMilliwattHours,
  });
  expect(devices.map((id) => pasts.rows.find(({ key }) => key === id))).toMatchObject([
    past(40, 1_000),
    past(40, -1_000),
    past(40, -2_000),
    past(50, 1_001),
  ]);
});
