import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IncomingMessage } from '#ingest/message.ts';
import { type FailedRecomputations, recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

test('a changed device that cannot be computed delays no readings, and is computed as soon as possible', async () => {
  const { pool } = api.database;
  const { key } = await api.user('admin');
  const [changed, neighbour] = [await createTestMeter(api.database), await createTestMeter(api.database)];
  const startMs = api.now.getTime();
  let nowMs = startMs;
  const writer = createReadingBatchWriter(pool, { now: () => nowMs });
  const reading = ({ deviceId }: { deviceId: string }, minutesAgo: number, kwh: number): IncomingMessage => ({
    topic: '',
    payload: Buffer.alloc(0),
    receivedAtMs: nowMs,
    decoded: {
      deviceId,
      readings: [
        {
          deviceId,
          channel: 'import',
          kind: 'register',
          readAtMs: startMs - minutesAgo * 60_000,
          intervalMs: 0,
          value: kwh * 1e6,
          element: 0,
        },
      ],
      rejections: [],
    },
  });
  const kwhOf = async ({ userId }: { userId: string }) =>
    (await sumImportedMilliwattHours(api.database, 'device_intervals', userId)) / 1e6;
  const isComputed = async () => (await api.send(`/v1/devices/${changed.deviceId}`, { key })).json.is_computed;
  // The third reading shows 120 kW for half an hour, which exceeds the default limit of 100 kW.
  const past = [
    [240, 100],
    [180, 110],
    [150, 170],
    [120, 171],
    [90, 172],
  ] as const;
  await writer.write(past.map(([minutesAgo, kwh]) => reading(changed, minutesAgo, kwh)));
  await writer.write([reading(neighbour, 90, 5)]);
  const before = await kwhOf(changed);

  // A sequence counts attempts even if their transactions are rolled back.
  await pool.query(`CREATE SEQUENCE tries;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'its past cannot be read (%)', nextval('tries'); END $$;
    CREATE TRIGGER refused BEFORE UPDATE OF computed_with ON devices FOR EACH ROW
      WHEN (OLD.computed_with IS NOT NULL AND NEW.computed_with IS NULL) EXECUTE FUNCTION refuse()`);
  const tries = async () => {
    const { rows } = await pool.query('SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int AS tries FROM tries');
    return rows[0].tries;
  };
  await api.send(`/v1/devices/${changed.deviceId}`, { method: 'PATCH', key, body: { limit_kw: 500 } });
  const both = await writer.write([reading(changed, 60, 173), reading(neighbour, 60, 6)]);
  expect(both).toMatchObject({ stored: 2, rejected: 0 });
  expect(await tries()).toBe(1);
  // Further readings cause no new attempt. The next attempt is made ten seconds after the first one.
  nowMs += 9_000;
  expect(await writer.write([reading(changed, 40, 173.5)])).toMatchObject({ stored: 1, rejected: 0 });
  expect(await tries()).toBe(1);
  nowMs += 2_000;
  expect(await writer.write([reading(changed, 30, 174)])).toMatchObject({ stored: 1, rejected: 0 });
  expect(await tries()).toBe(2);
  // Until the recomputation succeeds, readings are counted with the previous limit.
  expect([await kwhOf(changed), await kwhOf(neighbour), await isComputed()]).toEqual([before + 2, 1, false]);
  const failing: FailedRecomputations = new Map();
  expect(await recomputeChangedDevices(pool, writer, { failing })).toBe(0);
  expect([...failing.keys()]).toEqual([changed.deviceId]);

  await pool.query('DROP TRIGGER refused ON devices');
  expect(await recomputeChangedDevices(pool, writer)).toBe(1);
  expect([await kwhOf(changed), await kwhOf(neighbour), await isComputed()]).toEqual([74, 1, true]);
});
