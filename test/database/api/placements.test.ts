import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { loadHomePeriod } from '#src/energy/period/period.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { addToLoadProfile, type LoadProfileChange } from '#test/support/load-profile.ts';

const QUARTER_HOUR_MS = 900_000;
const DAY = '2026-06-10';
const DAY_MS = Date.parse(DAY);
const KWH = 1_000_000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

type Home = Awaited<ReturnType<TestApi['user']>>;

const send = (home: Home, method: string, path: string, body?: unknown) =>
  api.send(path, { method, key: home.key, ...(body === undefined ? {} : { body }) });

async function pair(home: Home, body: Record<string, unknown>): Promise<string> {
  const { status, json } = await send(home, 'POST', '/v1/devices', { location: 'x', ...body });
  expect([status, json]).toEqual([201, expect.anything()]);
  return json.device_id;
}

/** Stores the import and export of a device, in kWh, spread evenly over the day. Without `exported`, the device has no export channel. */
async function flows(
  home: Home,
  deviceId: string,
  imported: number,
  exported?: number,
  hours = [0, 24],
): Promise<void> {
  const [from = 0, to = 24] = hours;
  const quarters = (to - from) * 4;
  const directions = [true, ...(exported === undefined ? [] : [false])];
  for (const isImport of directions) {
    await api.database.pool.query(
      `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) VALUES ($1, $2, 'register', $3, $4) ON CONFLICT DO NOTHING`,
      [deviceId, isImport ? 'import' : 'export', isImport, !isImport],
    );
  }
  const rows = Array.from({ length: quarters }, (_, index) => ({
    deviceId,
    userId: home.userId,
    startsAtMs: DAY_MS + (from * 4 + index) * QUARTER_HOUR_MS,
    energyMilliwattHours: (imported * KWH) / quarters,
    exportMilliwattHours: ((exported ?? 0) * KWH) / quarters,
    readingCount: 1,
    coveredMs: QUARTER_HOUR_MS,
    exportCoveredMs: exported === undefined ? 0 : QUARTER_HOUR_MS,
  }));
  await addToLoadProfile(api.database, rows as unknown as LoadProfileChange[]);
}

const ALL =
  'grid_import,grid_export,production,charged,discharged,consumption,untracked,self_consumed,autarky,estimated,coverage';
async function day(home: Home, include = ALL) {
  const query = `start=${DAY}&end=${DAY}${include && `&include=${include}`}`;
  const { json } = await send(home, 'GET', `/v1/energy-insights?${query}`);
  return json.data[0];
}

