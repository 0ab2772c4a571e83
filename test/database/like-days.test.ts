import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Monday at 00:00 in Berlin. */
const START = Date.UTC(2026, 4, 3, 22);
/** Start of a gap of three days in the meter's readings: a Monday at 10:00, five weeks after the start. */
const SILENT = START + 35 * DAY_MS + 10 * HOUR_MS;
const BACK = SILENT + 3 * DAY_MS;
const END = BACK + DAY_MS;

let api: TestApi;
let key: string;
let path: string;

/** Returns the home's usage in a local hour, in kWh: 2.6 from 19:00 to 20:00, 1.0 in the first hour of a Saturday, otherwise 0.2. */
function used(hour: number): number {
  const [day, time] = [Math.floor((hour - START) / DAY_MS) % 7, (hour - START) % DAY_MS];
  if (day === 5 && time === 0) return 1;
  return time === 19 * HOUR_MS ? 2.6 : 0.2;
}

beforeAll(async () => {
  api = await startTestApi();
  const home = await api.user('homeowner');
  key = home.key;
  await api.send(`/v1/users/${home.userId}`, { method: 'PATCH', key, body: { timezone: 'Europe/Berlin' } });
  path = await meter(SILENT, END);
});
afterAll(() => api.close());

/** Creates a meter that sends its register each hour, except for three days after `silentMs`. Returns the API path of the meter's usage. */
async function meter(silentMs: number, endMs: number): Promise<string> {
  const body = { type: 'smart_meter', location: 'x' };
  const { device_id: deviceId } = (await api.send('/v1/devices', { method: 'POST', key, body })).json;
  const readings: object[] = [];
  let kwh = 1_000;
  for (let at = START; at <= endMs; at += HOUR_MS) {
    if (at <= silentMs || at >= silentMs + 3 * DAY_MS)
      readings.push({ ts: new Date(at).toISOString(), energy_total_kwh: Number(kwh.toFixed(3)) });
    kwh += used(at);
  }
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  for (let at = 0; at < readings.length; at += 96) {
    const message = createIncomingMessage({
      topic: getReadingsTopic(deviceId),
      payload: Buffer.from(JSON.stringify(readings.slice(at, at + 96))),
      receivedAtMs: api.now.getTime(),
      replayed: false,
    });
    if (message) await writer.write([message]);
  }
  await api.database.settle(api.now);
  return `/v1/devices/${deviceId}/usage`;
}

interface Row {
  date: string;
  starts_at?: string;
  kwh_used: number;
  estimated_kwh?: number;
  estimate?: string | null;
}
const rows = async (query: string): Promise<Row[]> => (await api.send(`${path}?${query}`, { key })).json.data;
const total = (of: readonly Row[]) => Number(of.reduce((all, { kwh_used }) => all + kwh_used, 0).toFixed(3));
const days = (start: string, end: string, more = '') => `start=${start}&end=${end}&tz=account${more}`;

test('a silence of three days gets the evening peaks of similar days, and its sum equals linear interpolation', async () => {
  const range = days('2026-06-07', '2026-06-12', '&group_by=hour&include=estimated,coverage');
  const [line, likeDays] = [await rows(range), await rows(`${range}&gaps=like_days`)];
  expect(await rows(`${range}&gaps=line`)).toEqual(line);
  expect(line.every((row) => !('estimate' in row))).toBe(true);
  expect(likeDays.map(({ starts_at }) => starts_at)).toEqual(line.map(({ starts_at }) => starts_at));
  expect(total(likeDays)).toBe(total(line));
  for (const [index, row] of likeDays.entries()) {
    const at = Date.parse(row.starts_at ?? '');
    const isSilent = at >= SILENT && at < BACK;
    // In the gap, the home used energy as on other days. A linear interpolation would not show this.
    if (isSilent)
      expect(row).toMatchObject({ kwh_used: used(at), estimated_kwh: used(at), estimate: 'like_days', coverage: 1 });
    else expect(row).toEqual({ ...line[index], estimate: null });
  }
});

