import { afterAll, beforeAll, expect, test } from 'vitest';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createEdit, listEdits, revokeEdit } from '#src/devices/edits/store.ts';
import { deleteDevice, updateDevice } from '#src/devices/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours, type TestMeter } from '#test/support/meters.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());

const NOW = new Date('2026-11-20T12:00:00Z');
const EDITING = { author: 'usr_1', now: NOW, oldest: new Date('2025-11-01T00:00:00Z') };
const REGISTER = 'import energy_total_kwh';
const hour = (index: number) => new Date(NOW.getTime() - (60 - index) * 3_600_000);

/** Creates a meter with two registers and 39 hours of one kWh each. From hour 20 to hour 29, the first register is 78 kWh too high. */
async function home(): Promise<TestMeter> {
  const made = await createTestMeter(database);
  const all = Array.from({ length: 40 }, (_, index) => index);
  await made.read(
    all.map((index) => [hour(index), 100 + index + (index >= 20 && index < 30 ? 78 : 0)]),
    NOW,
  );
  await made.read(
    all.map((index) => [hour(index), 500 + 2 * index]),
    NOW,
    { channel: 'heat_pump/import' },
  );
  return made;
}

const exclude = { nativeName: REGISTER, from: hour(20), to: hour(30), value: null, reason: 'x' };
/** Changes a setting of a device, as its owner would. */
type Change = (deviceId: string) => Promise<unknown>;
const CHANGES: Record<string, Change | { before: Change; apply: Change }> = {
  'a limit': (deviceId) => updateDevice(db, ALL_ACCOUNTS, deviceId, { limit_kw: 0.5 }),
  'a highest value of its register': (deviceId) => updateDevice(db, ALL_ACCOUNTS, deviceId, { register_max_kwh: 200 }),
  'a longest gap': (deviceId) => updateDevice(db, ALL_ACCOUNTS, deviceId, { max_gap_minutes: 90 }),
  'a meaning of a quantity': (deviceId) =>
    updateDevice(db, ALL_ACCOUNTS, deviceId, { channels: [{ native_name: REGISTER, counts_as: 'ignored' }] }),
  'an edit': (deviceId) => createEdit(db, ALL_ACCOUNTS, deviceId, exclude, EDITING),
  'a reading by hand': (deviceId) =>
    createEdit(
      db,
      ALL_ACCOUNTS,
      deviceId,
      { ...exclude, from: hour(10.5), to: new Date(hour(10.5).getTime() + 1), value: 110_900_000 },
      EDITING,
    ),
  'a revoked edit': {
    before: (deviceId) => createEdit(db, ALL_ACCOUNTS, deviceId, exclude, EDITING),
    async apply(deviceId) {
      const [made] = await listEdits(db, ALL_ACCOUNTS, deviceId, { limit: 1 });
      await revokeEdit(db, ALL_ACCOUNTS, deviceId, made?.edit_id ?? '', EDITING);
    },
  },
};

async function computeAll(pieceReadings = 100_000): Promise<void> {
  const writer = createReadingBatchWriter(database.pool, { now: () => NOW.getTime(), pieceReadings });
  while ((await recomputeChangedDevices(database.pool, writer)) > 0);
}

async function rowsOf({ deviceId, userId }: TestMeter) {
  const { rows } = await database.pool.query(
    `SELECT starts_at, energy_milliwatt_hours AS energy, estimated_milliwatt_hours AS estimated
     FROM device_intervals WHERE device_id = $1 ORDER BY 1`,
    [deviceId],
  );
  const pending = await database.pool.query('SELECT computed_with FROM devices WHERE device_id = $1', [deviceId]);
  return { rows, total: await sumImportedMilliwattHours(database, 'user_daily', userId), pending: pending.rows };
}

test.each(
  Object.entries(CHANGES).flatMap(([what, change]) => [
    { what, change, pieces: 100_000 },
    { what: `${what}, in pieces`, change, pieces: 7 },
  ]),
)('$what applies, although the device is deleted right after it', async ({ change, pieces }) => {
  const [deleted, remaining] = [await home(), await home()];
  const { before = null, apply } = typeof change === 'function' ? { apply: change } : change;
  for (const { deviceId } of [deleted, remaining]) await before?.(deviceId);
  await computeAll();
  for (const { deviceId } of [deleted, remaining]) await apply(deviceId);
  expect(await deleteDevice(db, ALL_ACCOUNTS, deleted.deviceId)).toBe(true);
  await computeAll(pieces);
  await database.settle(NOW);
  const [one, other] = [await rowsOf(deleted), await rowsOf(remaining)];
  expect(one).toEqual(other);
  expect(one.pending).toEqual([{ computed_with: null }]);
});

test('readings of a deleted device are refused before, during and after the computation of its last edit', async () => {
  const made = await home();
  await createEdit(db, ALL_ACCOUNTS, made.deviceId, exclude, EDITING);
  await deleteDevice(db, ALL_ACCOUNTS, made.deviceId);
  // All readings are written by this writer, which caches the states of its devices.
  const writer = createReadingBatchWriter(database.pool, { now: () => NOW.getTime(), pieceReadings: 5 });
  let minutes = 0;
  const expectRefused = async () => {
    const readAtMs = hour(50).getTime() + ++minutes * 60_000;
    const value = 500e6 + minutes;
    const of = { deviceId: made.deviceId, channel: 'import', kind: 'register' as const };
    const decoded = {
      deviceId: made.deviceId,
      readings: [{ ...of, readAtMs, intervalMs: 0, value, element: 0 }],
      rejections: [],
    };
    const message = { topic: '', payload: Buffer.alloc(0), receivedAtMs: NOW.getTime(), decoded };
    expect(await writer.write([message])).toMatchObject({ stored: 0, rejected: 1 });
  };
  await expectRefused();
  while ((await recomputeChangedDevices(database.pool, writer)) > 0) await expectRefused();
  await expectRefused();
  expect((await rowsOf(made)).pending).toEqual([{ computed_with: null }]);
});
