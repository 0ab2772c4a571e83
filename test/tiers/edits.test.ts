import { afterAll, beforeAll, expect, test } from 'vitest';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createDatabase } from '#src/database/connect.ts';
import { compressOldChunks } from '#src/database/migrate.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createEdit, revokeEdit } from '#src/devices/edits/store.ts';
import { findDevice, updateDevice } from '#src/devices/store.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { packHoursIntoDays } from '#src/rollups/pack.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter } from '#test/support/meters.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-20T12:00:00Z');
const at = (daysAgo: number) => new Date(NOW.getTime() - daysAgo * DAY_MS);
const EDITING = { author: 'usr_1', now: NOW, oldest: at(390) };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('edits of a compressed or packed past are computed, and revoked to the last row', async () => {
  const { pool, capabilities } = database;
  const db = createDatabase(pool);
  const home = await createTestMeter(database);
  const { deviceId } = home;
  await home.read(
    [...Array(60 * 24).keys()].map((hour) => [at(60 - hour / 24), 100 + hour + (hour === 500 ? 0.5 : 0)]),
    NOW,
  );
  await database.settle(NOW);
  if (capabilities.compression) expect((await compressOldChunks(pool, NOW)).compressed.length).toBeGreaterThan(0);
  else await packHoursIntoDays(pool, NOW);
  const stored = async () => {
    await database.settle(NOW);
    const asked = [
      'SELECT r.* FROM readings r JOIN series USING (series_id) WHERE device_id = $1 ORDER BY 1, 2, 3',
      'SELECT n.* FROM reading_notes n JOIN series USING (series_id) WHERE device_id = $1 ORDER BY 1, 2, 3',
      'SELECT starts_at, energy_milliwatt_hours AS energy, estimated_milliwatt_hours AS estimated FROM device_intervals WHERE device_id = $1 ORDER BY 1',
      'SELECT day, energy_milliwatt_hours FROM user_daily WHERE user_id = (SELECT user_id FROM devices WHERE device_id = $1) ORDER BY 1',
    ];
    const [readings, notes, quarters, days] = await Promise.all(
      asked.map(async (text) => (await pool.query(text, [deviceId])).rows),
    );
    return { readings, notes, quarters, days };
  };
  const compute = () => recomputeChangedDevices(pool, createReadingBatchWriter(pool, { now: () => NOW.getTime() }));
  const before = await stored();
  const wanted = { nativeName: 'import energy_total_kwh', reason: 'x' };
  const falsely = { ...wanted, from: at(60 - 500 / 24), to: at(60 - 501 / 24), value: null };
  const byHand = { ...wanted, from: at(20.01), to: new Date(at(20.01).getTime() + 1), value: 1_059_900_000 };
  const made = [];
  for (const edit of [falsely, byHand]) made.push(await createEdit(db, ALL_ACCOUNTS, deviceId, edit, EDITING));
  expect(await compute()).toBe(1);
  const after = await stored();
  expect(after.notes).toMatchObject([{ verdict: 'excluded' }]);
  expect(after.readings).toHaveLength(60 * 24 + 1);
  // The 2 kWh over the two hours without a valid reading are estimated, half for each hour.
  expect(after.quarters?.reduce((sum, { estimated }) => sum + estimated, 0)).toBe(2_000_000);
  expect(after.quarters).not.toEqual(before.quarters);
  const check = () => checkAllRollups(pool, { capabilities, since: at(90), mode: 'check' });
  expect((await check()).differences).toEqual([]);
  for (const edit of made) await revokeEdit(db, ALL_ACCOUNTS, deviceId, edit?.edit_id ?? '', EDITING);
  expect(await compute()).toBe(1);
  expect(await stored()).toEqual(before);
  expect((await check()).differences).toEqual([]);
});

