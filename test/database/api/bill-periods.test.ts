import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

const HOUR_MS = 3_600_000;
/** 1 April, 00:00 in Berlin. */
const APRIL = Date.UTC(2026, 2, 31, 22);
const MAY = Date.UTC(2026, 3, 30, 22);

let api: TestApi;
let utility: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  utility = await api.user('utility');
});
afterAll(() => api.close());

/** Creates a meter of a home in Berlin, which is enrolled with a utility. */
async function meter() {
  const home = await api.user('homeowner', { enrolledBy: utility.userId });
  const patch = { timezone: 'Europe/Berlin' };
  await api.send(`/v1/users/${home.userId}`, { method: 'PATCH', key: home.key, body: patch });
  const body = { type: 'smart_meter', location: 'x', placement: 'grid' };
  const { device_id: deviceId } = (await api.send('/v1/devices', { method: 'POST', key: home.key, body })).json;
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const read = async (readings: readonly (readonly [number, number, string?])[], of = deviceId) => {
    const payload = readings.map(([ms, kwh, channel = 'import']) => ({
      ts: new Date(ms).toISOString(),
      energy_total_kwh: kwh,
      channel,
    }));
    const message = createIncomingMessage({
      topic: getReadingsTopic(of),
      payload: Buffer.from(JSON.stringify(payload)),
      receivedAtMs: api.now.getTime(),
      replayed: false,
    });
    if (message) await writer.write([message]);
  };
  return { ...home, deviceId, read };
}

const post = (path: string, body?: unknown, key = utility.key) =>
  api.send(path, { method: 'POST', key, ...(body === undefined ? {} : { body }) });
const make = (body: unknown) => post('/v1/bill-periods', body);
const close = (id: string) => post(`/v1/bill-periods/${id}/close`);
const get = (id: string, key = utility.key, accept = 'application/json') =>
  api.send(`/v1/bill-periods/${id}`, { key, headers: { accept } });

