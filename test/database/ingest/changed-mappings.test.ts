import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { sumImportedMilliwattHours } from '#test/support/meters.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const TOTAL = { topic: 'boiler/+/state', path: '$.total', unit: 'kWh', meaning: 'import', time_path: '$.at' };
const NOW = { ...TOTAL, path: '$.now', unit: 'W', meaning: 'power' };
const POWER = { topic: 'cellar/+/power', unit: 'W', meaning: 'power' };

/** Creates a home with a paired boiler. The mappings `first` decode its messages. */
async function boiler(first: readonly object[], path: string, body: string | object) {
  const home = await pairedHome({ mapping: first }, path, body);
  return { ...home, map: (mapping: readonly object[]) => home.configure({ mapping }) };
}

/**
 * Creates a home with a gateway, and pairs a device behind it. The gateway's `decoder_config` determines how the device's messages are
 * decoded.
 */
async function pairedHome(first: object, path: string, body: string | object) {
  const { userId, key } = await api.user('homeowner');
  const sent = (method: string) => (to: string, what: object) => api.send(to, { method, key, body: what });
  const { json: gateway } = await sent('POST')('/v1/gateways', { name: 'home' });
  const askToConfigure = (config: object) =>
    sent('PATCH')(`/v1/gateways/${gateway.gateway_id}`, { decoder_config: config });
  const configure = async (config: object) => {
    expect((await askToConfigure(config)).status).toBe(200);
  };
  const startMs = Math.floor(api.now.getTime() / 3_600_000) * 3_600_000 - 5 * 3_600_000;
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const receive = (topic: string, payload: string | object, minute: number) => {
    const message = createIncomingMessage({
      topic: `gw/${gateway.gateway_id}/${topic}`,
      payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
      receivedAtMs: startMs + minute * 60_000,
      replayed: false,
    });
    return writer.write(message ? [message] : []);
  };
  await configure(first);
  await receive(path, body, 0);
  const [found] = (await api.send(`/v1/devices/discovered?user_id=${userId}`, { key })).json;
  const { json: device } = await sent('POST')('/v1/devices', {
    type: 'smart_meter',
    location: 'cellar',
    discovery_id: found.discovery_id,
  });
  const { pool } = api.database;
  return {
    configure,
    askToConfigure,
    receive: receive,
    /** Sends a register reading with its own timestamp. `minute`: time of receipt; `at`: time of the reading. */
    sendRegister: (minute: number, total: number, at = minute) =>
      receive('boiler/b1/state', { total, at: new Date(startMs + at * 60_000).toISOString() }, minute),
    kwh: async () => (await sumImportedMilliwattHours(api.database, 'device_intervals', userId)) / 1e6,
    change: (patch: object) => sent('PATCH')(`/v1/devices/${device.device_id}`, patch),
    compute: () => recomputeChangedDevices(pool, writer),
    notes: async () =>
      (
        await pool.query(
          `SELECT verdict FROM reading_notes JOIN series USING (series_id) WHERE device_id = $1 ORDER BY read_at`,
          [device.device_id],
        )
      ).rows.map(({ verdict }) => verdict),
    /** Simulates that the mapping had been changed `times` times before the first reading. */
    splitBefore: (times: number) =>
      pool.query(
        `UPDATE series SET split_after = ARRAY(SELECT $2::timestamptz - n * interval '1 minute' FROM generate_series($3::integer, 1, -1) n)
         WHERE device_id = $1`,
        [device.device_id, new Date(startMs), times],
      ),
    splits: async () =>
      (await pool.query('SELECT split_after FROM series WHERE device_id = $1', [device.device_id])).rows,
    splitCount: async () =>
      (await pool.query('SELECT note FROM quantity_changes WHERE device_id = $1', [device.device_id])).rows,
  };
}

