import { read, SSF, utils, type WorkSheet } from '@e965/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from '#test/support/load-profile.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const ATOM = 'application/atom+xml';
const DAYS = 'start=2026-03-28&end=2026-03-29&tz=Europe/Berlin';
const INCLUDE = 'include=coverage,cost';

let api: TestApi;
let home: { userId: string; key: string };
let deviceId: string;

beforeAll(async () => {
  api = await startTestApi();
  home = await api.user('homeowner');
  const body = { type: 'smart_meter', location: 'x' };
  deviceId = (await api.send('/v1/devices', { method: 'POST', key: home.key, body })).json.device_id;
  const from = Date.UTC(2026, 2, 27, 23);
  const rows = Array.from({ length: 47 * 4 }, (_, index) => ({
    deviceId,
    userId: home.userId,
    startsAtMs: from + index * 900_000,
    ...COMPLETE_QUARTER_HOUR_MEASURES,
    energyMilliwattHours: 250_250 + index * 1_000,
  }));
  await addToLoadProfile(api.database, rows);
  const tariff = {
    name: 'x',
    valid_from: '2026-01-01',
    currency: 'EUR',
    standing_per_day: '0.5',
    import: { per_kwh: '0.3' },
  };
  await api.send('/v1/tariffs', { method: 'POST', key: home.key, body: tariff });
});
afterAll(() => api.close());

const ask = (path: string, accept: string, key = home.key) => api.send(path, { key, headers: { accept } });

/** Returns the rows of a workbook, read by an independent library. */
async function shown(path: string): Promise<unknown[][]> {
  const { status, headers, bytes } = await ask(path, XLSX);
  expect([status, headers['content-type']]).toEqual([200, XLSX]);
  const sheet = read(bytes, { cellNF: true }).Sheets.Usage as WorkSheet;
  const range = utils.decode_range(sheet['!ref'] ?? '');
  return Array.from({ length: range.e.r + 1 }, (_, row) =>
    Array.from({ length: range.e.c + 1 }, (_, column) => {
      const cell = sheet[utils.encode_cell({ r: row, c: column })];
      return cell?.t === 'n' ? SSF.format(cell.z ?? 'General', cell.v) : (cell?.v ?? '');
    }),
  );
}

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(','));

describe('a spreadsheet', () => {
  test('of insights has the rows of the CSV', async () => {
    const path = `/v1/energy-insights?${DAYS}&${INCLUDE}`;
    const [header, ...rows] = lines((await ask(path, 'text/csv')).text);
    const table = await shown(path);
    expect(table[0]).toEqual(header);
    expect(table).toHaveLength(3);
    const of = (row: unknown[] | undefined, name: string) => row?.[header?.indexOf(name) ?? -1];
    for (const name of ['date', 'kwh_used', 'peak_hour', 'cost_total', 'cost_standing', 'cost_currency'])
      expect(table.slice(1).map((row) => of(row, name))).toEqual(rows.map((row) => of(row, name)));
  });

  test('of hours has local times with their offset', async () => {
    const [header, ...rows] = await shown(`/v1/energy-insights?${DAYS}&group_by=hour&${INCLUDE}`);
    expect(header?.slice(0, 5)).toEqual(['date', 'hour', 'starts_at', 'utc_offset', 'kwh_used']);
    expect(rows).toHaveLength(47);
    expect(rows[25]?.slice(0, 4)).toEqual(['2026-03-29', '01:00', '2026-03-29 01:00', '+01:00']);
    expect(rows[26]?.slice(0, 4)).toEqual(['2026-03-29', '03:00', '2026-03-29 03:00', '+02:00']);
    // Costs of an hour have two more decimals than the currency.
    expect(rows[0]?.[header?.indexOf('cost_import') ?? -1]).toBe('0.3021');
  });

  test('is available for a device, for months and for the last 30 days, too, like CSV', async () => {
    const device = `/v1/devices/${deviceId}/usage?${DAYS}`;
    const months = '/v1/analytics/monthly?months=4&include=cost';
    expect((await shown(device)).map((row) => row[0])).toEqual(['date', '2026-03-28', '2026-03-29']);
    expect((await shown(`/v1/devices/${deviceId}/usage?group_by=hour`))[0]?.[2]).toBe('starts_at');
    const [header, ...rows] = await shown(months);
    expect([header?.[0], header?.at(-1), rows[0]?.[0]]).toEqual(['month', 'cost_missing_prices_kwh', '2026-03']);
    expect((await shown('/v1/energy-insights'))[0]).toContain('kwh_used');
    expect(await shown('/v1/energy-insights?commodity=gas&start=2026-03-01&end=2026-03-02')).toHaveLength(1);
    const csv = await ask(device, 'text/csv');
    expect(lines(csv.text)[0]).toEqual(['date', 'kwh_used', 'peak_hour']);
    expect(lines((await ask(months, 'text/csv')).text)[1]?.[0]).toBe('2026-03');
  });

  test('contains additionally requested values in further columns', async () => {
    const { text } = await ask(`/v1/devices/${deviceId}/usage?${DAYS}&include=estimated,cost`, 'text/csv');
    expect(lines(text)[0]?.slice(0, 5)).toEqual(['date', 'kwh_used', 'peak_hour', 'estimated_kwh', 'cost_currency']);
  });

  test('has the same length limit and access rights as any other answer', async () => {
    const tooLong = '/v1/energy-insights?start=2024-01-01&end=2026-01-02&group_by=hour';
    for (const accept of [XLSX, ATOM]) expect((await ask(tooLong, accept)).status).toBe(422);
    const stranger = await api.user('homeowner');
    const path = `/v1/devices/${deviceId}/usage?${DAYS}&group_by=hour`;
    for (const accept of [XLSX, ATOM]) expect((await ask(path, accept, stranger.key)).status).toBe(404);
  });
});