describe('a home’s usage', () => {
  test('is not the sum of its devices’ imports: a meter, a plug behind it and an inverter', async () => {
    const home = await api.user('homeowner');
    const meter = await pair(home, { type: 'smart_meter' });
    const plug = await pair(home, { type: 'smart_plug' });
    const inverter = await pair(home, { type: 'solar_inverter' });
    await flows(home, meter, 10, 7);
    await flows(home, plug, 2);
    await flows(home, inverter, 0, 9);
    expect(await day(home)).toMatchObject({
      kwh_used: 12,
      grid_import_kwh: 10,
      grid_export_kwh: 7,
      production_kwh: 9,
      charged_kwh: null,
      discharged_kwh: null,
      consumption_kwh: 2,
      untracked_kwh: 10,
      self_consumed_kwh: 2,
      autarky: 0.166,
      estimated_kwh: 0,
      coverage: 1,
      complete: true,
    });
    expect(await day(home, '')).toEqual({ date: DAY, kwh_used: 12, peak_hour: '00:00' });
    const { json } = await send(home, 'POST', '/v1/energy-insights', { start: DAY, end: DAY, include: 'grid_export' });
    expect(json.summary).toMatchObject({ total_kwh: 12, avg_daily_kwh: 12, grid_export_kwh: 7 });
    const { json: months } = await send(home, 'GET', '/v1/analytics/monthly?months=1');
    expect(months.data).toMatchObject([{ month: '2026-06', kwh_used: 12 }]);
    for (const zone of ['UTC', 'Asia/Kolkata']) {
      const of = (unit: 'day' | 'month') =>
        loadHomePeriod(api.db, { userId: home.userId }, { unit, date: '2026-06-15', zone, now: api.now, newest: null });
      const shown = await of('month');
      const total = shown.buckets.reduce((sum, { kwh_used }) => sum + kwh_used, 0);
      expect([shown.used.kwh_used, total].map((kwh) => Math.round(kwh ?? 0))).toEqual([12, 12]);
      expect(shown.flows).toMatchObject({ grid_import_kwh: 10, production_kwh: 9, untracked_kwh: 10 });
      expect((await of('day')).flows).toMatchObject({ grid_import_kwh: null, production_kwh: null });
      // The average week contains only hours whose coverage is complete.
      expect(shown.week.cells).toHaveLength(zone === 'UTC' ? 24 : 23);
    }
  });

  test('includes the charge and discharge of a battery', async () => {
    const home = await api.user('homeowner');
    await flows(home, await pair(home, { type: 'smart_meter' }), 8, 1);
    await flows(home, await pair(home, { type: 'battery' }), 4, 3);
    // If a plug measures solar panels, the panels' production is the plug's import.
    await flows(home, await pair(home, { type: 'smart_plug', placement: 'production' }), 6);
    expect(await day(home)).toMatchObject({
      kwh_used: 12,
      charged_kwh: 4,
      discharged_kwh: 3,
      production_kwh: 6,
      complete: true,
    });
  });

  test('is limited by physical bounds if meters disagree, and the answer reports it', async () => {
    const home = await api.user('homeowner');
    await flows(home, await pair(home, { type: 'smart_meter' }), 5, 9);
    await flows(home, await pair(home, { type: 'solar_inverter' }), 0, 1);
    expect(await day(home)).toMatchObject({ kwh_used: 5, complete: false, coverage: 1, autarky: 0 });
  });

  test('is limited by the battery’s charge from the time of the meter only', async () => {
    const home = await api.user('homeowner');
    await flows(home, await pair(home, { type: 'smart_meter' }), 5, 9, [12, 24]);
    await flows(home, await pair(home, { type: 'solar_inverter' }), 0, 1, [12, 24]);
    await flows(home, await pair(home, { type: 'battery' }), 4, 0, [0, 12]);
    expect(await day(home)).toMatchObject({ kwh_used: 5, charged_kwh: 4, complete: false });
  });

  test('with an unexplained export equals the import, and is incomplete', async () => {
    const home = await api.user('homeowner');
    await flows(home, await pair(home, { type: 'smart_meter' }), 5, 9);
    expect(await day(home)).toMatchObject({ kwh_used: 5, complete: false, coverage: 1, self_consumed_kwh: null });
  });

  test('is the consumption of plugs while there is no meter', async () => {
    const home = await api.user('homeowner');
    await flows(home, await pair(home, { type: 'smart_plug' }), 24);
    await flows(home, await pair(home, { type: 'smart_meter' }), 30, undefined, [12, 24]);
    expect(await day(home)).toMatchObject({
      kwh_used: 42,
      consumption_kwh: 24,
      untracked_kwh: 18,
      grid_import_kwh: 30,
    });
  });

  test('counts a device behind another device once, even if an excluded device lies between them', async () => {
    const home = await api.user('homeowner');
    const circuit = await pair(home, { type: 'circuit' });
    const left_out = await pair(home, { type: 'x', placement: 'excluded', upstream_device_id: circuit });
    const plug = await pair(home, { type: 'smart_plug', upstream_device_id: left_out });
    await flows(home, circuit, 10);
    await flows(home, left_out, 100);
    await flows(home, plug, 3);
    expect(await day(home)).toMatchObject({ kwh_used: 10, untracked_kwh: null, autarky: null, grid_import_kwh: null });
    // The setting applies to the past at once, and so does its removal.
    await send(home, 'PATCH', `/v1/devices/${plug}`, { upstream_device_id: null });
    expect(await day(home)).toMatchObject({ kwh_used: 13 });
    await send(home, 'PATCH', `/v1/devices/${left_out}`, { placement: 'consumption' });
    await send(home, 'PATCH', `/v1/devices/${plug}`, { upstream_device_id: circuit });
    expect(await day(home)).toMatchObject({ kwh_used: 10 });
    await send(home, 'PATCH', `/v1/devices/${circuit}`, { placement: 'grid' });
    expect(await day(home)).toMatchObject({ kwh_used: 10, consumption_kwh: 103 });
  });
});

