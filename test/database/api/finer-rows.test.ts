import { read, utils, type WorkSheet } from '@e965/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { addToLoadProfile, type LoadProfileChange } from '#test/support/load-profile.ts';

/** Tests that rows by half-hour and quarter-hour add up to the rows by hour, in every format and on days with a clock change. */

const QUARTER_HOUR_MS = 900_000;
const ATOM = 'application/atom+xml';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const INCLUDE =
  'grid_import,grid_export,production,charged,discharged,consumption,untracked,self_consumed,estimated,coverage,autarky';
/** JSON members whose values add up. The test uses whole Wh, so that no value is rounded. */
const ADDITIVE = [
  ...['kwh_used', 'grid_import_kwh', 'grid_export_kwh', 'production_kwh', 'charged_kwh', 'discharged_kwh'],
  ...['consumption_kwh', 'untracked_kwh', 'self_consumed_kwh', 'estimated_kwh', 'export_kwh'],
];
/** First days (UTC) of the periods with data, around the clock changes of the zones below. */
const DAYS = ['2026-03-27', '2026-04-03', '2026-10-02', '2026-10-23'];
const DAYS_EACH = 5;
/** Ranges of three days in which the zone's clocks change on the second day. `quarters`: number of quarter-hours of the second day. */
const CHANGES: [zone: string, start: string, day: string, end: string, quarters: number][] = [
  ['Europe/Berlin', '2026-03-28', '2026-03-29', '2026-03-30', 92],
  ['Europe/Berlin', '2026-10-24', '2026-10-25', '2026-10-26', 100],
  ['Asia/Kathmandu', '2026-04-04', '2026-04-05', '2026-04-06', 96],
  ['Australia/Adelaide', '2026-04-04', '2026-04-05', '2026-04-06', 100],
  ['Australia/Adelaide', '2026-10-03', '2026-10-04', '2026-10-05', 92],
  ['Australia/Lord_Howe', '2026-04-04', '2026-04-05', '2026-04-06', 98],
  ['Australia/Lord_Howe', '2026-10-03', '2026-10-04', '2026-10-05', 94],
];
const FINER = [
  ['quarter_hour', 15],
  ['half_hour', 30],
] as const;

// biome-ignore lint/suspicious/noExplicitAny: the columns of the rows depend on the query
type Row = Record<string, any>;
type Home = { userId: string; key: string };

let api: TestApi;
let utility: Home;
let solar: Home;
let simple: Home;
let inverter: string;
let meter: string;
let gas: string;
let group: string;

let seed = 11;
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
};

async function pair(home: Home, body: object, channels: readonly ('import' | 'export')[]): Promise<string> {
  const { json } = await api.send('/v1/devices', { method: 'POST', key: home.key, body: { location: 'x', ...body } });
  for (const channel of channels)
    await api.database.pool.query(
      `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) VALUES ($1, $2, 'register', $3, $4)`,
      [json.device_id, channel, channel === 'import', channel === 'export'],
    );
  return json.device_id;
}

/**
 * Returns random energies of each device in a quarter-hour, in whole Wh. They are physically possible: no more energy is exported and
 * stored than is produced.
 */
function energies(index: number) {
  const produced = random(300);
  const fedIn = random(produced + 1);
  const charged = random(produced - fedIn + 1);
  return {
    grid: { imported: 50 + random(400), exported: fedIn, isEstimated: index % 7 === 0 },
    inverter: { imported: 0, exported: produced, isEstimated: false },
    battery: { imported: charged, exported: random(50), isEstimated: false },
    oven: { imported: random(300), exported: 0, isEstimated: index % 5 === 0 },
    fridge: { imported: random(40), exported: 0, isEstimated: false },
  };
}

