import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDevice } from '#src/devices/store.ts';
import { type Person, registerDashboardApi } from '#test/support/dashboard-api.ts';
import { addToProfile, FULLY_KNOWN_QUARTER } from '#test/support/load-profile.ts';
import { createMeter } from '#test/support/meters.ts';
import { createLastingFault, ordinaryHome, simulateYear } from '#test/support/simulated-year.ts';

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;

const own = registerDashboardApi();
const { ask, statuses, sql } = own;
const { admin, utility, stranger, home } = own.people;
const everybody = () => ({ home, utility, stranger, admin });

type Energy = { milliwattHours: number; estimated: number };

/** Writes quarter-hours of a device and all aggregates above them, as ingest does. */
async function write(userId: string, deviceId: string, profile: Map<number, Energy>): Promise<void> {
  await addToProfile(
    own.api.database,
    [...profile].map(([startsAtMs, { milliwattHours, estimated }]) => {
      return {
        deviceId,
        userId,
        startsAtMs,
        energyMilliwattHours: milliwattHours,
        estimatedMilliwattHours: estimated,
        ...FULLY_KNOWN_QUARTER,
      };
    }),
  );
}

/** Creates a meter that reports the home's import. */
async function gridMeter(userId: string): Promise<string> {
  const { device } = await createDevice(own.api.db, { userId, type: 'smart_meter', location: 'Hall' });
  await sql(`INSERT INTO series (device_id, channel, kind, counts_import) VALUES ($1, 'import', 'register', true)`, [
    device.device_id,
  ]);
  return device.device_id;
}

/** A home with the quarter-hours of a simulated one from 2025 on, for 70 days or more; on the last day a heater was left on. */
async function forgetfulHome(days: number, estimatedHours = 0): Promise<{ owner: Person; untilMs: number }> {
  const owner = await own.api.user('homeowner', { enrolledBy: utility.userId });
  await sql(`UPDATE users SET timezone = 'Europe/Berlin' WHERE user_id = $1`, [owner.userId]);
  const deviceId = await gridMeter(owner.userId);
  const traits = { ...ordinaryHome('flat', 'told'), faults: [createLastingFault('forgotten heater', (days - 1) * 96)] };
  const year = simulateYear('flat', traits, days);
  const fromMs = Date.parse('2025-01-01T00:00:00Z');
  const energies = [...year.used].map((watts, at) => {
    const milliwattHours = Math.round(watts * 250);
    const estimated = at >= days * 96 - estimatedHours * 4 ? milliwattHours : 0;
    return [fromMs + at * QUARTER_MS, { milliwattHours, estimated }] as const;
  });
  await write(owner.userId, deviceId, new Map(energies));
  return { owner, untilMs: fromMs + days * 24 * HOUR_MS };
}

