import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWriter } from '#ingest/write/writer.ts';
import { createDb } from '#src/database/connect.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { deleteDevice, updateDevice } from '#src/devices/store.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { meter, totalMilliwattHours } from '#test/support/meters.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('what an owner changes holds for the next reading of a device that a worker remembers', async () => {
  const db = createDb(database.pool);
  const { deviceId, userId } = await meter(database);
  const writer = createWriter(database.pool);
  const startMs = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000;
  /** Power of a kilowatt, in minutes from the start. */
  const read = (minutes: number) =>
    writer.write([
      {
        topic: '',
        payload: Buffer.from('{}'),
        receivedAtMs: Date.now(),
        decoded: {
          deviceId,
          rejections: [],
          readings: [
            {
              deviceId,
              channel: 'import',
              kind: 'power',
              readAtMs: startMs + minutes * 60_000,
              intervalMs: 0,
              value: 1_000_000,
              element: 0,
            },
          ],
        },
      },
    ]);
  for (const minutes of [0, 20, 40, 45]) await read(minutes);
  expect(await totalMilliwattHours(database, 'user_hourly', userId)).toBeCloseTo(83_333, -1);
  await updateDevice(db, EVERYBODY, deviceId, { max_gap_minutes: 20 });
  await read(60);
  expect(await totalMilliwattHours(database, 'user_hourly', userId)).toBeCloseTo(1_000_000, -1);
  await deleteDevice(db, EVERYBODY, deviceId);
  expect(await read(61)).toEqual({ stored: 0, duplicates: 0, rejected: 1 });
});
