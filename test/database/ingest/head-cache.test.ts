import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeviceHeadCache } from '#ingest/write/head-cache.ts';
import { createReadingBatchWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createDevice, deleteDevice, updateDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Returns a message with one reading. `value`: mWh for a register, mW for a power. */
const messageOf = (deviceId: string, kind: 'register' | 'power', readAtMs: number, value: number): IncomingMessage => ({
  topic: '',
  payload: Buffer.alloc(0),
  receivedAtMs: Date.now(),
  decoded: {
    deviceId,
    rejections: [],
    readings: [{ deviceId, channel: 'import', kind, readAtMs, intervalMs: 0, value, element: 0 }],
  },
});

/** Returns the start of the hour that was five hours ago, in Unix ms. */
const someHoursAgoMs = () => (Math.floor(Date.now() / 3_600_000) - 5) * 3_600_000;

/** Creates devices of one home, a writer with a cache, and a function that returns the number of cached device states. */
async function createCachingWriter(count: number) {
  const { pool } = database;
  const db = createDatabase(pool);
  const { user_id: userId } = await createUser(db, { email: `home${count}@example.com`, role: 'homeowner' });
  const deviceIds: string[] = [];
  for (let index = 0; index < count; index++)
    deviceIds.push((await createDevice(db, { userId, type: 'smart_meter', location: 'test' })).device.device_id);
  const memory = createDeviceHeadCache();
  const writer = createReadingBatchWriter(pool, { memory });
  const startMs = someHoursAgoMs();
  let turn = 0;
  const send = (ids: readonly string[], value?: number) =>
    writer.write(
      ids.map((deviceId) => messageOf(deviceId, 'register', startMs + turn++ * 1_000, value ?? 1_000_000 + turn)),
    );
  await send(deviceIds);
  await send(deviceIds);
  const countCached = () => deviceIds.filter((deviceId) => memory.get(deviceId) !== null).length;
  expect(countCached()).toBe(count);
  return { deviceIds, userId, send, countCached };
}

test('an owner’s change of a device invalidates only its own cached head; many changes at once are treated like another worker’s writes', async () => {
  const { pool } = database;
  const { deviceIds, send, countCached } = await createCachingWriter(40);
  await pool.query(`UPDATE devices SET location = 'attic' WHERE device_id = $1`, [deviceIds[0]]);
  expect(await send(deviceIds.slice(0, 1))).toMatchObject({ stored: 1, duplicates: 0, rejected: 0, loaded: 1 });
  expect(countCached()).toBe(40);
  await pool.query(`UPDATE devices SET location = 'cellar'`);
  expect(await send(deviceIds)).toMatchObject({ stored: 40, duplicates: 0, rejected: 0, loaded: 40 });
  expect(countCached()).toBe(0);
});

test('heads of a failed batch are evicted, and the next batch reads the stored ones', async () => {
  const { pool } = database;
  const { deviceIds, userId, send, countCached } = await createCachingWriter(5);
  const batch = deviceIds.slice(0, 3);
  // The batch writes device states before readings, so this constraint makes it fail in the middle.
  await pool.query('ALTER TABLE readings ADD CONSTRAINT never CHECK (value <> 1000013) NOT VALID');
  await expect(send(batch, 1_000_013)).rejects.toThrow('never');
  await pool.query('ALTER TABLE readings DROP CONSTRAINT never');
  expect(countCached()).toBe(2);
  expect(await send(deviceIds, 1_000_020)).toMatchObject({ stored: 5, duplicates: 0, rejected: 0, loaded: 3 });
  expect(countCached()).toBe(5);
  // Energy from the first reading (1,000,001 to 1,000,005 mWh) to the last one, added up over the five devices.
  expect(await sumImportedMilliwattHours(database, 'user_hourly', userId)).toBe(19 + 18 + 17 + 16 + 15);
});

test('an owner’s change applies to the next reading of a device with a cached head', async () => {
  const db = createDatabase(database.pool);
  const { deviceId, userId } = await createTestMeter(database);
  const writer = createReadingBatchWriter(database.pool);
  const startMs = someHoursAgoMs();
  /** Writes a reading of 1 kW. `minutes`: time of the reading, since the start. */
  const read = (minutes: number) => writer.write([messageOf(deviceId, 'power', startMs + minutes * 60_000, 1_000_000)]);
  for (const minutes of [0, 20, 40, 45]) await read(minutes);
  expect(await sumImportedMilliwattHours(database, 'user_hourly', userId)).toBeCloseTo(83_333, -1);
  await updateDevice(db, ALL_ACCOUNTS, deviceId, { max_gap_minutes: 20 });
  await read(60);
  expect(await sumImportedMilliwattHours(database, 'user_hourly', userId)).toBeCloseTo(1_000_000, -1);
  await deleteDevice(db, ALL_ACCOUNTS, deviceId);
  expect(await read(61)).toMatchObject({ stored: 0, duplicates: 0, rejected: 1 });
});
