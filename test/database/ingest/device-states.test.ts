import { afterAll, beforeAll, expect, test } from 'vitest';
import { toIncoming } from '#ingest/incoming.ts';
import { createWriter } from '#ingest/write/writer.ts';
import { createDb } from '#src/database/connect.ts';
import { restSilentDevices } from '#src/devices/states.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { meter } from '#test/support/meters.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

async function say(deviceId: string, payload: string, topic = 'readings'): Promise<void> {
  const raw = {
    topic: `energy/v1/${deviceId}/${topic}`,
    payload: Buffer.from(payload),
    receivedAtMs: Date.now(),
    replayed: false,
  };
  const message = toIncoming(raw);
  if (!message) throw new Error('no decoder');
  await createWriter(database.pool).write([message]);
}
const state = async (deviceId: string) =>
  (await database.pool.query('SELECT status FROM devices WHERE device_id = $1', [deviceId])).rows[0].status;

test('a device is inactive until its first reading, active with readings, and inactive again after a day of silence', async () => {
  const { deviceId } = await meter(database);
  expect(await state(deviceId)).toBe('inactive');
  await say(deviceId, '{"power_w": 100}');
  expect(await state(deviceId)).toBe('active');
  await restSilentDevices(createDb(database.pool), new Date(Date.now() + 23.9 * 3_600_000));
  expect(await state(deviceId)).toBe('active');
  await restSilentDevices(createDb(database.pool), new Date(Date.now() + 24.1 * 3_600_000));
  expect(await state(deviceId)).toBe('inactive');
  await say(deviceId, '{"power_w": 100}');
  expect(await state(deviceId)).toBe('active');
});

test('a device is faulty when most of its last readings were rejected, and well again when most are good', async () => {
  const { deviceId } = await meter(database);
  await say(deviceId, '{"power_w": 100}');
  for (let index = 0; index < 10; index++) await say(deviceId, '{"power_w": "much"}');
  expect(await state(deviceId)).toBe('active');
  await say(deviceId, 'rubbish');
  expect(await state(deviceId)).toBe('faulty');
  // It does not get well by saying so.
  await say(deviceId, 'online', 'status');
  expect(await state(deviceId)).toBe('faulty');
  for (let index = 0; index < 9; index++) await say(deviceId, `{"power_w": ${index}}`);
  expect(await state(deviceId)).toBe('faulty');
  await say(deviceId, '{"power_w": 100}');
  expect(await state(deviceId)).toBe('active');
});

test('a device that only contradicts what it has sent is not heard, and soon faulty', async () => {
  const { deviceId } = await meter(database);
  const ts = Date.now() - 3_600_000;
  await say(deviceId, JSON.stringify({ ts, power_w: 100 }));
  await restSilentDevices(createDb(database.pool), new Date(Date.now() + 24.1 * 3_600_000));
  await say(deviceId, JSON.stringify({ ts, power_w: 101 }));
  expect(await state(deviceId)).toBe('inactive');
  for (let index = 0; index < 10; index++) await say(deviceId, JSON.stringify({ ts, power_w: 200 + index }));
  expect(await state(deviceId)).toBe('faulty');
});

test('a device is faulty when it says so, until it says that it is online', async () => {
  const { deviceId } = await meter(database);
  await say(deviceId, '{"power_w": 100}');
  await say(deviceId, 'faulty', 'status');
  await say(deviceId, 'rubbish');
  await say(deviceId, '{"power_w": 100}');
  expect(await state(deviceId)).toBe('faulty');
  await say(deviceId, 'online', 'status');
  expect(await state(deviceId)).toBe('active');
});

test('the first valid message of a device is reported as device.connected, once', async () => {
  const { deviceId, userId } = await meter(database);
  await say(deviceId, 'rubbish');
  for (let index = 0; index < 3; index++) await say(deviceId, `{"power_w": ${index}}`);
  const { rows } = await database.pool.query(
    "SELECT data FROM events WHERE type = 'device.connected' AND user_id = $1",
    [userId],
  );
  expect(rows.map(({ data }) => data)).toEqual([
    {
      device_id: deviceId,
      user_id: userId,
      type: 'smart_meter',
      location: 'test',
      status: 'active',
      last_seen_at: expect.stringMatching(/Z$/),
      placement: 'grid',
      upstream_device_id: null,
    },
  ]);
});
