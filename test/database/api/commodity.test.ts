import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter, type ReadingBatchWriter } from '#ingest/write/writer.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { loadHomePeriod } from '#src/energy/period/period.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { loadUsageBreakdown } from '#src/energy/usage-breakdown.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let writer: ReadingBatchWriter;
beforeAll(async () => {
  api = await startTestApi();
  writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
});
afterAll(() => api.close());

const DAY = '2026-06-10';
type Home = Awaited<ReturnType<TestApi['user']>>;

async function pair(home: Home, body: Record<string, unknown> = {}): Promise<string> {
  const { json } = await api.send('/v1/devices', {
    method: 'POST',
    key: home.key,
    body: { type: 'smart_meter', location: 'x', ...body },
  });
  return json.device_id;
}

/** Stores register readings of a channel. Each is a time (`HH:MM` of the test day) with a value in kWh or m³. */
async function registers(deviceId: string, channel: string, steps: readonly (readonly [string, number])[]) {
  const readings = steps.map(([at, value]) => ({ ts: `${DAY}T${at}:00Z`, channel, energy_total_kwh: value }));
  const message = createIncomingMessage({
    topic: getReadingsTopic(deviceId),
    payload: Buffer.from(JSON.stringify(readings)),
    receivedAtMs: api.now.getTime(),
    replayed: false,
  });
  if (!message) throw new Error('no reading');
  const { rejected } = await writer.write([message]);
  expect(rejected).toBe(0);
}

const insights = async (home: Home, query: string) => {
  const { status, json } = await api.send(`/v1/energy-insights?${query}`, { key: home.key });
  expect([status, json]).toEqual([200, expect.anything()]);
  return json;
};
const days = async (home: Home, more: string) => (await insights(home, `start=${DAY}&end=${DAY}&${more}`)).data;