describe('a Green Button feed', () => {
  const path = `/v1/energy-insights?${DAYS}&group_by=hour`;

  test('has every hour of the days, with its cost', async () => {
    const { status, headers, text } = await ask(path, ATOM);
    expect([status, headers['content-type']]).toEqual([200, `${ATOM}; charset=utf-8`]);
    expect(headers['content-disposition']).toContain('green-button-2026-03-28-2026-03-29.xml');
    expect(text.match(/<espi:IntervalReading>/g)).toHaveLength(47);
    // Cost of an hour in which 250.25, 251.25, 252.25 and 253.25 Wh were used, at 30 cents per kWh.
    expect(text).toContain(
      '<espi:IntervalReading><espi:cost>30210</espi:cost><espi:timePeriod><espi:duration>3600</espi:duration><espi:start>1774652400</espi:start></espi:timePeriod><espi:value>1007000</espi:value></espi:IntervalReading>',
    );
    // Cost of two days with 47 hours: the clock change in the user's time zone skips one hour.
    expect(text).toContain('<espi:costAdditionalLastPeriod>97917</espi:costAdditionalLastPeriod>');
    expect(text).toContain('<espi:dstStartRule>3E0E2000</espi:dstStartRule>');
    // A block contains a local day, and a reading contains one of its hours.
    expect(text.match(/<title>2026-03-\d\d<\/title>/g)).toEqual([
      '<title>2026-03-28</title>',
      '<title>2026-03-29</title>',
    ]);
    const kolkata = await ask(path.replace('Europe/Berlin', 'Asia/Kolkata'), ATOM);
    const starts = [...kolkata.text.matchAll(/<espi:start>(\d+)<\/espi:start><\/espi:timePeriod>/g)].map(([, at]) =>
      Number(at),
    );
    expect([starts.length > 40, new Set(starts.map((at) => at % 3_600))]).toEqual([true, new Set([1_800])]);
    // The home exports nothing, so the feed has no meter reading for exports.
    expect(text.match(/<espi:MeterReading\/>/g)).toHaveLength(1);
    // In every download, a resource has the same identifier.
    const ids = (one: string) => one.match(/<id>[^<]+<\/id>/g);
    expect(ids((await ask(path, ATOM)).text)).toEqual(ids(text));
    expect(new Set(ids(text)).size).toBe(ids(text)?.length);
    expect((await api.send(path, { key: home.key, method: 'HEAD', headers: { accept: ATOM } })).text).toBe('');
  });

  test.each([
    ['/v1/energy-insights', 'start'],
    [`/v1/energy-insights?${DAYS}&group_by=day`, 'group_by'],
    [`/v1/energy-insights?${DAYS}&group_by=hour&commodity=gas`, 'commodity'],
  ])('of %s is refused with a hint at a valid request', async (asked, field) => {
    const { status, json } = await ask(asked, ATOM);
    expect([status, json.details[0].field]).toEqual([422, field]);
  });

  test('for a home without data contains only a usage point', async () => {
    const nobody = await api.user('homeowner');
    const { status, text } = await ask(path, ATOM, nobody.key);
    expect(status).toBe(200);
    expect(text).toContain('UsagePoint>');
    expect(text).not.toContain('IntervalBlock>');
  });
});
