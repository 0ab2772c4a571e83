import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

const HOUR_MS = 3_600_000;
const BASE_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 48 * HOUR_MS;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Writes one register reading (kWh) per hour. Returns the resulting energy, and the device's notes. */
async function history(kwh: number[]): Promise<{ milliwattHours: number; notes: string[] }> {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const { device } = await createDevice(db, { userId, type: 'smart_meter', location: 'x', register_max_kwh: 100_000 });
  const deviceId = device.device_id;
  const readings = kwh.map((value, index) => ({
    deviceId,
    channel: 'import',
    kind: 'register' as const,
    readAtMs: BASE_MS + index * HOUR_MS,
    intervalMs: 0,
    value: Math.round(value * 1e6),
    element: 0,
  }));
  const { topic, payload, receivedAtMs } = { topic: 't', payload: Buffer.alloc(0), receivedAtMs: Date.now() };
  const decoded = { deviceId, readings, rejections: [] };
  await createReadingBatchWriter(database.pool).write([{ topic, payload, receivedAtMs, decoded }]);
  const sum = await database.pool.query(
    'SELECT coalesce(sum(energy_milliwatt_hours), 0)::bigint AS "milliwattHours" FROM user_daily WHERE user_id = $1',
    [userId],
  );
  const notes = await database.pool.query('SELECT note FROM device_notes WHERE device_id = $1', [deviceId]);
  return { milliwattHours: sum.rows[0].milliwattHours, notes: notes.rows.map((row) => row.note) };
}

// Cases from the table in the documentation of the counting rules. Their results were computed by hand.
test.each([
  ['a swapped meter is a new baseline', [5_000, 5_001, 900, 901, 902], { milliwattHours: 3_000_000, notes: ['swap'] }],
  ['a reset counts from zero', [5_000, 5_001, 0.5, 1, 2], { milliwattHours: 3_000_000, notes: ['reset'] }],
  ['a rollover counts across', [99_998, 99_999, 1, 2, 3], { milliwattHours: 5_000_000, notes: ['rollover'] }],
  ['a glitch is as if it had not come', [10, 11, 9_999, 12, 13], { milliwattHours: 3_000_000, notes: [] }],
  ['jitter is 0 until the old value is passed', [10.05, 10, 10.02, 10.1], { milliwattHours: 50_000, notes: [] }],
  ['while a reading is held nothing is counted', [10, 11, 9_999], { milliwattHours: 1_000_000, notes: [] }],
])('device notes: %s', async (_name, kwh, expected) => {
  expect(await history(kwh)).toEqual(expected);
});