test('an hour and a day have the same estimate in any requested range and zone', async () => {
  const whole = await rows(days('2026-06-01', '2026-06-12', '&group_by=hour&gaps=like_days'));
  for (const day of ['2026-06-07', '2026-06-08', '2026-06-09', '2026-06-11', '2026-06-12']) {
    const ofDay = whole.filter(({ date }) => date === day);
    expect(await rows(days(day, day, '&group_by=hour&gaps=like_days'))).toEqual(ofDay);
    const [byDay] = await rows(days(day, day, '&gaps=like_days'));
    const estimate = ofDay.some((row) => row.estimate === 'like_days') ? 'like_days' : null;
    expect(byDay).toMatchObject({ kwh_used: total(ofDay), estimate });
  }
  // Because of rounding, the sum of the quarter-hours may differ slightly from the sum of the days.
  const quarters = await rows(days('2026-06-09', '2026-06-10', '&group_by=quarter_hour&gaps=like_days'));
  const ofDays = whole.filter(({ date }) => date === '2026-06-09' || date === '2026-06-10');
  expect([quarters.length, quarters.every(({ estimate }) => estimate === 'like_days')]).toEqual([192, true]);
  expect(Math.abs(total(quarters) - total(ofDays))).toBeLessThan(0.1);
  const [may, june] = await rows(days('2026-05-01', '2026-06-30', '&group_by=month&gaps=like_days'));
  expect([may?.estimate, june?.estimate]).toEqual([null, 'like_days']);
  // The peak must be in the home's local evening in the response for any zone, even if the zone's hours begin at :30 UTC.
  const peak = async (zone: string) =>
    (await rows(`start=2026-06-09&end=2026-06-09&tz=${zone}&group_by=hour&gaps=like_days`)).flatMap((row) =>
      row.kwh_used > 1 ? [[row.starts_at, row.kwh_used]] : [],
    );
  expect(await peak('UTC')).toEqual([['2026-06-09T17:00:00Z', 2.6]]);
  expect(await peak('Asia/Kolkata')).toEqual([
    ['2026-06-09T22:00:00+05:30', 1.4],
    ['2026-06-09T23:00:00+05:30', 1.4],
  ]);
  // The device's own time zone determines which hours are similar. In UTC, the first hour of the home's Saturday (1.0 kWh) belongs to
  // Friday. The similar days then predict 22.08 kWh instead of 21.6 kWh for the gap, but the gap's energy is known. All estimates are
  // therefore multiplied by 21.6 ÷ 22.08.
  const device = path.replace(/\/usage$/, '');
  await api.send(device, { method: 'PATCH', key, body: { timezone: 'UTC' } });
  expect(await peak('UTC')).toEqual([['2026-06-09T17:00:00Z', 2.543]]);
  await api.send(device, { method: 'PATCH', key, body: { timezone: null } });
  expect(await peak('UTC')).toEqual([['2026-06-09T17:00:00Z', 2.6]]);
});

test('a silence without similar days before it is interpolated linearly, and marked as such', async () => {
  // The gap begins on a Wednesday. With only two days of data before it, there are no similar days.
  const young = await meter(START + 2 * DAY_MS, START + 6 * DAY_MS);
  const ask = async (more: string) =>
    (await api.send(`${young}?${days('2026-05-04', '2026-05-09')}${more}`, { key })).json;
  const distributedRows: Row[] = (await ask('&gaps=like_days')).data;
  expect(distributedRows.map(({ estimate }) => estimate)).toEqual([null, null, 'line', 'line', 'line', null]);
  expect(distributedRows.map(({ estimate: _, ...row }) => row)).toEqual((await ask('')).data);
});

test('answers that support only linear interpolation refuse similar days', async () => {
  const asked = days('2026-06-09', '2026-06-09');
  for (const [query, field] of [
    [`${asked}&include=cost`, 'include'],
    [`${asked}&include=estimated,production`, 'include'],
    [`${asked}&include=export`, 'include'],
    [days('2020-01-01', '2026-06-09'), 'end'],
  ]) {
    const refused = await api.send(`${path}?${query}&gaps=like_days`, { key });
    expect([refused.status, refused.json.details?.[0]?.field ?? refused.text]).toEqual([422, field]);
  }
  expect((await api.send(`${path}?${asked}&gaps=guess`, { key })).status).toBe(422);
  const headers = { accept: 'application/atom+xml' };
  const feed = await api.send(`${path}?${asked}&group_by=hour&gaps=like_days`, { key, headers });
  expect(feed.status).toBe(422);
  // Days before the first data, and future days, have no known usage.
  for (const [start, end] of [
    ['1970-01-01', '1970-12-31'],
    ['9998-01-01', '9998-12-31'],
  ] as const)
    expect(await rows(days(start, end, '&gaps=like_days'))).toEqual([]);
});

test('a table contains the estimate as a column', async () => {
  const headers = { accept: 'text/csv' };
  const { text } = await api.send(`${path}?${days('2026-06-07', '2026-06-08')}&gaps=like_days`, { key, headers });
  expect(text).toBe('date,kwh_used,peak_hour,estimate\n2026-06-07,7.2,19:00,\n2026-06-08,7.2,00:00,like_days\n');
});