describe('remarks in plain words', () => {
  let before: Date;
  beforeAll(() => {
    before = own.api.now;
  });
  afterAll(() => {
    own.api.now = before;
  });

  test('contain a fault with its comparison, and the month’s forecast with its costs', async () => {
    // The range includes a day on which the clock changes.
    const { owner, untilMs } = await forgetfulHome(100);
    own.api.now = new Date(untilMs + 60_000);
    const { json } = await ask(`/v1/remarks?user_id=${owner.userId}`, utility);
    expect(json).toMatchObject({
      timezone: 'Europe/Berlin',
      remarks: [{ kind: 'stays_on', device_id: null, location: null }],
    });
    const [{ least_w, usual_w, since, until, compared }] = json.remarks;
    expect([since, until]).toEqual([new Date(untilMs - 24 * HOUR_MS).toISOString(), new Date(untilMs).toISOString()]);
    expect(least_w - usual_w).toBeGreaterThan(1_150);
    expect(compared).toHaveLength(29);

    const told = async () => (await ask(`/v1/forecast?user_id=${owner.userId}`, owner)).json.forecast;
    const month = await told();
    expect(month).toMatchObject({
      start: '2025-04-01',
      end: '2025-04-30',
      days_over: 10,
      cost: null,
      range_percent: 80,
    });
    expect(month.low_kwh).toBeGreaterThan(month.so_far_kwh);
    expect(month.low_kwh).toBeLessThan(month.expected_kwh);
    expect(month.high_kwh).toBeGreaterThan(month.expected_kwh);
    expect(month.past.map((one: { month: string }) => one.month)).toEqual(['2025-03', '2025-02', '2025-01']);
    expect(month.mean_error).toBeLessThan(0.2);
    const tariff = { name: 'flat', valid_from: '2024-01-01', currency: 'EUR', import: { per_kwh: '0.4' } };
    expect((await own.api.send('/v1/tariffs', { method: 'POST', key: owner.key, body: tariff })).status).toBe(201);
    // After the cache lifetime of a minute, the remarks are computed again.
    own.api.now = new Date(untilMs + 120_000);
    const { cost, expected_kwh } = await told();
    expect(cost.currency).toBe('EUR');
    expect(cost.expected).toBeCloseTo(0.4 * expected_kwh, 1);
    expect(cost.low).toBeLessThan(cost.expected);
    for (const path of ['/v1/remarks', '/v1/forecast'])
      expect(await statuses(`${path}?user_id=${owner.userId}`, everybody())).toEqual({
        home: 403,
        utility: 200,
        stranger: 404,
        admin: 200,
      });
  });

  test('are absent for a home that does not exist, is new, or has been silent for hours', async () => {
    own.api.now = new Date('2026-06-15T12:00:00Z');
    const young = await own.api.user('homeowner');
    expect((await ask('/v1/remarks', young)).json.remarks).toEqual([]);
    expect((await ask('/v1/forecast', young)).json.forecast).toBeNull();
    const { owner, untilMs } = await forgetfulHome(71);
    own.api.now = new Date(untilMs + 7 * HOUR_MS);
    expect((await ask('/v1/remarks', owner)).json.remarks).toEqual([]);
    // Hours that are only estimated cause no remarks.
    const guessed = await forgetfulHome(71, 24);
    own.api.now = new Date(untilMs + 60_000);
    expect((await ask('/v1/remarks', guessed.owner)).json.remarks).toEqual([]);
    expect((await ask('/v1/remarks', owner)).json.remarks).toHaveLength(1);
  });

  test('name a tariff that would have been cheaper in the last twelve months', async () => {
    own.api.now = new Date('2026-06-15T12:00:00Z');
    const owner = await own.api.user('homeowner');
    const deviceId = await gridMeter(owner.userId);
    const months = Array.from({ length: 14 }, (_, month) => Date.UTC(2025, 4 + month, 1, 12));
    const energies = months.map((ms) => [ms, { milliwattHours: 1_000_000, estimated: 0 }] as const);
    await write(owner.userId, deviceId, new Map(energies));
    const make = (name: string, valid_from: string, per_kwh: string) => {
      const body = { name, valid_from, currency: 'EUR', import: { per_kwh } };
      return own.api.send('/v1/tariffs', { method: 'POST', key: owner.key, body });
    };
    await make('ours', '2025-01-01', '0.4');
    const told = async () => (await ask('/v1/remarks', owner)).json.remarks;
    expect(await told()).toEqual([]);
    const { json: offer } = await make('an offer', '2027-01-01', '0.3');
    own.api.now = new Date('2026-06-15T12:01:00Z');
    expect(await told()).toEqual([
      {
        kind: 'cheaper_tariff',
        start: '2025-06-01',
        end: '2026-05-31',
        tariff_id: offer.tariff_id,
        name: 'an offer',
        currency: 'EUR',
        paid: '4.80',
        would_have_paid: '3.60',
      },
    ]);
  });
});

test('an opened figure lists its devices: measured, estimated and uncounted energy, with reasons', async () => {
  const owner = await own.api.user('homeowner', { enrolledBy: utility.userId });
  await sql("UPDATE users SET timezone = 'Asia/Kolkata' WHERE user_id = $1", [owner.userId]);
  const paired = async (type: string) =>
    (await createDevice(own.api.db, { userId: owner.userId, type, location: 'cellar' })).device.device_id;
  const [grid, roof] = [await paired('smart_meter'), await paired('solar_inverter')];
  const { read } = await createMeter(own.api.database);
  // The local day begins at 18:30 UTC. It has a silence of three hours, a glitch, and an unreadable message.
  const at = (time: string) => new Date(`2026-06-10T${time}:00Z`);
  const tell = (deviceId: string, readings: [Date, number][]) => read(readings, own.api.now, { deviceId });
  await tell(grid, [
    [at('00:00'), 10],
    [at('03:00'), 13],
    [at('03:30'), 13.5],
    [at('03:40'), 900],
    [at('04:00'), 14],
  ]);
  await tell(roof, [
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