describe('a placement', () => {
  test.each([
    ['smart_meter', 'grid'],
    ['solar_inverter', 'production'],
    ['battery', 'storage'],
    ['thermostat', 'consumption'],
    ['gas_meter', 'consumption'],
  ])('of a %s is %s until its owner sets another one', async (type, placement) => {
    const home = await api.user('homeowner');
    const id = await pair(home, { type });
    expect((await send(home, 'GET', `/v1/devices/${id}`)).json).toMatchObject({ placement, upstream_device_id: null });
    // If the owner has not set the measured part of the home (placement), it follows the device's type. The owner's setting is not changed.
    await send(home, 'PATCH', `/v1/devices/${id}`, { type: 'battery' });
    expect((await send(home, 'GET', '/v1/devices')).json[0].placement).toBe('storage');
    await send(home, 'PATCH', `/v1/devices/${id}`, { placement: 'excluded' });
    await send(home, 'PATCH', `/v1/devices/${id}`, { type });
    expect((await send(home, 'GET', '/v1/devices')).json[0].placement).toBe('excluded');
  });

  test('must be set by the owner of discovered devices if several of them report energy', async () => {
    const home = await api.user('homeowner');
    const meter = await pair(home, { type: 'smart_meter' });
    await pair(home, { type: 'thermostat' });
    await flows(home, meter, 1);
    const gateway = (await send(home, 'POST', '/v1/gateways', { name: 'bridge' })).json.gateway_id;
    const pairDiscovered = async (nativeId: string): Promise<string> => {
      await api.database.pool.query(
        `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id) VALUES ($1, $2, 'tasmota', $3)`,
        [`dsc_${nativeId}`, gateway, nativeId],
      );
      return pair(home, { type: 'smart_plug', discovery_id: `dsc_${nativeId}` });
    };
    const attention = async () =>
      Object.fromEntries(
        (await send(home, 'GET', '/v1/devices')).json.map((one: { device_id: string; attention: string[] }) => [
          one.device_id,
          one.attention.filter((word) => word === 'placement_guessed'),
        ]),
      );
    expect(Object.values(await attention())).toEqual([[], []]);
    const plug = await pairDiscovered('plug');
    await flows(home, plug, 1);
    // The person who paired the meter chose its type, so no confirmation is needed.
    expect(await attention()).toMatchObject({ [meter]: [], [plug]: ['placement_guessed'] });
    await send(home, 'PATCH', `/v1/devices/${plug}`, { placement: 'consumption' });
    expect(await attention()).toMatchObject({ [meter]: [], [plug]: [] });
  });

  test('that is contradictory is refused', async () => {
    const [home, other] = [await api.user('homeowner'), await api.user('homeowner')];
    const [first, second] = [await pair(home, { type: 'a' }), await pair(home, { type: 'b' })];
    const foreign = await pair(other, { type: 'c' });
    const status = async (method: string, path: string, body: unknown) => (await send(home, method, path, body)).status;
    expect(await status('PATCH', `/v1/devices/${second}`, { upstream_device_id: first })).toBe(200);
    expect(await status('PATCH', `/v1/devices/${first}`, { upstream_device_id: second })).toBe(422);
    expect(await status('PATCH', `/v1/devices/${first}`, { upstream_device_id: first })).toBe(422);
    for (const upstream_device_id of [foreign, 'dev_none', '', 'a\u0000b']) {
      expect(await status('PATCH', `/v1/devices/${first}`, { upstream_device_id })).toBe(422);
      expect(await status('POST', '/v1/devices', { type: 'x', location: 'x', upstream_device_id })).toBe(422);
    }
    expect(await status('PATCH', `/v1/devices/${first}`, { placement: 'roof' })).toBe(422);
    expect(await status('PATCH', `/v1/devices/${foreign}`, { upstream_device_id: first })).toBe(404);
    expect(await status('PATCH', `/v1/devices/${first}`, { placement: 'grid', upstream_device_id: null })).toBe(200);
  });
});