test('a register whose unit is changed does not count the jump, and continues from its first reading in the new unit', async () => {
  const home = await boiler([TOTAL, NOW], 'boiler/b1/state', { total: 12 });
  // The state of the device is in the writer's cache.
  for (const [minute, total] of [
    [10, 12],
    [20, 12.5],
    [30, 13],
  ] as const)
    await home.sendRegister(minute, total);
  expect(await home.kwh()).toBe(1);
  // The mapping had the wrong unit: 13 becomes 0.013 kWh.
  await home.map([{ ...TOTAL, unit: 'Wh' }, NOW]);
  // Only the mapping of the total has changed, so the device's other quantities continue.
  for (const minute of [35, 36, 37]) await home.receive('boiler/b1/state', { now: 900 }, minute);
  // The new values are up to 1,000 times higher. The jump is spread over more than an hour, so no limit of power detects it.
  for (const [minute, total] of [
    [110, 33_000],
    [120, 33_500],
    [130, 34_000],
  ] as const)
    await home.sendRegister(minute, total);
  expect(await home.kwh()).toBe(2);
  expect(await home.notes()).toEqual(['swap']);
  // This late reading is from before the change of the mapping, but the new mapping decodes it. Its value does not match its neighbours.
  expect(await home.sendRegister(132, 12_800, 25)).toMatchObject({ stored: 0, rejected: 1 });
  expect(await home.sendRegister(133, 13_000, 30)).toMatchObject({ stored: 0, rejected: 1 });
  // This late reading was sent after the change of the mapping.
  await home.sendRegister(140, 32_000, 100);
  expect(await home.kwh()).toBe(3);
  expect(await home.notes()).toEqual(['swap']);
  expect(await home.splitCount()).toMatchObject([{ note: expect.stringContaining('its decoder_config was changed') }]);
  // A recomputation must give the same energy as before.
  await home.change({ limit_kw: 50 });
  await home.compute();
  expect(await home.kwh()).toBe(3);
  await home.change({ channels: [{ native_name: 'boiler/+/state $.total', counts_as: 'export' }] });
  await home.compute();
  // The total no longer contributes to the import. Two minutes of the boiler's power contribute instead.
  expect(await home.kwh()).toBe(0.03);
  await home.change({ channels: [{ native_name: 'boiler/+/state $.total', counts_as: 'import' }] });
  await home.compute();
  expect(await home.kwh()).toBe(3);
});

test('a power whose scale is changed is not interpolated across the change; a change that still reads the same number causes no split', async () => {
  const home = await boiler([POWER], 'cellar/p1/power', '1000');
  for (const minute of [10, 20, 30]) await home.receive('cellar/p1/power', '1000', minute);
  expect(await home.kwh()).toBeCloseTo(1 / 3, 5);
  // The changed mapping reads the same power values, described in a different way. It also adds the total.
  await home.map([{ ...POWER, unit: 'kW', scale: 0.001 }, TOTAL]);
  expect(await home.splits()).toEqual([{ split_after: null }]);
  await home.receive('cellar/p1/power', '1000', 40);
  expect(await home.kwh()).toBeCloseTo(1 / 2, 5);
  await home.map([{ ...POWER, unit: 'kW' }]);
  await home.receive('cellar/p1/power', '1', 50);
  expect(await home.kwh()).toBeCloseTo(1 / 2, 5);
  await home.receive('cellar/p1/power', '1', 60);
  expect(await home.kwh()).toBeCloseTo(2 / 3, 5);
  // The device gets its own mapping, which takes precedence over the gateway's. Changes of the gateway's mapping then have no effect.
  const own = (unit: string) => home.change({ decoder_config: { mapping: [{ ...POWER, unit }] } });
  await own('kW');
  await home.map([POWER]);
  await home.receive('cellar/p1/power', '1', 65);
  expect(await home.kwh()).toBeCloseTo(2 / 3 + 1 / 12, 5);
  await own('W');
  await home.receive('cellar/p1/power', '1000', 75);
  await home.receive('cellar/p1/power', '1000', 85);
  expect(await home.kwh()).toBeCloseTo(2 / 3 + 1 / 12 + 1 / 6, 5);
  await home.change({ decoder_config: {} });
  // Two changes of the mapping without a reading between them split the series only once.
  await home.map([{ ...POWER, scale: -1 }]);
  await home.map([POWER]);
  expect((await home.splits())[0]?.split_after).toHaveLength(3);
});

