import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi, writeLoadProfile } from '#test/support/api.ts';

/** On each tier (kind of database server), requests every response that the API reads from aggregates. */
const QUARTER_HOUR_MS = 900_000;
const FROM_MS = Date.UTC(2026, 2, 20);
const NOW_MS = Date.UTC(2026, 5, 15, 12);

let api: TestApi;
let anna: { userId: string; key: string };
const profile = new Map<number, number>();

beforeAll(async () => {
  api = await startTestApi();
  anna = await api.user('homeowner');
  for (let at = FROM_MS; at < NOW_MS; at += QUARTER_HOUR_MS) profile.set(at, ((at / QUARTER_HOUR_MS) % 97) * 4_000);
  await writeLoadProfile(api, anna.userId, profile);
  // On tiers with continuous aggregates, half of the data is materialised and the other half is not.
  await api.database.settle(new Date(Date.UTC(2026, 4, 1)));
});
afterAll(() => api.close());

const ask = async (path: string, body?: unknown) => {
  const sent = body === undefined ? {} : { method: 'POST', body };
  const { status, json } = await api.send(path, { key: anna.key, ...sent });
  expect([path, status]).toEqual([path, 200]);
  return json;
};

/** Returns the kWh that the test has written for the quarter-hours in `[fromMs, toMs)`. */
function kwh(fromMs: number, toMs: number): number {
  let milliwattHours = 0;
  for (const [at, energy] of profile) if (at >= fromMs && at < toMs) milliwattHours += energy;
  return Math.round(milliwattHours / 1_000) / 1_000;
}

const total = (rows: { kwh_used: number }[]) =>
  Math.round(rows.reduce((sum, { kwh_used }) => sum + kwh_used, 0) * 1_000) / 1_000;

test.each([
  ['UTC', 0],
  ['Europe/Berlin', -2],
  // Asia/Kolkata is UTC+5:30: each hour contains half of two UTC hours.
  ['Asia/Kolkata', -5.5],
])('usage by hour, day and month in %s equals the written data', async (tz, hours) => {
  const offsetMs = hours * 3_600_000;
  const [startMs, endMs] = [Date.UTC(2026, 3, 1) + offsetMs, Date.UTC(2026, 5, 1) + offsetMs];
  for (const group of ['hour', 'day', 'month']) {
    const { data } = await ask(`/v1/energy-insights?start=2026-04-01&end=2026-05-31&group_by=${group}&tz=${tz}`);
    expect(data).toHaveLength({ hour: 61 * 24, day: 61, month: 2 }[group] as number);
    // Each row is rounded, so the sum of the rows may differ slightly.
    expect(Math.abs(total(data) - kwh(startMs, endMs))).toBeLessThanOrEqual(data.length * 0.000_5);
    if (group === 'month') expect(data[0].kwh_used).toBe(kwh(startMs, Date.UTC(2026, 4, 1) + offsetMs));
  }
});

test('summaries and months are sums of the same data', async () => {
  const { summary } = await ask('/v1/energy-insights', { interval: 'month' });
  expect(summary.total_kwh).toBe(kwh(Date.UTC(2026, 5, 1), NOW_MS));
  const { data } = await ask('/v1/analytics/monthly?months=3');
  const of = (month: string) => data.find((row: { month: string }) => row.month === month)?.kwh_used;
  expect(of('2026-04')).toBe(kwh(Date.UTC(2026, 3, 1), Date.UTC(2026, 4, 1)));
  expect(of('2026-05')).toBe(kwh(Date.UTC(2026, 4, 1), Date.UTC(2026, 5, 1)));
});

test('an alert preview lists each day above the threshold', async () => {
  const days = Array.from({ length: 80 }, (_, index) => Date.UTC(2026, 2, 22) + index * 86_400_000);
  const used = days.map((ms) => kwh(ms, ms + 86_400_000));
  const threshold = used.toSorted((a, b) => a - b)[40] as number;
  const { data } = await ask('/v1/alerts/preview', { type: 'daily_usage', threshold_kwh: threshold });
  const wanted = days.filter((_, index) => (used[index] as number) > threshold).map((ms) => new Date(ms).toISOString());
  const got = data.map((one: { period_start: string }) => one.period_start);
  expect(wanted.filter((one) => !got.includes(one))).toEqual([]);
});
