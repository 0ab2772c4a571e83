import { afterAll, beforeAll, expect, test } from 'vitest';
import { headMemory } from '#ingest/write/head-memory.ts';
import { createWriter } from '#ingest/write/writer.ts';
import { createDb } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('an owner’s change of a device costs what is remembered of that one, not of the others; many at once are another worker', async () => {
  const { pool } = database;
  const db = createDb(pool);
  const { user_id: userId } = await createUser(db, { email: 'home@example.com', role: 'homeowner' });
  const deviceIds: string[] = [];
  for (let index = 0; index < 40; index++)
    deviceIds.push((await createDevice(db, { userId, type: 'smart_meter', location: 'test' })).device.device_id);
  const memory = headMemory();
  const writer = createWriter(pool, { memory });
  const startMs = Date.now() - 3_600_000;
  let turn = 0;
  const send = (ids: readonly string[]) =>
    writer.write(
      ids.map((deviceId) => ({
        topic: '',
        payload: Buffer.alloc(0),
        receivedAtMs: Date.now(),
        decoded: {
          deviceId,
          rejections: [],
          readings: [
            {
              deviceId,
              channel: 'import',
              kind: 'register' as const,
              readAtMs: startMs + turn++ * 1_000,
              intervalMs: 0,
              value: 1_000_000 + turn,
              element: 0,
            },
          ],
        },
      })),
    );
  const remembered = () => deviceIds.filter((deviceId) => memory.get(deviceId) !== null).length;
  await send(deviceIds);
  await send(deviceIds);
  expect(remembered()).toBe(40);
  await pool.query(`UPDATE devices SET location = 'attic' WHERE device_id = $1`, [deviceIds[0]]);
  expect(await send(deviceIds.slice(0, 1))).toEqual({ stored: 1, duplicates: 0, rejected: 0 });
  expect(remembered()).toBe(40);
  await pool.query(`UPDATE devices SET location = 'cellar'`);
  expect(await send(deviceIds)).toEqual({ stored: 40, duplicates: 0, rejected: 0 });
  expect(remembered()).toBe(0);
});