test('a channel can have its own placement, which applies to its whole past: one clamp on the grid, one on the roof', async () => {
  const home = await api.user('homeowner');
  const clamps = await pair(home, { type: 'shelly_em' });
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const sendRegisters = async (at: string, grid: number, back: number, roof: number) => {
    const ts = `${DAY}T${at}:00Z`;
    const readings = [
      { ts, channel: 'em0/import', energy_total_kwh: grid },
      { ts, channel: 'em0/export', energy_total_kwh: back },
      { ts, channel: 'em1/import', energy_total_kwh: roof },
    ];
    const message = createIncomingMessage({
      topic: getReadingsTopic(clamps),
      payload: Buffer.from(JSON.stringify(readings)),
      receivedAtMs: api.now.getTime(),
      replayed: false,
    });
    if (message) await writer.write([message]);
  };
  await sendRegisters('06:00', 0, 0, 0);
  await sendRegisters('07:00', 1, 2, 5);
  expect(await day(home, '')).toMatchObject({ kwh_used: 6 });

  const name = (channel: string) => `${channel} energy_total_kwh`;
  const patchChannels = (channels: unknown) => send(home, 'PATCH', `/v1/devices/${clamps}`, { channels });
  const placed = await patchChannels([
    { native_name: name('em0/import'), placement: 'grid' },
    { native_name: name('em0/export'), placement: 'grid' },
    { native_name: name('em1/import'), placement: 'production' },
  ]);
  expect([placed.status, placed.json.placement]).toEqual([200, 'consumption']);
  expect(placed.json.channels).toMatchObject([
    { native_name: name('em0/import'), counts_as: 'import', placement: 'grid' },
    { counts_as: 'export', placement: 'grid' },
    { counts_as: 'import', placement: 'production' },
  ]);
  await sendRegisters('08:00', 2, 3, 7);
  const expected = {
    kwh_used: 6,
    grid_import_kwh: 2,
    grid_export_kwh: 3,
    production_kwh: 7,
    consumption_kwh: null,
    self_consumed_kwh: 4,
    complete: false,
  };
  expect(await day(home)).toMatchObject(expected);
  expect(await day(home, '')).toMatchObject({ kwh_used: 6 });
  const usage = await send(home, 'GET', `/v1/devices/${clamps}/usage?start=${DAY}&end=${DAY}`);
  expect(usage.json.data).toMatchObject([{ kwh_used: 9 }]);
  // After the change, a check of the aggregates finds no difference, and a rebuild gives the same result.
  const since = new Date('2026-06-01');
  const pass = (mode: 'check' | 'rebuild') =>
    checkAllRollups(api.database.pool, { capabilities: api.database.capabilities, since, mode, userId: home.userId });
  expect(await pass('check')).toMatchObject({ differing: 0 });
  await pass('rebuild');
  expect(await day(home)).toMatchObject(expected);

  // Without a placement of its own, a channel measures the same part of the home as its device. The meaning of its register does not
  // change.
  await patchChannels([
    { native_name: name('em0/import'), placement: null, counts_as: 'import/t1' },
    { native_name: name('em0/export'), placement: null },
    { native_name: name('em1/import'), placement: 'excluded' },
  ]);
  await sendRegisters('08:05', 2, 3, 7);
  expect(await day(home, '')).toMatchObject({ kwh_used: 2 });
  const { json } = await patchChannels([{ native_name: name('em1/import'), placement: null }]);
  expect(json.channels.map(({ placement, counts_as }: Record<string, string>) => [placement, counts_as])).toEqual([
    [null, 'import/t1'],
    [null, 'export'],
    [null, 'import'],
  ]);
  await sendRegisters('08:10', 2, 3, 7);
  expect(await day(home, '')).toMatchObject({ kwh_used: 9 });
  expect((await patchChannels([{ native_name: name('em1/import'), placement: 'roof' }])).status).toBe(422);
});