beforeAll(async () => {
  api = await startTestApi();
  api.now = new Date('2026-11-01T00:00:00Z');
  utility = await api.user('utility');
  solar = await api.user('homeowner', { enrolledBy: utility.userId });
  simple = await api.user('homeowner', { enrolledBy: utility.userId });
  const ids = {
    grid: await pair(solar, { type: 'smart_meter' }, ['import', 'export']),
    inverter: await pair(solar, { type: 'solar_inverter' }, ['export']),
    battery: await pair(solar, { type: 'battery' }, ['import', 'export']),
    oven: await pair(solar, { type: 'smart_plug' }, ['import']),
    fridge: await pair(solar, { type: 'smart_plug' }, ['import']),
  };
  inverter = ids.inverter;
  meter = await pair(simple, { type: 'smart_meter' }, ['import']);
  gas = (await api.send('/v1/devices', { method: 'POST', key: simple.key, body: { type: 'gas_meter', location: 'x' } }))
    .json.device_id;
  await api.database.pool.query(
    `INSERT INTO series (device_id, channel, kind, counts_import, counts_export, meter) VALUES ($1, 'gas', 'register', false, false, 'gas')`,
    [gas],
  );
  const rows: LoadProfileChange[] = [];
  for (const day of DAYS)
    for (let index = 0; index < DAYS_EACH * 96; index++) {
      const startsAtMs = Date.parse(day) + index * QUARTER_HOUR_MS;
      // On the first day, all devices of the home are silent for a while. The fridge is also silent at other times.
      const isSilent = index >= 30 && index < 37;
      const parts: [Home, string, ReturnType<typeof energies>['grid']][] = [
        ...Object.entries(energies(index)).map(([name, energy]): [Home, string, typeof energy] => [
          solar,
          ids[name as keyof typeof ids],
          energy,
        ]),
        [simple, meter, { imported: random(500), exported: 0, isEstimated: index % 3 === 0 }],
        [
          { ...simple, userId: `${simple.userId}/gas` },
          `${gas}/gas`,
          { imported: random(500), exported: 0, isEstimated: false },
        ],
      ];
      for (const [{ userId }, deviceId, { imported, exported, isEstimated }] of parts) {
        if (isSilent || (deviceId === ids.fridge && index % 11 === 0)) continue;
        const hasImport = deviceId !== ids.inverter;
        const hasExport = [ids.grid, ids.inverter, ids.battery].includes(deviceId);
        rows.push({
          ...{ deviceId, userId, startsAtMs, readingCount: 1 },
          energyMilliwattHours: imported * 1_000,
          exportMilliwattHours: exported * 1_000,
          estimatedMilliwattHours: isEstimated ? imported * 1_000 : 0,
          coveredMs: hasImport ? QUARTER_HOUR_MS : 0,
          exportCoveredMs: hasExport ? QUARTER_HOUR_MS : 0,
        });
      }
    }
  await addToLoadProfile(api.database, rows);
  await api.database.settle(api.now);
  const body = {
    name: 'x',
    valid_from: '2026-01-01',
    currency: 'EUR',
    standing_per_day: '0.96',
    import: { per_kwh: '0.1' },
    export: { per_kwh: '0.1' },
  };
  for (const { key } of [solar, simple])
    expect((await api.send('/v1/tariffs', { method: 'POST', key, body })).status).toBe(201);
  group = (await api.send('/v1/groups', { method: 'POST', key: utility.key, body: { name: 'street' } })).json.group_id;
  await api.send(`/v1/groups/${group}/users`, {
    method: 'POST',
    key: utility.key,
    body: { add: [solar.userId, simple.userId] },
  });
});
afterAll(() => api.close());

async function ask(path: string, query: Record<string, string>, key: string): Promise<Row[]> {
  const { status, json, text } = await api.send(`${path}?${new URLSearchParams(query)}`, { key });
  expect(status, text).toBe(200);
  return json.data;
}

/** Returns the row's local clock hour, including its UTC offset. */
const hourOf = ({ starts_at }: Row): string => `${starts_at.slice(0, 13)}${starts_at.slice(19)}`;
/** Multiplies a decimal number by a power of ten and rounds it to an integer, so that sums have no rounding errors. */
const whole = (value: unknown, decimals: number): number => Math.round(Number(value ?? 0) * 10 ** decimals);

