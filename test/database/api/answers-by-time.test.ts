import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedReading, QuantityKind } from '#ingest/decoders/decoder.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createDatabase } from '#src/database/connect.ts';
import { readHomeReport } from '#src/homeassistant/home-report.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

/**
 * A channel can have several quantities, such as power and a register. At each time, energy is computed from only one of them: the one with
 * the highest precedence that has already had a reading. These tests check that all responses use this quantity.
 */
const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 4 * QUARTER_HOUR_MS;
const DAY_MS = 24 * HOUR_MS;
/** The data covers three days: two days from `START` to `BORDER`, and the first day of the next month from `BORDER` to `END`. */
const START = Date.UTC(2026, 3, 29);
const BORDER = START + 2 * DAY_MS;
const END = START + 3 * DAY_MS;
const BEFORE = { start: '2026-04-29', end: '2026-04-30' };
const AFTER = { start: '2026-05-01', end: '2026-05-01' };
const ALL = { start: '2026-04-29', end: '2026-05-01' };
/** Power of each home, constant at all times, in W. */
const POWER_W = 400;
const QUARTER_HOUR_KWH = 0.1;
const EVERY = 'production,self_consumed,coverage';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Returns the start of each quarter-hour from `fromMs` to `toMs`, both inclusive. */
const times = (fromMs: number, toMs: number) =>
  Array.from({ length: (toMs - fromMs) / QUARTER_HOUR_MS + 1 }, (_, at) => fromMs + at * QUARTER_HOUR_MS);
type Sent = readonly [readAtMs: number, channel: string, kind: QuantityKind, value: number];
const powers = (channel: string, fromMs: number, toMs: number): Sent[] =>
  times(fromMs, toMs).map((ms) => [ms, channel, 'power', POWER_W]);
/** Returns one reading per quarter-hour of a register that starts at 100 kWh. */
const registers = (channel: string, fromMs: number, toMs: number): Sent[] =>
  times(fromMs, toMs).map((ms, at) => [ms, channel, 'register', 100 + at * QUARTER_HOUR_KWH]);

async function home(...types: string[]) {
  const utility = await api.user('utility');
  const { key, userId } = await api.user('homeowner', { enrolledBy: utility.userId });
  await api.send(`/v1/users/${userId}`, { method: 'PATCH', key, body: { timezone: 'UTC' } });
  const deviceIds: string[] = [];
  for (const type of types) {
    const body = { type, location: 'x' };
    deviceIds.push((await api.send('/v1/devices', { method: 'POST', key, body })).json.device_id);
  }
  const [deviceId = ''] = deviceIds;
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const get = async (path: string) => (await api.send(path, { key })).json;
  const usageOf = async (query: string) => (await get(`/v1/devices/${deviceId}/usage?${query}`)).data;
  return {
    key,
    userId,
    deviceIds,
    async send(readings: readonly Sent[], of = deviceId) {
      const decoded = readings.map(
        ([readAtMs, channel, kind, value], element): DecodedReading => ({
          deviceId: of,
          channel,
          kind,
          readAtMs,
          intervalMs: 0,
          value: Math.round(value * (kind === 'power' ? 1_000 : 1_000_000)),
          element,
        }),
      );
      await writer.write([
        {
          topic: '',
          payload: Buffer.alloc(0),
          receivedAtMs: api.now.getTime(),
          decoded: { deviceId: of, readings: decoded, rejections: [] },
        },
      ]);
      await api.database.settle(api.now);
    },
    days: async (include: string) =>
      (await get(`/v1/energy-insights?start=${ALL.start}&end=${ALL.end}&include=${include}`)).data,
    usage: () => usageOf(`start=${ALL.start}&end=${ALL.end}&include=coverage`),
    usageOf,
    months: async () => (await get(`/v1/devices/${deviceId}/quality?start=${ALL.start}&end=${ALL.end}`)).data,
    async bill(days: object) {
      const path = '/v1/bill-periods';
      const body = { ...days, device_id: deviceId };
      return (await api.send(path, { method: 'POST', key: utility.key, body })).json;
    },
    async edit(body: object) {
      const { status } = await api.send(`/v1/devices/${deviceId}/edits`, {
        method: 'POST',
        key,
        body: { reason: 'x', ...body },
      });
      const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
      while ((await recomputeChangedDevices(api.database.pool, writer)) > 0);
      await api.database.settle(api.now);
      return status;
    },
  };
}