test('a long edit is computed in chunks: new readings count, and another worker continues', async () => {
  const { pool } = database;
  const db = createDatabase(pool);
  const home = await createTestMeter(database);
  const { deviceId } = home;
  const hour = (index: number) => new Date(NOW.getTime() - (400 - index) * 3_600_000);
  // Between hour 100 and hour 300, the register value is 50 kWh too high.
  const all = [...Array(400).keys()].map(
    (index) => [hour(index), 100 + index + (index >= 100 && index < 300 ? 50 : 0)] as const,
  );
  await home.read(
    all.filter((_, index) => index !== 150 && index !== 250),
    NOW,
  );
  const profile = async () => {
    await database.settle(NOW);
    const { rows } = await pool.query(
      'SELECT starts_at, energy_milliwatt_hours AS energy, estimated_milliwatt_hours AS estimated FROM device_intervals WHERE device_id = $1 ORDER BY 1',
      [deviceId],
    );
    return rows;
  };
  const before = await profile();
  const wanted = {
    nativeName: 'import energy_total_kwh',
    from: hour(100),
    to: hour(300),
    value: null,
    reason: 'x',
  };
  const made = await createEdit(db, ALL_ACCOUNTS, deviceId, wanted, EDITING);
  const piece = () =>
    recomputeChangedDevices(pool, createReadingBatchWriter(pool, { now: () => NOW.getTime(), pieceReadings: 30 }));
  const counted = async () => {
    const { rows } = await pool.query(
      'SELECT is_counted, counted_from, counted_to FROM reading_edits WHERE edit_id = $1',
      [made?.edit_id],
    );
    return rows[0];
  };
  expect(await piece()).toBe(1);
  expect(await counted()).toEqual({ is_counted: true, counted_from: hour(100), counted_to: hour(130) });
  await piece();
  // Sends a late reading in the part of the edited time that is already recomputed, and one in the remaining part.
  await home.read(
    [150, 250].map((index) => all[index] as (typeof all)[number]),
    NOW,
  );
  let pieces = 2;
  while ((await piece()) > 0) pieces++;
  expect(pieces).toBe(7);
  expect(await counted()).toEqual({ is_counted: true, counted_from: null, counted_to: null });
  const total = (rows: Awaited<ReturnType<typeof profile>>) => rows.reduce((sum, { energy }) => sum + energy, 0);
  expect(total(await profile())).toBe(399e6);
  expect((await profile()).filter(({ estimated }) => estimated > 0).length).toBe(201 * 4);
  // After the first chunk of the revocation, the edit still applies to the remaining time.
  await revokeEdit(db, ALL_ACCOUNTS, deviceId, made?.edit_id ?? '', EDITING);
  await piece();
  expect(await counted()).toEqual({ is_counted: true, counted_from: hour(130), counted_to: hour(300) });
  while ((await piece()) > 0);
  expect(await counted()).toEqual({ is_counted: false, counted_from: null, counted_to: null });
  const after = await profile();
  // The two late readings have filled all gaps, so nothing is estimated.
  expect(after).toEqual(before.map((row) => ({ ...row, estimated: 0 })));
  // If an edit is revoked while it is being computed, only the computed chunks are undone.
  const again = await createEdit(db, ALL_ACCOUNTS, deviceId, wanted, EDITING);
  await piece();
  await revokeEdit(db, ALL_ACCOUNTS, deviceId, again?.edit_id ?? '', EDITING);
  while ((await piece()) > 0);
  expect(await profile()).toEqual(after);
});

/** Changes a device's maximum power, as its owner does. */
const limitTo = (deviceId: string, limitKw: number) =>
  updateDevice(createDatabase(database.pool), ALL_ACCOUNTS, deviceId, { limit_kw: limitKw });

const hours = (count: number) => (index: number) => new Date(NOW.getTime() - (count - index) * 3_600_000);

/** Returns the stored rows of a device, without times of writing. */
async function rowsOf(deviceId: string) {
  await database.settle(NOW);
  const asked = [
    'SELECT starts_at, energy_milliwatt_hours AS energy, estimated_milliwatt_hours AS estimated, reading_count, covered_ms FROM device_intervals WHERE device_id = $1 ORDER BY 1',
    'SELECT n.read_at, n.verdict FROM reading_notes n JOIN series USING (series_id) WHERE device_id = $1 ORDER BY 1',
    "SELECT laws::jsonb #> '{0,2}' AS state FROM device_heads WHERE device_id = $1",
  ];
  return Promise.all(asked.map(async (text) => (await database.pool.query(text, [deviceId])).rows));
}