/** Expects the finer rows of each hour to add up to the row of the hour, for each JSON member whose values add up. */
function addsUp(hours: readonly Row[], finer: readonly Row[], context: unknown): void {
  const parts = Map.groupBy(finer, hourOf);
  expect([...parts.keys()], String(context)).toEqual(hours.map(hourOf));
  const wrong = hours.flatMap((hour) => {
    const mine = parts.get(hourOf(hour)) ?? [];
    const sum = (of: (row: Row) => number) => mine.reduce((all, row) => all + of(row), 0);
    const differences = [
      ...ADDITIVE.map((name) => [name, sum((row) => whole(row[name], 3)) - whole(hour[name], 3)]),
      // At a price of 0.1 per kWh, each amount is a whole number of ten-thousandths, except for the daily standing charge.
      ...['import', 'export', 'estimated'].map((name) => [
        `cost of ${name}`,
        sum(({ cost }) => whole(cost?.[name], 4)) - whole(hour.cost?.[name], 4),
      ]),
      ['standing', Math.trunc((sum(({ cost }) => whole(cost?.standing, 4)) - whole(hour.cost?.standing, 4)) / 5)],
    ].filter(([, difference]) => difference !== 0);
    const members = mine.filter(
      (row) => String(Object.keys(row)).replace(',time', '') !== String(Object.keys(hour)).replace(',hour', ''),
    );
    const totals = [hour, ...mine].filter(({ cost }) => cost && !/\.\d{4}$/.test(cost.total));
    const isRight = differences.length + members.length + totals.length === 0;
    return isRight ? [] : [{ hour, mine, differences }];
  });
  expect({ context, wrong: wrong.slice(0, 2) }).toEqual({ context, wrong: [] });
}

describe.each(CHANGES)('in %s from %s on', (zone, start, day, end, quarters) => {
  test('rows begin at whole intervals of the clock, state their length, and are as many as the day has', async () => {
    for (const { key } of [solar, simple])
      for (const [unit, minutes] of FINER) {
        const rows = await ask('/v1/energy-insights', { start: day, end: day, group_by: unit, tz: zone }, key);
        expect({ unit, rows: rows.length }).toEqual({ unit, rows: (quarters * 15) / minutes });
        for (const { date, time, starts_at, peak_hour, ...others } of rows) {
          expect([date, time, peak_hour]).toEqual([starts_at.slice(0, 10), starts_at.slice(11, 16), time]);
          expect([Number(time.slice(3)) % minutes, Object.keys(others)]).toEqual([0, ['kwh_used']]);
        }
        expect(new Set(rows.map(({ starts_at }) => starts_at)).size).toBe(rows.length);
      }
  });

  test('add up to the hours of homes, devices and groups', async () => {
    const range = { start, end, tz: zone };
    const asked: [string, Record<string, string>, string][] = [
      ['/v1/energy-insights', { include: `${INCLUDE},cost` }, solar.key],
      ['/v1/energy-insights', { include: `${INCLUDE},cost` }, simple.key],
      ['/v1/energy-insights', {}, solar.key],
      ['/v1/energy-insights', {}, simple.key],
      [`/v1/devices/${inverter}/usage`, { include: 'production,export,estimated,coverage,cost' }, solar.key],
      [`/v1/devices/${meter}/usage`, {}, simple.key],
      [`/v1/groups/${group}/energy-insights`, { include: INCLUDE }, utility.key],
      [`/v1/groups/${group}/energy-insights`, {}, utility.key],
    ];
    for (const [path, more, key] of asked) {
      const hours = await ask(path, { ...range, ...more, group_by: 'hour' }, key);
      expect(hours.length).toBeGreaterThan(60);
      for (const [unit] of FINER)
        addsUp(hours, await ask(path, { ...range, ...more, group_by: unit }, key), `${path} ${unit}`);
    }
    for (const [unit, minutes] of FINER) {
      const gasRows = await ask('/v1/energy-insights', { ...range, commodity: 'gas', group_by: unit }, simple.key);
      expect(gasRows.every(({ time, peak_hour }) => Number(time.slice(3)) % minutes === 0 && peak_hour === time)).toBe(
        true,
      );
      addsUp(
        await ask('/v1/energy-insights', { ...range, commodity: 'gas', group_by: 'hour' }, simple.key),
        gasRows,
        'gas',
      );
    }
  });

  test('are the intervals of 900 s of a Green Button feed', async () => {
    const path = (unit: string) => `/v1/energy-insights?start=${start}&end=${end}&tz=${zone}${unit}`;
    const feed = async (unit: string) => {
      const { status, text } = await api.send(path(unit), { key: solar.key, headers: { accept: ATOM } });
      expect(status, text).toBe(200);
      const readings = [
        ...text.matchAll(
          /<espi:duration>(\d+)<\/espi:duration><espi:start>(\d+)<\/espi:start><\/espi:timePeriod><espi:value>(\d+)</g,
        ),
      ];
      return { text, readings: readings.map((one) => one.slice(1).map(Number)) };
    };
    const [hours, finer] = [await feed('&group_by=hour'), await feed('&group_by=quarter_hour')];
    expect((await feed('')).readings).toEqual(hours.readings);
    expect(new Set(finer.readings.map(([seconds]) => seconds))).toEqual(new Set([900]));
    expect(new Set(finer.text.match(/<espi:intervalLength>\d+/g))).toEqual(new Set(['<espi:intervalLength>900']));
    const total = ({ readings }: typeof hours) => readings.reduce((all, [, , value]) => all + (value ?? 0), 0);
    expect([total(finer), finer.readings.length > 3.5 * hours.readings.length]).toEqual([total(hours), true]);
    const ofCost = ({ text }: typeof hours) =>
      [...text.matchAll(/<espi:cost>(-?\d+)</g)].reduce((all, one) => all + Number(one[1]), 0);
    expect(ofCost(finer)).toBe(ofCost(hours));
    const bill = ({ text }: typeof hours) => /<espi:billLastPeriod>(\d+)/.exec(text)?.[1];
    expect([bill(finer), bill(finer)]).toEqual([bill(hours), expect.any(String)]);
  });
});