test('a device with a power and later two tariffs: only the power counts before the tariffs, and its whole time is known', async () => {
  const { send, days, usage, months } = await home('smart_meter');
  // Until the tariff registers begin, only the power contributes to the energy.
  await send(powers('import', START, BORDER));
  await send(['import/t1', 'import/t2'].flatMap((channel) => registers(channel, BORDER, END)));
  await send(powers('import', BORDER + QUARTER_HOUR_MS, END));
  const known = [
    { date: '2026-04-29', kwh_used: 9.6, coverage: 1, complete: true },
    { date: '2026-04-30', kwh_used: 9.6, coverage: 1, complete: true },
    { date: '2026-05-01', kwh_used: 19.2, coverage: 1, complete: true },
  ];
  expect(await days('coverage')).toMatchObject(known);
  expect(await days('complete')).toEqual(await days('coverage'));
  expect(await usage()).toMatchObject(known);
  expect(await months()).toMatchObject([
    { month: '2026-04', intervals_expected: 192, intervals_received: 192, intervals_partial: 0, import_kwh: 19.2 },
    { month: '2026-05', intervals_received: 96, intervals_partial: 0, import_kwh: 19.2 },
  ]);
});

test('a device with three phases and later a register: unknown time of a phase stays unknown', async () => {
  const { send, days, usage, months } = await home('smart_meter');
  await send(['import/l1', 'import/l2', 'import/l3'].flatMap((channel) => powers(channel, START, BORDER - DAY_MS)));
  // Phase L2 sends no readings on the second day.
  await send(
    ['import/l1', 'import/l3'].flatMap((channel) => powers(channel, BORDER - DAY_MS + QUARTER_HOUR_MS, BORDER)),
  );
  await send(registers('import', BORDER, END));
  await send(['import/l1', 'import/l2', 'import/l3'].flatMap((channel) => powers(channel, BORDER, END)));
  const known = [
    { date: '2026-04-29', kwh_used: 28.8, coverage: 1, complete: true },
    { date: '2026-04-30', kwh_used: 19.2, coverage: 0.666, complete: false },
    { date: '2026-05-01', kwh_used: 9.6, coverage: 1, complete: true },
  ];
  expect(await days('coverage')).toMatchObject(known);
  expect(await usage()).toMatchObject(known);
  expect(await months()).toMatchObject([
    { month: '2026-04', intervals_received: 96, intervals_partial: 96 },
    { month: '2026-05', intervals_received: 96, intervals_partial: 0 },
  ]);
});

test('a gap of two tariffs is distributed by earlier days, which were measured as power', async () => {
  const { send, usageOf } = await home('smart_meter');
  await send(powers('import', BORDER - 28 * DAY_MS, BORDER));
  const tariffs = ['import/t1', 'import/t2'].flatMap((channel) => registers(channel, BORDER, BORDER + 3 * DAY_MS));
  await send(tariffs.filter(([ms]) => ms <= BORDER + HOUR_MS || ms === BORDER + 3 * DAY_MS));
  expect(await usageOf('start=2026-05-02&end=2026-05-03&gaps=like_days')).toMatchObject([
    { kwh_used: 19.2, estimate: 'like_days' },
    { kwh_used: 19.2, estimate: 'like_days' },
  ]);
});

/**
 * Creates a home with two tariff registers and a total register. One tariff register sends one wrong value. On the last day, the energy
 * comes from the total register.
 */