test('a changed setting is computed in chunks by any worker, and changed again meanwhile: the result is that of one transaction', async () => {
  const { pool, capabilities } = database;
  const hour = hours(400);
  // Every 50 h the register rises by 30 kWh within an hour. With a limit of 10 kW, this counts as a replacement of the meter.
  const all = [...Array(400).keys()].map((index) => [hour(index), 100 + index + 30 * Math.floor(index / 50)] as const);
  const late = [120, 320];
  const total = ([quarters = []]: Awaited<ReturnType<typeof rowsOf>>) =>
    quarters.reduce((sum, { energy }) => sum + energy, 0) / 1e6;
  const changed = async (pieceReadings?: number) => {
    const { deviceId, read } = await createTestMeter(database, pieceReadings ? { pieceReadings } : {});
    // A new worker computes each chunk, as if the previous one had been killed.
    const piece = () =>
      recomputeChangedDevices(
        pool,
        createReadingBatchWriter(pool, { now: () => NOW.getTime(), ...(pieceReadings && { pieceReadings }) }),
      );
    const finish = async () => {
      let pieces = 0;
      while ((await piece()) > 0) pieces++;
      return pieces;
    };
    await read(
      all.filter((_, index) => !late.includes(index)),
      NOW,
    );
    await limitTo(deviceId, 10);
    await piece();
    const between = await rowsOf(deviceId);
    await read(
      late.map((index) => all[index] as (typeof all)[number]),
      NOW,
    );
    const pieces = await finish();
    const lowered = await rowsOf(deviceId);
    await limitTo(deviceId, 20);
    await piece();
    await limitTo(deviceId, 40);
    await piece();
    const { rows } = await pool.query('SELECT computed_with FROM devices WHERE device_id = $1', [deviceId]);
    const report = await checkAllRollups(pool, { capabilities, since: at(90), mode: 'check' });
    expect(report.differences).toEqual([]);
    await finish();
    return { between, pieces, lowered, raised: await rowsOf(deviceId), computedWith: rows[0].computed_with };
  };
  const [whole, inPieces] = [await changed(), await changed(90)];
  expect([whole.pieces, inPieces.pieces]).toEqual([0, 4]);
  expect(inPieces.lowered).toEqual(whole.lowered);
  expect(inPieces.raised).toEqual(whole.raised);
  expect([total(whole.lowered), total(whole.raised)]).toEqual([399 - 7, 399 + 7 * 30]);
  // Only one of the seven jumps lies in the time that is computed with the lower limit, and counts as a replacement of the meter.
  expect(total(inPieces.between)).toBe(399 - 1 + 6 * 30);
  const settings = (limitKw: number) => ({ limit_kw: limitKw, register_max_kwh: null, max_gap_minutes: 15 });
  expect(whole.computedWith).toBeNull();
  expect(inPieces.computedWith).toEqual({
    ...settings(10),
    earlier: [{ ...settings(40), until_ms: hour(90).getTime() }],
  });
});

