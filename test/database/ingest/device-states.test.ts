import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { fireSilenceAlerts } from '#src/alerts/silence.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { recordDeviceSilences } from '#src/devices/fleet/record-silences.ts';
import { findDevice } from '#src/devices/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter } from '#test/support/meters.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function send(deviceId: string, payload: string, topic = 'readings'): Promise<void> {
  const raw = {
    topic: `energy/v1/${deviceId}/${topic}`,
    payload: Buffer.from(payload),
    receivedAtMs: Date.now(),
    replayed: false,
  };
  const message = createIncomingMessage(raw);
  if (!message) throw new Error('no decoder');
  await createReadingBatchWriter(database.pool).write([message]);
}
const state = async (deviceId: string) =>
  (await findDevice(createDatabase(database.pool), ALL_ACCOUNTS, deviceId))?.status;
/** Moves the time of a device's last valid reading this many hours back. */
const age = (deviceId: string, hours: number) =>
  database.pool.query('UPDATE device_heads SET seen_at = seen_at - make_interval(secs => $2) WHERE device_id = $1', [
    deviceId,
    hours * 3_600,
  ]);

test('a device is inactive until its first reading, active with readings, and inactive again after a day of silence', async () => {
  const { deviceId } = await createTestMeter(database);
  expect(await state(deviceId)).toBe('inactive');
  await send(deviceId, '{"power_w": 100}');
  expect(await state(deviceId)).toBe('active');
  await age(deviceId, 23.9);
  expect(await state(deviceId)).toBe('active');
  await age(deviceId, 0.2);
  expect(await state(deviceId)).toBe('inactive');
  await send(deviceId, '{"power_w": 100}');
  expect(await state(deviceId)).toBe('active');
});

test('a device is faulty when most of its last readings were rejected, and recovers when most are good', async () => {
  const { deviceId } = await createTestMeter(database);
  await send(deviceId, '{"power_w": 100}');
  for (let index = 0; index < 10; index++) await send(deviceId, '{"power_w": "much"}');
  expect(await state(deviceId)).toBe('active');
  await send(deviceId, 'rubbish');
  expect(await state(deviceId)).toBe('faulty');
  // A status message is not a valid reading, so it does not end the device's fault.
  await send(deviceId, 'online', 'status');
  expect(await state(deviceId)).toBe('faulty');
  for (let index = 0; index < 9; index++) await send(deviceId, `{"power_w": ${index}}`);
  expect(await state(deviceId)).toBe('faulty');
  await send(deviceId, '{"power_w": 100}');
  expect(await state(deviceId)).toBe('active');
});

test('a device whose readings only contradict earlier readings counts as silent, and soon as faulty', async () => {
  const { deviceId } = await createTestMeter(database);
  const ts = Date.now() - 3_600_000;
  await send(deviceId, JSON.stringify({ ts, power_w: 100 }));
  await age(deviceId, 24.1);
  await send(deviceId, JSON.stringify({ ts, power_w: 101 }));
  expect(await state(deviceId)).toBe('inactive');
  for (let index = 0; index < 10; index++) await send(deviceId, JSON.stringify({ ts, power_w: 200 + index }));
  expect(await state(deviceId)).toBe('faulty');
});

test('a device is faulty when it reports a fault, until it reports that it is online', async () => {
  const { deviceId } = await createTestMeter(database);
  await send(deviceId, '{"power_w": 100}');
  await send(deviceId, 'faulty', 'status');
  await send(deviceId, 'rubbish');
  await send(deviceId, '{"power_w": 100}');
  expect(await state(deviceId)).toBe('faulty');
  await send(deviceId, 'online', 'status');
  expect(await state(deviceId)).toBe('active');
});

test('the first reading of a device changes no entry of an index of devices', async () => {
  const { deviceId } = await createTestMeter(database);
  const version = async () =>
    (await database.pool.query('SELECT ctid, xmin FROM devices WHERE device_id = $1', [deviceId])).rows;
  const before = await version();
  await send(deviceId, '{"power_w": 100}');
  expect(await version()).toEqual(before);
});

test('the first valid message of a device is reported as device.connected, once', async () => {
  const { deviceId, userId } = await createTestMeter(database);
  await send(deviceId, 'rubbish');
  for (let index = 0; index < 3; index++) await send(deviceId, `{"power_w": ${index}}`);
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

test('a silence is recorded on time, and alerts fire for it, after a clock was months ahead', async () => {
  const { pool } = database;
  const db = createDatabase(pool);
  const [stopped, reporting] = [await createTestMeter(database), await createTestMeter(database)];
  await pool.query(
    `INSERT INTO alerts (alert_id, user_id, type, threshold_hours, delivery) VALUES ('alt_1', $1, 'no_data', 1, 'email')`,
    [stopped.userId],
  );
  for (const { deviceId } of [stopped, reporting]) await send(deviceId, '{"power_w": 100}');
  await pool.query("UPDATE device_heads SET seen_at = seen_at + interval '90 days'");
  await pool.query(
    `INSERT INTO device_silences (device_id, began_at, user_id, was_heard)
     SELECT device_id, seen_at - interval '1 day', user_id, true FROM device_heads WHERE device_id = ANY ($1)`,
    [[stopped.deviceId, reporting.deviceId]],
  );
  await pool.query(`INSERT INTO silence_watches VALUES (now() - interval '1 hour', now() + interval '90 days')`);
  // The stored time of the latest check for silent devices may be in the future. Even then, no device becomes silent at once.
  expect(await recordDeviceSilences(db, new Date())).toEqual({ began: 0, ended: 0 });
  await send(reporting.deviceId, '{"power_w": 101}');
  const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  await pool.query("UPDATE device_heads SET seen_at = now() + interval '30 s' WHERE device_id = $1", [
    reporting.deviceId,
  ]);
  await recordDeviceSilences(db, soon(1.002));
  const silences = `SELECT device_id FROM device_silences WHERE ended_at IS NULL AND device_id = ANY ($1)`;
  const { rows } = await pool.query(silences, [[stopped.deviceId, reporting.deviceId]]);
  expect(rows).toEqual([{ device_id: stopped.deviceId }]);
  expect(await fireSilenceAlerts(pool, soon(1.002))).toBe(1);
  await age(stopped.deviceId, 24.1);
  expect([await state(stopped.deviceId), await state(reporting.deviceId)]).toEqual(['inactive', 'active']);
  const { rows: watches } = await pool.query(
    'SELECT max(ended_at) < now() + $1::interval AS ended FROM silence_watches',
    ['2 hours'],
  );
  expect(watches).toEqual([{ ended: true }]);
});