async function tariffHome() {
  const made = await home('smart_meter');
  const tariffs = [...registers('import/t1', START, BORDER), ...registers('import/t2', START, BORDER)];
  const isWrong = ([ms, channel]: Sent) => ms === BORDER - DAY_MS - QUARTER_HOUR_MS && channel === 'import/t1';
  await made.send(tariffs.map((one) => (isWrong(one) ? [one[0], one[1], one[2], 90_000] : one)));
  await made.send([...registers('import', BORDER, END), ...registers('import/t1', BORDER + QUARTER_HOUR_MS, END)]);
  return made;
}

test('a bill names the registers that counted in its days, each with its energy', async () => {
  const { bill } = await tariffHome();
  const showed = (channel: string, end: string, energy: string) => ({
    channel,
    direction: 'import',
    at_start: { kwh: '100.000000' },
    at_end: { kwh: end },
    energy_kwh: energy,
  });
  const tariffs = ['import/t1', 'import/t2'].map((channel) => showed(channel, '119.200000', '19.200000'));
  const total = showed('import', '109.600000', '9.600000');
  const statementOf = (kwh: string, ...registers: object[]) => ({
    import_kwh: kwh,
    import_beside_registers_kwh: '0.000000',
    registers,
  });
  expect((await bill(BEFORE)).known_now).toMatchObject(statementOf('38.400000', ...tariffs));
  expect((await bill(AFTER)).known_now).toMatchObject(statementOf('9.600000', total));
  const whole = await tariffHome();
  expect((await whole.bill(ALL)).known_now).toMatchObject(statementOf('48.000000', total, ...tariffs));
});

test('findings and edits belong to the registers that count at their time', async () => {
  const { key, months, edit } = await tariffHome();
  expect(await months()).toMatchObject([{ findings: { glitches: 1 } }, { findings: { glitches: 0 } }]);
  const at = (ms: number) => new Date(ms).toISOString();
  const byHand = (native_name: string, ms: number) => ({ action: 'add', native_name, at: at(ms), kwh: 100.05 });
  expect(await edit(byHand('import/t1 energy_total_kwh', START + QUARTER_HOUR_MS / 2))).toBe(201);
  expect(await edit(byHand('import/t1 energy_total_kwh', BORDER + HOUR_MS + 1))).toBe(422);
  expect(await edit(byHand('import energy_total_kwh', BORDER - HOUR_MS + 1))).toBe(422);
  const feed = async ({ start, end }: typeof BEFORE) =>
    (
      await api.send(`/v1/energy-insights?start=${start}&end=${end}&group_by=hour`, {
        key,
        headers: { accept: 'application/atom+xml' },
      })
    ).text;
  expect((await feed(BEFORE)).match(/quality>7</g)?.length).toBe(1);
});

test('a power next to an unknown register keeps its counted energy, and the home its usage', async () => {
  const { deviceIds, userId, send, days } = await home('smart_meter', 'inverter');
  const [, inverter = ''] = deviceIds;
  await send(powers('import', START, BORDER));
  await send(registers('pv/export', BORDER - DAY_MS, END), inverter);
  await send([...powers('import', BORDER + QUARTER_HOUR_MS, END), ...registers('unknown/wert_a', BORDER, END)]);
  expect(await days(EVERY)).toMatchObject([
    { date: '2026-04-29', kwh_used: 9.6, production_kwh: null, self_consumed_kwh: null, coverage: 1, complete: true },
    { date: '2026-04-30', kwh_used: 19.2, production_kwh: 9.6, self_consumed_kwh: 9.6, coverage: 1, complete: true },
    {
      date: '2026-05-01',
      kwh_used: null,
      production_kwh: 9.6,
      self_consumed_kwh: null,
      coverage: 0.333,
      complete: null,
    },
  ]);
  // The report for Home Assistant must also contain the energy of the month.
  const owner = { userId, email: '', zone: 'UTC' };
  const { devices } = await readHomeReport(createDatabase(api.database.pool), owner, {
    now: new Date(BORDER - 1),
    isOnly: true,
  });
  expect(devices.find(({ deviceId }) => deviceId === deviceIds[0])?.values).toMatchObject({ import: 19.2 });
});