test('a series is split a hundred times at most: a further change is refused with the reason, and counting continues', async () => {
  const home = await boiler([TOTAL], 'boiler/b1/state', { total: 12 });
  for (const [minute, total] of [
    [10, 12],
    [20, 12.5],
  ] as const)
    await home.sendRegister(minute, total);
  await home.splitBefore(99);
  await home.configure({ mapping: [{ ...TOTAL, unit: 'MWh' }] });
  await home.sendRegister(30, 0.013);
  await home.sendRegister(40, 0.0135);
  expect(await home.kwh()).toBe(1);
  const refused = {
    status: 422,
    json: { details: [{ field: 'decoder_config', message: expect.stringContaining('changed 100 times') }] },
  };
  expect(await home.askToConfigure({ mapping: [TOTAL] })).toMatchObject(refused);
  expect(await home.change({ decoder_config: { mapping: [TOTAL] } })).toMatchObject(refused);
  expect((await home.splits())[0]?.split_after).toHaveLength(100);
  // The device sends its register in MWh, as before.
  await home.sendRegister(50, 0.014);
  expect(await home.kwh()).toBe(1.5);
  // A different description of the same values does not split the series.
  await home.configure({ mapping: [{ ...TOTAL, scale: 1_000 }] });
  await home.sendRegister(60, 0.0145);
  expect(await home.kwh()).toBe(2);
});

const pulses = (pulses_per_kwh: number) => ({ emon: { 'cellar/pulse': { pulses_per_kwh } } });
const meter = (unit: string, multiplier = 1) => ({ meter: { 12345678: { unit, multiplier } } });
const wert = (unit: string, counts_as = 'import') => ({ tasmota: { 'MT1.Wert_A': { counts_as, unit } } });
const consumed = (count: number) => ({ Time: '', Type: 'SCM', Message: { ID: 12345678, Type: 7, Consumption: count } });

test.each([
  ['pulses of emon', 'emon/cellar/pulse', (n: number) => String(n), pulses(1_000), pulses(100)],
  ['a count of an ERT meter', 'rtlamr', consumed, meter('Wh'), meter('kWh', 0.01)],
  [
    'a register of a Tasmota script',
    'tele/m1/SENSOR',
    (n: number) => ({ MT1: { Wert_A: n } }),
    wert('Wh'),
    wert('kWh'),
  ],
  ['a device’s own setting', 'emon/cellar/pulse', (n: number) => String(n), pulses(1_000), pulses(100), 'own'],
])(
  '%s: a changed scale does not count a jump, and no other setting splits a series',
  async (_, topic, body, first, second, own?) => {
    const home = await pairedHome(first, topic, body(12_000));
    // Successive readings are an hour apart, so the default limit of 100 kW would allow a rise of up to 100 kWh.
    const sendCount = (hour: number, count: number) => home.receive(topic, body(count), 60 * hour);
    const before = {
      ...first,
      tz: 'Europe/Berlin',
      meter: { ...('meter' in first ? first.meter : {}), 99: { unit: 'kWh' } },
    };
    await sendCount(0, 12_000);
    await home.configure(before);
    await sendCount(1, 12_500);
    expect(await home.kwh()).toBe(0.5);
    expect(await home.splits()).toEqual([{ split_after: null }]);
    if (own) await home.change({ decoder_config: second });
    else await home.configure(second);
    for (const [hour, count] of [
      [2, 12_600],
      [3, 12_601],
      [4, 12_602],
    ] as const)
      await sendCount(hour, count);
    expect(await home.kwh()).toBeCloseTo(0.5 + 2 * ('tasmota' in second ? 1 : 0.01), 6);
    expect(await home.notes()).toEqual(['swap']);
    expect(await home.splits()).toMatchObject([{ split_after: [expect.any(Date)] }]);
  },
);