test('an export over a gap is estimated, and so is the usage that it reduces', async () => {
  const home = await api.user('homeowner');
  const [meter, inverter] = [await pair(home, { type: 'smart_meter' }), await pair(home, { type: 'inverter' })];
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const sendIntervals = async (deviceId: string, readings: readonly (readonly [string, string, number])[]) => {
    const payload = readings.map(([at, channel, kwh]) => ({ ts: `${DAY}T${at}:00Z`, channel, energy_total_kwh: kwh }));
    const message = createIncomingMessage({
      topic: getReadingsTopic(deviceId),
      payload: Buffer.from(JSON.stringify(payload)),
      receivedAtMs: api.now.getTime(),
      replayed: false,
    });
    if (message) await writer.write([message]);
  };
  await sendIntervals(meter, [
    ['06:00', 'import', 0],
    ['09:00', 'import', 3],
    ['06:00', 'export', 0],
    ['09:00', 'export', 1.5],
  ]);
  await sendIntervals(inverter, [
    ['06:00', 'import', 0],
    ['07:00', 'import', 2],
    ['08:00', 'import', 4],
    ['09:00', 'import', 6],
  ]);
  expect(await day(home, 'estimated')).toMatchObject({ kwh_used: 7.5, estimated_kwh: 4.5, peak_hour: null });
  // A late export reading for 08:00 reduces the estimated part of the usage.
  await sendIntervals(meter, [['08:00', 'export', 0.5]]);
  expect(await day(home, 'estimated')).toMatchObject({ kwh_used: 7.5, estimated_kwh: 3.5 });
  await sendIntervals(meter, [
    ['07:00', 'export', 0.5],
    ['07:00', 'import', 1],
    ['08:00', 'import', 3],
  ]);
  expect(await day(home, 'estimated')).toMatchObject({ kwh_used: 7.5, estimated_kwh: 0, peak_hour: '07:00' });
  const { rows } = await api.database.pool.query(
    `SELECT sum(energy_milliwatt_hours)::int AS left FROM device_hourly WHERE device_id = $1 || '/estimated_export'`,
    [meter],
  );
  expect(rows).toEqual([{ left: null }]);
});

test('for one device, include has the measures of its placement, its export and the coverage of its import', async () => {
  const home = await api.user('homeowner');
  const battery = await pair(home, { type: 'battery' });
  await flows(home, battery, 4, 3, [0, 12]);
  const usage = async (id: string, include: string, group = 'day') =>
    (await send(home, 'GET', `/v1/devices/${id}/usage?start=${DAY}&end=${DAY}&group_by=${group}&include=${include}`))
      .json;
  expect((await usage(battery, `${ALL},export`)).data).toEqual([
    {
      date: DAY,
      kwh_used: 4,
      peak_hour: '00:00',
      grid_import_kwh: null,
      grid_export_kwh: null,
      production_kwh: null,
      charged_kwh: 4,
      discharged_kwh: 3,
      consumption_kwh: null,
      untracked_kwh: null,
      self_consumed_kwh: null,
      autarky: null,
      estimated_kwh: 0,
      // Coverage is computed only for the time after the device's first reading.
      coverage: 0.5,
      complete: false,
      export_kwh: 3,
    },
  ]);
  expect((await usage(battery, 'coverage', 'hour')).data).toHaveLength(12);
  const inverter = await pair(home, { type: 'solar_inverter' });
  await flows(home, inverter, 0, 5);
  expect((await usage(inverter, 'production,export')).data).toMatchObject([{ production_kwh: 5, export_kwh: 5 }]);
  const thermostat = await pair(home, { type: 'thermostat' });
  expect((await usage(thermostat, 'export')).data).toEqual([]);
  expect(await usage(thermostat, 'x')).toMatchObject({ status: 422 });
});