test('a changed meaning of a quantity is computed in chunks by any worker, and changed again meanwhile: the result is that of one transaction', async () => {
  const { pool, capabilities } = database;
  const hour = hours(300);
  const late = [60, 220];
  const setMeaning = (deviceId: string, counts_as: string | null) =>
    updateDevice(createDatabase(pool), ALL_ACCOUNTS, deviceId, {
      channels: [{ native_name: 'import energy_total_kwh', counts_as }],
    });
  const outcomeWith = async (pieceReadings?: number) => {
    const { deviceId, read } = await createTestMeter(database, pieceReadings ? { pieceReadings } : {});
    // A new worker computes each chunk, as if the previous one had been killed.
    const piece = () =>
      recomputeChangedDevices(
        pool,
        createReadingBatchWriter(pool, { now: () => NOW.getTime(), ...(pieceReadings && { pieceReadings }) }),
      );
    const finish = async () => {
      let pieces = 0;
      while ((await piece()) > 0) pieces++;
      return pieces;
    };
    // A total register with one false value, and two tariff registers, which count while the total has no valid reading.
    const sendReadings = async (indices: readonly number[]) => {
      await read(
        indices.map((index) => [hour(index), 100 + 2 * index + (index === 40 ? 900 : 0)]),
        NOW,
      );
      for (const [channel, isIts] of [
        ['import/t1', 0],
        ['import/t2', 1],
      ] as const)
        await read(
          indices.map((index) => [hour(index), 50 + Math.floor((index + isIts) / 2)] as const),
          NOW,
          { channel },
        );
    };
    const all = [...Array(300).keys()];
    await sendReadings(all.filter((index) => !late.includes(index)));
    const before = await rowsOf(deviceId);
    await setMeaning(deviceId, 'ignored');
    await piece();
    const between = await rowsOf(deviceId);
    const { rows } = await pool.query(
      'SELECT channel, counts_import, earlier_roles FROM series WHERE device_id = $1 ORDER BY channel',
      [deviceId],
    );
    await sendReadings(late);
    const pieces = await finish();
    const ignored = await rowsOf(deviceId);
    await setMeaning(deviceId, 'export');
    await piece();
    await setMeaning(deviceId, 'gas');
    await piece();
    const report = await checkAllRollups(pool, { capabilities, since: at(90), mode: 'check' });
    expect(report.differences).toEqual([]);
    const isComputed = async () => (await findDevice(createDatabase(pool), ALL_ACCOUNTS, deviceId))?.is_computed;
    const wasComputed = await isComputed();
    await finish();
    const gas = await rowsOf(deviceId);
    await setMeaning(deviceId, null);
    await finish();
    expect(await isComputed()).toBe(true);
    return { before, between, series: rows, pieces, ignored, gas, wasComputed, again: await rowsOf(deviceId) };
  };
  const [whole, inPieces] = [await outcomeWith(), await outcomeWith(90)];
  expect(inPieces.ignored).toEqual(whole.ignored);
  expect(inPieces.gas).toEqual(whole.gas);
  expect(inPieces.again).toEqual(whole.again);
  const total = ([quarters = []]: Awaited<ReturnType<typeof rowsOf>>) =>
    quarters.reduce((sum, { energy }) => sum + energy, 0) / 1e6;
  expect([whole.before, whole.ignored, whole.gas, whole.again].map(total)).toEqual([598, 299, 299, 598]);
  expect(whole.again[1]).toEqual(whole.before[1]);
  expect(whole.ignored[1]).toEqual([]);
  expect([whole.pieces, whole.wasComputed, inPieces.wasComputed]).toEqual([0, true, false]);
  expect(inPieces.pieces).toBe(3);
  // In the part that is already recomputed, the tariff registers count. After this part, the total register counts.
  expect(total(inPieces.between)).toBe(90 + 418);
  const until = { until_ms: hour(91).getTime() };
  expect(inPieces.series).toMatchObject([
    { channel: 'import', counts_import: true, earlier_roles: [{ ...until, import: false }] },
    { channel: 'import/t1', counts_import: false, earlier_roles: [{ ...until, import: true, is_tariff: true }] },
    { channel: 'import/t2', counts_import: false, earlier_roles: [{ ...until, import: true, is_tariff: true }] },
  ]);
});

test('a setting that is changed together with a long edit is computed with it', async () => {
  const { pool } = database;
  const hour = hours(200);
  // The rise of 30 kWh within an hour exceeds the lower limit, and lies outside the edited time.
  const all = [...Array(200).keys()].map((index) => [hour(index), 100 + index + (index > 20 ? 30 : 0)] as const);
  const edited = async (isChangedFirst: boolean, pieceReadings?: number) => {
    const { deviceId, read } = await createTestMeter(database);
    const compute = async () => {
      const writer = createReadingBatchWriter(pool, {
        now: () => NOW.getTime(),
        ...(pieceReadings && { pieceReadings }),
      });
      while ((await recomputeChangedDevices(pool, writer)) > 0);
    };
    await read(all, NOW);
    if (isChangedFirst) {
      await limitTo(deviceId, 10);
      await compute();
    }
    const wanted = { nativeName: null, from: hour(50), to: hour(150), value: null, reason: 'x' };
    await createEdit(createDatabase(pool), ALL_ACCOUNTS, deviceId, wanted, EDITING);
    if (!isChangedFirst) await limitTo(deviceId, 10);
    await compute();
    return rowsOf(deviceId);
  };
  const wanted = await edited(true);
  expect(await edited(false, 30)).toEqual(wanted);
  expect(wanted[0]?.reduce((sum, { energy }) => sum + energy, 0)).toBe(198e6);
});