test('a table has a column for the time, in CSV and in a spreadsheet', async () => {
  const query = 'start=2026-10-25&end=2026-10-25&tz=Europe/Berlin&group_by=quarter_hour';
  for (const [path, key] of [
    ['/v1/energy-insights', solar.key],
    [`/v1/devices/${meter}/usage`, simple.key],
    [`/v1/groups/${group}/energy-insights`, utility.key],
  ] as const) {
    const csv = await api.send(`${path}?${query}`, { key, headers: { accept: 'text/csv' } });
    const lines = csv.text.trim().split('\n');
    expect(lines[0]).toBe('date,time,starts_at,kwh_used,peak_hour');
    expect(lines[10]).toMatch(/^2026-10-25,02:15,2026-10-25T02:15:00\+02:00,[\d.]+,02:15$/);
    expect(lines[14]).toMatch(/^2026-10-25,02:15,2026-10-25T02:15:00\+01:00,[\d.]+,02:15$/);
    const { status, bytes } = await api.send(`${path}?${query}`, { key, headers: { accept: XLSX } });
    expect(status).toBe(200);
    const sheet = read(bytes).Sheets.Usage as WorkSheet;
    const rows = utils.sheet_to_json<Row>(sheet, { raw: false });
    expect(rows).toHaveLength(100);
    expect([rows[13]?.time, rows[13]?.utc_offset, rows[13]?.peak_hour]).toEqual(['02:15', '+01:00', '02:15']);
    expect(sheet.B2?.t).toBe('n');
  }
  const commodity = await api.send(`/v1/energy-insights?${query}&commodity=gas`, {
    key: simple.key,
    headers: { accept: 'text/csv' },
  });
  expect(commodity.text.split('\n')[0]).toBe('date,time,starts_at,kwh_used,peak_hour');
});

test('a request for a device without dates covers the last 30 days in quarter-hours', async () => {
  const rows = await ask(`/v1/devices/${meter}/usage`, { group_by: 'quarter_hour' }, simple.key);
  expect(rows.length).toBeGreaterThan(500);
  expect(rows[0]).toMatchObject({ time: expect.stringMatching(/^\d\d:\d\d$/), starts_at: expect.any(String) });
});

test.each([
  ['start=2026-01-01&end=2026-07-28&group_by=half_hour', 'end'],
  ['start=2026-01-01&end=2026-04-15&group_by=quarter_hour', 'end'],
  ['group_by=quarter_hour', 'group_by'],
  ['start=2026-01-01&end=2026-01-01&group_by=5_minutes', 'group_by'],
])('the combination %s is 422, with an error about %s', async (query, field) => {
  for (const path of ['/v1/energy-insights', `/v1/groups/${group}/energy-insights`]) {
    const key = path.includes(group) ? utility.key : solar.key;
    const { status, json } = await api.send(`${path}?${query}`, { key });
    expect([status, json.details[0].field]).toEqual([422, field]);
  }
});

test.each(['half_hour', 'day', 'month'])('a Green Button feed with interval %s is 422', async (unit) => {
  for (const path of ['/v1/energy-insights', `/v1/devices/${inverter}/usage`]) {
    const query = `start=2026-10-25&end=2026-10-25&group_by=${unit}`;
    const { status, json } = await api.send(`${path}?${query}`, { key: solar.key, headers: { accept: ATOM } });
    expect([status, json.details[0].field]).toEqual([422, 'group_by']);
  }
});
