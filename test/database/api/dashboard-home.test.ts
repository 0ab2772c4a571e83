import { expect, test } from 'vitest';
import { createDevice } from '#src/devices/store.ts';
import { setUpDashboardApi } from '#test/support/dashboard-api.ts';
import { createTestMeter } from '#test/support/meters.ts';

const own = setUpDashboardApi();
const { ask, statuses, sql } = own;
const { admin, utility, stranger, home } = own.people;
const everybody = () => ({ home, utility, stranger, admin });

test('the breakdown of a figure lists measured, estimated and uncounted energy by device, with reasons', async () => {
  const owner = await own.api.user('homeowner', { enrolledBy: utility.userId });
  await sql("UPDATE users SET timezone = 'Asia/Kolkata' WHERE user_id = $1", [owner.userId]);
  const paired = async (type: string) =>
    (await createDevice(own.api.db, { userId: owner.userId, type, location: 'cellar' })).device.device_id;
  const [grid, roof] = [await paired('smart_meter'), await paired('solar_inverter')];
  const { read } = await createTestMeter(own.api.database);
  // The local day begins at 18:30 UTC. It contains a silence of three hours, a glitch, and an unreadable message.
  const at = (time: string) => new Date(`2026-06-10T${time}:00Z`);
  const sendReadings = (deviceId: string, readings: [Date, number][]) => read(readings, own.api.now, { deviceId });
  await sendReadings(grid, [
    [at('00:00'), 10],
    [at('03:00'), 13],
    [at('03:30'), 13.5],
    [at('03:40'), 900],
    [at('04:00'), 14],
  ]);
  await sendReadings(roof, [
    [at('03:00'), 0],
    [at('04:00'), 2],
  ]);
  await sql(
    `INSERT INTO rejected_messages (received_at, device_id, topic, payload, reason)
     SELECT $1::timestamptz + n * interval '1 second', $2, 't', '', CASE WHEN n < 3 THEN 'payload is not JSON' ELSE 'no quantity' END FROM generate_series(1, 4) n`,
    [at('04:00'), grid],
  );
  const path = `/v1/figure?user_id=${owner.userId}&start=2026-06-10&end=2026-06-10`;
  const { status, json } = await ask(path, owner);
  expect([status, json]).toEqual([
    200,
    {
      kwh_used: 6,
      estimated_kwh: 3,
      coverage: expect.any(Number),
      complete: false,
      emissions: null,
      devices: [
        {
          device_id: grid,
          type: 'smart_meter',
          location: 'cellar',
          placement: 'grid',
          import_kwh: 4,
          export_kwh: null,
          estimated_kwh: 3,
          notes: [{ note: 'glitch', count: 1 }],
          rejected: [
            { reason: 'no quantity', count: 2 },
            { reason: 'payload is not JSON', count: 2 },
          ],
        },
        {
          device_id: roof,
          type: 'solar_inverter',
          location: 'cellar',
          placement: 'production',
          import_kwh: 2,
          export_kwh: null,
          estimated_kwh: 0,
          notes: [],
          rejected: [],
        },
      ],
    },
  ]);
  expect(await statuses(path, { owner, ...everybody() })).toEqual({
    owner: 200,
    home: 403,
    utility: 200,
    stranger: 404,
    admin: 200,
  });
  for (const query of [
    '',
    'start=2026-06-10',
    'start=2026-06-10&end=2026-06-09',
    'start=2026-06-10&end=2026-07-11',
    'start=x&end=x',
  ])
    expect([query, (await ask(`/v1/figure?${query}`, owner)).status]).toEqual([query, 422]);
  const empty = await ask('/v1/figure?start=2026-06-10&end=2026-06-10', home);
  expect(empty.json).toMatchObject({ kwh_used: 0, coverage: null });
});