test('a request for one device returns nothing before it existed, however old its home is', async () => {
  const home = await api.user('homeowner');
  await flows(home, await pair(home, { type: 'smart_meter' }), 12);
  const inverter = await pair(home, { type: 'solar_inverter' });
  await flows(home, inverter, 0, 3, [20, 24]);
  const usage = async (groupBy: string) =>
    (
      await send(
        home,
        'GET',
        `/v1/devices/${inverter}/usage?start=${DAY}&end=${DAY}&group_by=${groupBy}&include=export`,
      )
    ).json.data;
  expect((await usage('hour')).map(({ hour }: { hour: string }) => hour)).toEqual(['20:00', '21:00', '22:00', '23:00']);
  expect(await usage('month')).toMatchObject([{ kwh_used: 0, export_kwh: 3 }]);
});

test.each(['x', '', 'grid_import,', 'cost2', 'export'])('include=%s is refused', async (include) => {
  const home = await api.user('homeowner');
  expect((await send(home, 'GET', `/v1/energy-insights?include=${include}`)).status).toBe(422);
  expect((await send(home, 'POST', '/v1/energy-insights', { interval: 'day', include })).status).toBe(422);
});

test('tz=account uses the zone of the requested user', async () => {
  const home = await api.user('homeowner');
  await send(home, 'PATCH', `/v1/users/${home.userId}`, { timezone: 'Asia/Kolkata' });
  await flows(home, await pair(home, { type: 'smart_meter' }), 24);
  const path = `/v1/energy-insights?start=${DAY}&end=${DAY}`;
  expect((await send(home, 'GET', `${path}&tz=account`)).json).toEqual(
    (await send(home, 'GET', `${path}&tz=Asia/Kolkata`)).json,
  );
  expect((await send(home, 'GET', `${path}&tz=account`)).json.data[0].kwh_used).toBe(18.5);
  const body = { start: DAY, end: DAY, tz: 'account' };
  expect((await send(home, 'POST', '/v1/energy-insights', body)).json.summary.total_kwh).toBe(18.5);
});

test('a row with unknown usage and another known measure contains that measure', async () => {
  const home = await api.user('homeowner');
  await flows(home, await pair(home, { type: 'solar_inverter' }), 0, 4);
  expect(await day(home, '')).toBeUndefined();
  expect(await day(home, 'production')).toEqual({ date: DAY, kwh_used: null, peak_hour: null, production_kwh: 4 });
});

test('an interpolated day has no peak hour', async () => {
  const home = await api.user('homeowner');
  const meter = await pair(home, { type: 'smart_meter' });
  const estimated = {
    estimatedMilliwattHours: KWH,
    energyMilliwattHours: KWH,
    readingCount: 1,
    coveredMs: QUARTER_HOUR_MS,
  };
  const rows = Array.from({ length: 96 }, (_, index) => ({
    deviceId: meter,
    userId: home.userId,
    startsAtMs: DAY_MS + index * QUARTER_HOUR_MS,
    ...(index < 48 ? estimated : { ...estimated, estimatedMilliwattHours: index < 52 ? KWH / 2 : KWH }),
  }));
  await addToLoadProfile(api.database, rows as unknown as LoadProfileChange[]);
  const peak = async (query: string) =>
    (await send(home, 'GET', `/v1/energy-insights?start=${DAY}&end=${DAY}&${query}`)).json.data[0].peak_hour;
  // The hour from 12:00 is the peak, because half of its energy was measured. All other hours are only estimated.
  for (const query of ['', 'group_by=month', 'tz=Africa/Lagos', 'include=estimated'])
    expect([query, await peak(query)]).toEqual([query, query.includes('Lagos') ? '13:00' : '12:00']);
  const zero = (row: (typeof rows)[number]) => ({ ...row, energyMilliwattHours: 0, readingCount: 0, coveredMs: 0 });
  await addToLoadProfile(
    api.database,
    rows
      .slice(48, 52)
      .map((row) => ({ ...zero(row), estimatedMilliwattHours: KWH / 2 })) as unknown as LoadProfileChange[],
  );
  for (const query of ['', 'group_by=month', 'tz=Africa/Lagos', 'include=estimated'])
    expect([query, await peak(query)]).toEqual([query, null]);
});