describe('gas, heat and water', () => {
  test('are returned by commodity, each separately, and never as electricity', async () => {
    const home = await api.user('homeowner');
    const meter = await pair(home);
    await registers(meter, 'import', [
      ['06:00', 100],
      ['06:30', 101],
      ['07:00', 103],
    ]);
    await registers(meter, 'gas', [
      ['06:00', 10],
      ['07:00', 12.5],
      ['08:00', 13],
    ]);
    await registers(meter, 'gas/m3', [
      ['06:00', 500],
      ['06:30', 500.25],
      ['08:00', 500.75],
    ]);
    await registers(await pair(home), 'water/m3', [
      ['09:00', 7],
      ['10:00', 7.125],
    ]);

    expect(await days(home, '')).toEqual([{ date: DAY, kwh_used: 3, peak_hour: '06:00' }]);
    expect(await days(home, 'commodity=electricity')).toEqual(await days(home, ''));
    expect(await days(home, 'commodity=gas')).toEqual([{ date: DAY, kwh_used: 3, m3_used: 0.75, peak_hour: '06:00' }]);
    expect(await days(home, 'commodity=water')).toEqual([{ date: DAY, m3_used: 0.125, peak_hour: '09:00' }]);
    expect(await days(home, 'commodity=heat')).toEqual([]);
    expect(await days(home, 'commodity=water&group_by=hour')).toEqual([
      { date: DAY, hour: '09:00', starts_at: `${DAY}T09:00:00Z`, m3_used: 0.125, peak_hour: '09:00' },
    ]);
    // Kolkata's offset is UTC+05:30, so each local hour consists of halves of two UTC hours.
    expect(await days(home, 'commodity=gas&group_by=hour&tz=Asia/Kolkata&include=coverage')).toMatchObject([
      { hour: '11:00', kwh_used: 1.25, m3_used: 0.25 },
      { hour: '12:00', kwh_used: 1.5, m3_used: 0.333, coverage: 1, complete: true },
      { hour: '13:00', kwh_used: 0.25, m3_used: 0.167 },
    ]);
  });

  test('report the estimated part and the coverage', async () => {
    const home = await api.user('homeowner');
    const meter = await pair(home);
    await registers(meter, 'gas/m3', [
      ['00:00', 0],
      ['06:00', 3],
      ['06:15', 3.5],
      ['12:00', 4],
    ]);
    expect(await days(home, 'commodity=gas&include=estimated,coverage')).toEqual([
      { date: DAY, m3_used: 4, peak_hour: '06:00', estimated_m3: 3.5, coverage: 0.5, complete: false },
    ]);
    // Adds a second gas meter, whose usage starts at its own first reading.
    await registers(await pair(home), 'gas', [
      ['12:00', 5],
      ['18:00', 6],
    ]);
    expect(await days(home, 'commodity=gas&include=estimated,coverage')).toEqual([
      {
        date: DAY,
        kwh_used: 1,
        m3_used: 4,
        peak_hour: '06:00',
        estimated_kwh: 1,
        estimated_m3: 3.5,
        coverage: 0.5,
        complete: false,
      },
    ]);
    const summary = await insights(home, 'commodity=gas&include=estimated');
    expect(summary).toMatchObject({ kwh_used: 1, m3_used: 4, estimated_kwh: 1, estimated_m3: 3.5 });
    expect(await insights(home, 'commodity=heat')).toMatchObject({ kwh_used: 0, peak_usage_time: null });
    const { text } = await api.send(`/v1/energy-insights?start=${DAY}&end=${DAY}&commodity=gas`, {
      key: home.key,
      headers: { accept: 'text/csv' },
    });
    expect(text).toBe(`date,kwh_used,m3_used,peak_hour\n${DAY},1,4,06:00\n`);
  });

  test('of excluded devices are not counted; power readings count if the device has no register', async () => {
    const home = await api.user('homeowner');
    const cellar = await pair(home);
    await registers(cellar, 'heat', [
      ['06:00', 1],
      ['07:00', 2],
    ]);
    await registers(await pair(home, { placement: 'excluded' }), 'heat', [
      ['06:00', 1],
      ['07:00', 8],
    ]);
    expect(await days(home, 'commodity=heat')).toMatchObject([{ kwh_used: 1 }]);
    await api.send(`/v1/devices/${cellar}`, { method: 'PATCH', key: home.key, body: { placement: 'excluded' } });
    expect(await days(home, 'commodity=heat')).toEqual([]);
  });

  test('are shown as sums of the month and the day; the breakdown lists electricity devices only', async () => {
    const home = await api.user('homeowner');
    const [boiler, gone] = [await pair(home, { type: 'gas_meter' }), await pair(home, { type: 'gas_meter' })];
    await registers(boiler, 'gas/m3', [
      ['00:00', 0],
      ['06:00', 3],
      ['06:15', 3.5],
    ]);
    await registers(gone, 'gas/m3', [
      ['06:00', 1],
      ['06:30', 2],
    ]);
    await registers(await pair(home, { placement: 'excluded' }), 'water/m3', [
      ['06:00', 1],
      ['07:00', 8],
    ]);
    const [meter, silent] = [await pair(home), await pair(home)];
    await registers(meter, 'import', [
      ['06:00', 1],
      ['07:00', 2],
    ]);
    await registers(meter, 'heat', [
      ['06:00', 1],
      ['07:00', 1.5],
    ]);
    await registers(meter, 'sml/unknown/wert_a', [['07:00', 1.5]]);
    const at = async (deviceId: string | undefined, now: string, date = now.slice(0, 10)) => {
      const asked = { unit: 'month', date, zone: 'UTC', now: new Date(now), newest: null } as const;
      return (await loadHomePeriod(api.db, { userId: home.userId, deviceId }, asked)).commodities;
    };
    const nothing = { used: null, estimated: null };
    const [gas, heat] = [
      { used: 4.5, estimated: 3 },
      { used: 0.5, estimated: 0 },
    ];
    expect(await at(undefined, `${DAY}T12:00:00Z`)).toEqual([
      { commodity: 'gas', unit: 'm³', used: gas, before: nothing, last_year: nothing },
      { commodity: 'heat', unit: 'kWh', used: heat, before: nothing, last_year: nothing },
    ]);
    expect(await days(home, 'commodity=gas&include=estimated')).toMatchObject([{ m3_used: 4.5, estimated_m3: 3 }]);
    // Four weeks later, this usage is returned as the usage of the previous period (`before`).
    const later = new Date(Date.parse(`${DAY}T12:00:00Z`) + 28 * 24 * 3_600_000).toISOString();
    expect(await at(undefined, later)).toMatchObject([
      { used: nothing, before: gas },
      { used: nothing, before: heat },
    ]);
    // A request for a single device returns its usage, whichever part of the home it measures.
    expect(await at(gone, `${DAY}T12:00:00Z`)).toMatchObject([{ used: { used: 1, estimated: 0 } }]);
    expect(await at(silent, `${DAY}T12:00:00Z`)).toEqual([]);
    // A deleted meter is listed only for times with data, an existing one always.
    await api.send(`/v1/devices/${meter}`, { method: 'DELETE', key: home.key });
    expect(await at(undefined, '2026-12-01T00:00:00Z')).toMatchObject([{ commodity: 'gas', used: nothing }]);

    const { devices } = await loadUsageBreakdown(api.db, home.userId, createDayRange(DAY, DAY, 'UTC'));
    expect(devices.map(({ device_id, import_kwh }) => [device_id, import_kwh])).toEqual([
      [meter, 1],
      [silent, null],
    ]);
  });

  test('can be requested with supported options; other options are refused', async () => {
    const home = await api.user('homeowner');
    for (const query of [
      'commodity=oil',
      'commodity=gas&include=grid_import',
      'commodity=gas&include=estimated,cost',
    ]) {
      const { status, json } = await api.send(`/v1/energy-insights?${query}`, { key: home.key });
      expect([status, json.details?.[0]?.field]).toEqual([422, query.includes('include') ? 'include' : 'commodity']);
    }
  });

  test('count from the first reading once an owner sets their meaning, and are removed with the account', async () => {
    const home = await api.user('homeowner');
    const meter = await pair(home);
    await registers(meter, 'cellar/import', [
      ['06:00', 1],
      ['07:00', 2],
    ]);
    expect(await days(home, '')).toMatchObject([{ kwh_used: 1 }]);
    const patch = { channels: [{ native_name: 'cellar/import energy_total_kwh', counts_as: 'heat' }] };
    const patched = await api.send(`/v1/devices/${meter}`, { method: 'PATCH', key: home.key, body: patch });
    expect([patched.status, patched.json.channels]).toEqual([200, [expect.objectContaining({ counts_as: 'heat' })]]);
    await registers(meter, 'cellar/import', [['08:00', 2.5]]);
    expect(await days(home, '')).toEqual([]);
    expect(await days(home, 'commodity=heat')).toMatchObject([{ kwh_used: 1.5 }]);
    const rows = () =>
      api.database.pool.query(
        'SELECT count(*)::int AS n FROM device_hourly WHERE left(user_id, length($1)) = $1 UNION ALL SELECT count(*)::int FROM user_daily WHERE left(user_id, length($1)) = $1',
        [home.userId],
      );
    expect((await rows()).rows.map(({ n }) => n > 0)).toEqual([true, true]);
    expect((await api.send(`/v1/users/${home.userId}`, { method: 'DELETE', key: home.key })).status).toBe(200);
    expect((await rows()).rows).toEqual([{ n: 0 }, { n: 0 }]);
  });
});