/** Returns JSON with sorted members and without white space (docs/billing.md), from which a reader of the bill computes the same hash. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical((value as Record<string, unknown>)[name])}`)}}`;
};
const verified = ({ sha256, ...statement }: { sha256: string }) =>
  createHash('sha256').update(canonical(statement)).digest('hex') === sha256;

test('a period continues where the previous one ended, although the account’s zone has changed since', async () => {
  const { userId, key } = await meter();
  const zone = (timezone: string) => api.send(`/v1/users/${userId}`, { method: 'PATCH', key, body: { timezone } });
  const made = async (start: string, end: string) =>
    (await make({ user_id: userId, start, end })).json.last_told as { starts_at: string; ends_at: string };
  const days = (month: string, last: string) => made(`2026-${month}-01`, `2026-${month}-${last}`);
  await zone('UTC');
  const april = await days('04', '30');
  // In Berlin, May begins two hours before April ends in UTC.
  await zone('Europe/Berlin');
  const may = await days('05', '31');
  expect([april.ends_at, may.starts_at, may.ends_at]).toEqual([
    '2026-05-01T00:00:00.000Z',
    '2026-05-01T00:00:00.000Z',
    '2026-05-31T22:00:00.000Z',
  ]);
  // In London, June begins an hour later than in Berlin. That hour must be billed, too.
  await zone('Europe/London');
  expect((await days('06', '30')).starts_at).toBe(may.ends_at);
  expect((await days('03', '31')).ends_at).toBe(april.starts_at);
  expect(await make({ user_id: userId, start: '2026-05-31', end: '2026-06-01' })).toMatchObject({ status: 409 });
});

test('a period records the known energy, and later returns the first statement, the current sums, and the difference', async () => {
  const { userId, deviceId, read, key } = await meter();
  // Readings of two tariff registers and an export register: around the start of April, during April, at its end, and in May.
  const round = (ms: number, t1: number, t2: number, out: number) =>
    [
      [ms, t1, 'import/t1'],
      [ms, t2, 'import/t2'],
      [ms, out, 'export'],
    ] as const;
  await read([
    ...round(APRIL - HOUR_MS / 2, 100, 50, 7),
    ...round(APRIL + HOUR_MS / 2, 100.4, 50, 7),
    ...round(APRIL + 5 * HOUR_MS, 101, 52.000001, 7.5),
    ...round(MAY, 130, 80, 9),
    ...round(MAY + 20 * HOUR_MS, 131, 80, 9),
  ]);
  const made = await make({ device_id: deviceId, start: '2026-04-01', end: '2026-04-30' });
  expect(made.status).toBe(201);
  const id = made.json.bill_period_id;
  expect(made.json).toMatchObject({
    user_id: userId,
    device_id: deviceId,
    timezone: 'Europe/Berlin',
    status: 'open',
    first_told: {
      version: 1,
      cause: 'first',
      starts_at: '2026-03-31T22:00:00.000Z',
      ends_at: '2026-04-30T22:00:00.000Z',
      // Sum of both tariff registers: 130 − 100.2 plus 80 − 50 kWh.
      import_kwh: '59.800000',
      export_kwh: '2.000000',
      intervals: 30 * 96,
      intervals_known: 30 * 96,
      registers: [
        { channel: 'export', direction: 'export', energy_kwh: '2.000000' },
        {
          channel: 'import/t1',
          direction: 'import',
          at_start: { kwh: '100.200000', at: '2026-03-31T22:00:00.000Z', is: 'interpolated' },
          at_end: { kwh: '130.000000', at: '2026-04-30T22:00:00.000Z', is: 'measured' },
          energy_kwh: '29.800000',
        },
        { channel: 'import/t2', energy_kwh: '30.000000' },
      ],
      import_beside_registers_kwh: '0.000000',
      export_beside_registers_kwh: '0.000000',
      adjustments: [],
      billed_import_kwh: '59.800000',
      previous_sha256: null,
    },
    difference: { import_kwh: '0.000000' },
  });
  expect(verified(made.json.first_told)).toBe(true);
  expect(verified({ ...made.json.first_told, import_kwh: '59.800001' })).toBe(false);

  // A late reading shows that 0.1 kWh more of the hour around midnight belongs to April.
  await read([[APRIL, 100.1, 'import/t1']]);
  const later = (await get(id, key)).json;
  expect(later).toMatchObject({
    first_told: made.json.first_told,
    known_now: { import_kwh: '59.900000' },
    difference: { import_kwh: '0.100000', export_kwh: '0.000000' },
  });
  const recorded = (await post(`/v1/bill-periods/${id}/versions`)).json;
  expect(recorded.versions).toMatchObject([
    { version: 1, cause: 'first', import_change_kwh: '59.800000' },
    { version: 2, cause: 'again', import_change_kwh: '0.100000', import_kwh: '59.900000' },
  ]);
  expect(recorded.last_told.previous_sha256).toBe(made.json.first_told.sha256);
  expect(verified(recorded.last_told)).toBe(true);

  // The home's connection point has its own bill period for the same days.
  const home = await make({ user_id: userId, start: '2026-04-01', end: '2026-04-30' });
  expect(home.json.first_told).toMatchObject({ device_id: null, import_kwh: '59.900000', export_kwh: '2.000000' });
  expect(home.json.first_told.registers.map(({ channel }: { channel: string }) => channel)).toEqual([
    'export',
    'import/t1',
    'import/t2',
  ]);
  const rows = (await api.send('/v1/bill-periods', { key })).json;
  expect(rows.map((row: { bill_period_id: string }) => row.bill_period_id)).toEqual([id, home.json.bill_period_id]);
  expect((await api.send(`/v1/bill-periods?device_id=${deviceId}`, { key })).json).toHaveLength(1);
});

test('a bill is exported with register values and its checksum, as a table and as Green Button', async () => {
  const { deviceId, read, key } = await meter();
  await read([
    [APRIL - HOUR_MS, 100],
    [APRIL + HOUR_MS, 101],
    [APRIL + 2 * HOUR_MS, 102],
    [APRIL + 24 * HOUR_MS, 110.25],
  ]);
  const { json } = await make({ device_id: deviceId, start: '2026-04-01', end: '2026-04-01' });
  const { bill_period_id: id, first_told: firstTold } = json;
  const csv = (await get(id, key, 'text/csv')).text.trim().split('\n');
  const about = `${id},1,${firstTold.recorded_at},${firstTold.user_id},${deviceId},2026-04-01,2026-04-01,Europe/Berlin`;
  const estimated = firstTold.estimated_kwh;
  expect(Number(estimated)).toBeGreaterThan(8);
  expect(csv.slice(1)).toEqual([
    `${about},import,,,,,,,,9.750000,${estimated},0.000000,9.750000,${firstTold.sha256}`,
    `${about},export,,,,,,,,0.000000,,0.000000,0.000000,${firstTold.sha256}`,
    `${about},import,import,100.500000,2026-03-31T22:00:00.000Z,interpolated,110.250000,2026-04-01T22:00:00.000Z,measured,9.750000,,,,${firstTold.sha256}`,
  ]);
  const list = (await api.send('/v1/bill-periods', { key, headers: { accept: 'text/csv' } })).text.split('\n');
  expect(list[1]).toContain(firstTold.sha256);

  const { text, headers } = await get(id, key, 'application/atom+xml');
  expect(headers['content-type']).toContain('application/atom+xml');
  expect(text).toContain(`SHA-256 ${firstTold.sha256}</subtitle>`);
  const registers = [...text.matchAll(/<espi:accumulationBehaviour>1<.*?<\/entry>\n<entry>(.*?)<\/entry>/gs)];
  expect(registers).toHaveLength(1);
  const second = (ms: number) =>
    `<espi:timePeriod><espi:duration>0</espi:duration><espi:start>${ms / 1_000}</espi:start></espi:timePeriod>`;
  expect(registers[0]?.[1]).toContain(
    `<espi:quality>9</espi:quality></espi:ReadingQuality>${second(APRIL)}<espi:value>100500000</espi:value>`,
  );
  expect(registers[0]?.[1]).toContain(
    `<espi:IntervalReading>${second(APRIL + 24 * HOUR_MS)}<espi:value>110250000</espi:value>`,
  );
  // The energies of the hours must add up to the billed energy.
  const hours = [
    ...text.matchAll(
      /<espi:duration>3600<\/espi:duration><espi:start>\d+<\/espi:start><\/espi:timePeriod><espi:value>(\d+)</g,
    ),
  ];
  expect(hours).toHaveLength(24);
  expect(hours.reduce((sum, [, value]) => sum + Number(value), 0)).toBe(9_750_000);
});

test('corrections of a closed period are billed with the next open one', async () => {
  const { deviceId, read } = await meter();
  const DAY_MS = 24 * HOUR_MS;
  await read(Array.from({ length: 10 }, (_, day) => [APRIL + day * DAY_MS, 100 + day] as const));
  const day = async (first: string, last = first) =>
    (await make({ device_id: deviceId, start: `2026-04-${first}`, end: `2026-04-${last}` })).json.bill_period_id;
  const [first, second, third] = [await day('01', '02'), await day('03'), await day('04', '06')];
  expect((await close(first)).json).toMatchObject({
    status: 'closed',
    corrections: [],
    last_told: { cause: 'closing' },
  });
  await close(second);
  // A corrected register value, 102.75 at noon, moves energy from 3 April to 2 April.
  await read([
    [APRIL + 1.5 * DAY_MS, 101.9],
    [APRIL + 2.5 * DAY_MS, 102.75],
    [APRIL + 3 * DAY_MS, 102.8],
  ]);
  expect((await get(second)).json).toMatchObject({
    first_told: { import_kwh: '1.000000' },
    known_now: { import_kwh: '0.800000' },
    corrections: [{ told_in: third, status: 'waiting', import_kwh: '-0.200000' }],
  });
  expect((await get(third)).json).toMatchObject({
    known_now: { import_kwh: '3.200000' },
    adjustments: [{ bill_period_id: second, start: '2026-04-03', end: '2026-04-03', import_kwh: '-0.200000' }],
  });
  const closed = (await close(third)).json;
  expect(closed.last_told).toMatchObject({
    import_kwh: '3.200000',
    adjustments: [{ bill_period_id: second, import_kwh: '-0.200000' }],
    billed_import_kwh: '3.000000',
  });
  expect(verified(closed.last_told)).toBe(true);
  expect((await get(second)).json.corrections).toMatchObject([{ told_in: third, status: 'told' }]);
  // All periods are closed, so further corrections wait for the next period.
  await read([
    [APRIL + 0.5 * DAY_MS, 100.9],
    [APRIL + DAY_MS, 100.95],
  ]);
  expect((await get(first)).json.corrections).toEqual([]);
  await read([[APRIL, 99.9]]);
  expect((await get(first)).json.corrections).toMatchObject([
    { told_in: null, status: 'waiting', import_kwh: '0.100000' },
  ]);
  const fourth = await day('07', '08');
  expect((await get(first)).json.corrections).toMatchObject([{ told_in: fourth, status: 'waiting' }]);
});

test('a bill includes late readings, even if they precede all earlier received ones', async () => {
  const { userId, deviceId, key, read } = await meter();
  const body = { type: 'smart_plug', location: 'x' };
  const plug = (await api.send('/v1/devices', { method: 'POST', key, body })).json.device_id;
  // Sends readings of the meter and of a plug behind it. Both measure all imported energy, which must be billed only once.
  const bought = async (hour: number, kwh: number) => {
    const readings = [[APRIL + hour * HOUR_MS, kwh] as const, [APRIL + (hour + 1) * HOUR_MS, kwh + 1] as const];
    await read(readings);
    await read(readings, plug);
  };
  const day = async (start: string) => (await make({ user_id: userId, start, end: start })).json;
  await bought(9, 100);
  const [first, second] = [await day('2026-04-01'), await day('2026-04-02')].map((made) => made.bill_period_id);
  await bought(7, 99);
  expect((await post(`/v1/bill-periods/${first}/versions`)).json.last_told).toMatchObject({ import_kwh: '2.000000' });
  await bought(5, 98);
  expect((await close(first)).json.last_told).toMatchObject({ import_kwh: '3.000000' });
  // Late readings are billed when a period is closed.
  await bought(3, 97);
  expect((await close(second)).json.last_told).toMatchObject({ billed_import_kwh: '1.000000' });
  // Late readings are included in the first version of a new period, too.
  await bought(-30, 96);
  expect((await day('2026-03-31')).last_told.registers).toMatchObject([{ device_id: deviceId }]);
});

test('a deleted device is billed until its deletion, to callers that can access its last owner', async () => {
  const { deviceId, read, key } = await meter();
  await read([
    [APRIL, 100],
    [APRIL + HOUR_MS, 101.5],
  ]);
  await api.send(`/v1/devices/${deviceId}`, { method: 'DELETE', key });
  const april = { device_id: deviceId, start: '2026-04-01', end: '2026-04-30' };
  const { status, json } = await make(april);
  expect([status, json.first_told]).toMatchObject([201, { device_id: deviceId, import_kwh: '1.500000' }]);
  expect(json.first_told.registers).toMatchObject([
    { at_start: { kwh: '100.000000' }, at_end: { kwh: '101.500000', is: 'last' }, energy_kwh: '1.500000' },
  ]);
  expect((await close(json.bill_period_id)).json.last_told.billed_import_kwh).toBe('1.500000');
  const stranger = await api.user('utility');
  expect((await post('/v1/bill-periods', april, stranger.key)).status).toBe(404);
});

test('days are billed once, a closed period does not change, and an unfinished one stays open', async () => {
  const { userId, deviceId, key } = await meter();
  const { json } = await make({ device_id: deviceId, start: '2026-04-01', end: '2026-04-30' });
  const id = json.bill_period_id;
  const days = { device_id: deviceId, start: '2026-04-30', end: '2026-05-02' };
  expect((await make(days)).json).toMatchObject({
    status: 409,
    error: expect.stringContaining('contains some of these days'),
  });
  expect((await close(id)).status).toBe(200);
  for (const path of ['close', 'versions'])
    expect((await post(`/v1/bill-periods/${id}/${path}`)).json).toMatchObject({
      status: 409,
      error: expect.stringContaining('is closed'),
    });
  expect((await api.send(`/v1/bill-periods/${id}`, { method: 'DELETE', key: utility.key })).status).toBe(409);
  const running = (await make({ device_id: deviceId, start: '2026-06-01', end: '2026-06-30' })).json;
  expect((await close(running.bill_period_id)).json.error).toBe('The bill period is not over yet');
  expect(
    (await api.send(`/v1/bill-periods/${running.bill_period_id}`, { method: 'DELETE', key: utility.key })).status,
  ).toBe(200);
  expect((await get(running.bill_period_id)).status).toBe(404);
  for (const [body, field] of [
    [{ ...days, end: '2026-04-29' }, 'end'],
    [{ ...days, end: '2027-05-01' }, 'end'],
    [{ ...days, start: '2026-06-17', end: '2026-06-18' }, 'start'],
    [{ ...days, start: '2026-02-30' }, 'start'],
    [{ ...days, user_id: userId }, 'device_id'],
  ] as const) {
    const { status, json } = await make(body);
    expect([status, json.details[0].field]).toEqual([422, field]);
  }
  // The home's owner can read a bill period, but cannot create one.
  expect((await get(id, key)).status).toBe(200);
  expect((await post('/v1/bill-periods', { start: '2026-05-01', end: '2026-05-02' }, key)).status).toBe(403);
  expect((await make({ device_id: 'dev_x', start: '2026-05-01', end: '2026-05-02' })).status).toBe(404);
  await expect(api.database.pool.query('UPDATE bill_versions SET version = 7')).rejects.toThrow('append-only');
});

test('registers are stated with their energy across resets, swaps, jitter and held readings', async () => {
  const { deviceId, read } = await meter();
  const at = (hours: number) => APRIL + hours * HOUR_MS;
  await read([
    [at(1), 100],
    [at(2), 101],
    // First the register loses its fraction at a reboot, then it starts again from 0, then the meter is replaced.
    [at(3), 100.95],
    [at(4), 101.5],
    [at(5), 0.5],
    [at(6), 1],
    [at(7), 1.5],
    [at(8), 8_000],
    [at(9), 8_001],
    [at(10), 8_001.5],
    // This reading is implausible, so it does not count until later readings confirm it.
    [at(11), 900_000],
  ]);
  const { json } = await make({ device_id: deviceId, start: '2026-04-01', end: '2026-04-01' });
  expect(json.first_told).toMatchObject({
    import_kwh: '4.500000',
    registers: [
      {
        at_start: null,
        at_end: { kwh: '8001.500000', at: new Date(at(10)).toISOString(), is: 'last' },
        energy_kwh: '4.500000',
      },
    ],
    import_beside_registers_kwh: '0.000000',
  });
});
