import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi, writeLoadProfile } from '#test/support/api.ts';

const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 96 * QUARTER_HOUR_MS;

let api: TestApi;
let anna: { userId: string; key: string };
const profile = new Map<number, number>();

beforeAll(async () => {
  api = await startTestApi();
  anna = await api.user('homeowner');
  // Two years of pseudo-random energies of quarter-hours, with a gap of two days and a day of zeros.
  let random = 7;
  const from = Date.UTC(2025, 0, 1);
  for (let at = from; at < Date.UTC(2026, 5, 15, 12); at += QUARTER_HOUR_MS) {
    random = (random * 48_271) % 2_147_483_647;
    const day = new Date(at).toISOString().slice(0, 10);
    if (day === '2026-03-10' || day === '2026-03-11') continue;
    profile.set(at, day === '2026-03-12' ? 0 : random % 400_000);
  }
  await writeLoadProfile(api, anna.userId, profile);
});
afterAll(() => api.close());

/**
 * Returns a function that converts an instant to the local date, the local hour, and the start of the local hour in a zone. It uses the
 * platform's calendar instead of the code under test.
 */
function localOf(zone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const known = new Map<number, { date: string; hour: string; startMs: number; minute: number }>();
  const read = (at: number) => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return {
      date: `${part.year}-${part.month}-${part.day}`,
      hour: `${part.hour}:00`,
      startMs: at - Number(part.minute) * 60_000,
      minute: Number(part.minute),
    };
  };
  // Local times are cached, because every query in a zone needs the local times of all quarter-hours.
  return (at: number) => {
    const local = known.get(at) ?? read(at);
    known.set(at, local);
    return local;
  };
}
const calendars = new Map<string, ReturnType<typeof localOf>>();
function calendarOf(zone: string): ReturnType<typeof localOf> {
  const calendar = calendars.get(zone) ?? localOf(zone);
  calendars.set(zone, calendar);
  return calendar;
}

const CLOCK_MINUTES: Record<string, number> = { hour: 60, half_hour: 30, quarter_hour: 15 };

/** Computes the expected response from the quarter-hours, slowly and independently of the code under test. */
function computeExpected(zone: string, start: string, end: string, groupBy: string) {
  const length = CLOCK_MINUTES[groupBy];
  const local = calendarOf(zone);
  const buckets = new Map<
    string,
    { date: string; milliwattHours: number; hours: Map<string | number, number>; time: string }
  >();
  // In every zone, a date begins and ends less than a day earlier or later than in UTC.
  const [fromMs, toMs] = [Date.parse(start) - DAY_MS, Date.parse(end) + 2 * DAY_MS];
  for (const [at, milliwattHours] of profile) {
    if (at < fromMs || at > toMs) continue;
    const { date, hour, startMs, minute } = local(at);
    if (date < start || date > end) continue;
    const after = length === undefined ? minute : minute % length;
    const time = `${hour.slice(0, 2)}:${String(minute - after).padStart(2, '0')}`;
    const key = length ? String(at - after * 60_000) : groupBy === 'day' ? date : `${date.slice(0, 8)}01`;
    const bucket = buckets.get(key) ?? {
      date: groupBy === 'month' ? key : date,
      milliwattHours: 0,
      hours: new Map(),
      time,
    };
    bucket.milliwattHours += milliwattHours;
    const name = groupBy === 'month' ? hour : startMs;
    bucket.hours.set(name, (bucket.hours.get(name) ?? 0) + milliwattHours);
    buckets.set(key, bucket);
  }
  return [...buckets.values()].map(({ date, milliwattHours, hours, time }) => {
    const highest = Math.max(...hours.values());
    const names = [...hours]
      .filter(([, value]) => value === highest)
      .map(([name]) => name)
      .sort();
    const peak = typeof names[0] === 'number' ? local(names[0]).hour : names[0];
    const kwh_used = Math.floor((milliwattHours + 500) / 1000) / 1000;
    return { date, kwh_used, peak_hour: length ? time : highest === 0 ? null : peak };
  });
}

const ask = (query: string, key = anna.key, headers = {}) => api.send(`/v1/energy-insights${query}`, { key, headers });

describe('GET /v1/energy-insights', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    // In these zones, the clocks are set back at midnight, so the day has two midnights.
    'Atlantic/Azores',
    'America/Havana',
  ];
  const all = ['day', 'month', 'hour', 'half_hour', 'quarter_hour'];
  const ranges: [string, string, string[]][] = [
    ['2026-03-05', '2026-04-08', all],
    ['2025-10-20', '2025-11-10', all],
    ['2025-02-14', '2026-01-20', ['day', 'month', 'hour']],
  ];
  for (const zone of zones) {
    test(`agrees with a slow calculation in ${zone}, over changes of the clock`, async () => {
      for (const [start, end, groups] of ranges) {
        for (const group of groups) {
          const { status, json } = await ask(`?start=${start}&end=${end}&group_by=${group}&tz=${zone}`);
          expect(status).toBe(200);
          const rows = json.data.map(({ date, kwh_used, peak_hour }: Record<string, unknown>) => ({
            date,
            kwh_used,
            peak_hour,
          }));
          expect(rows).toEqual(computeExpected(zone, start, end, group));
        }
      }
    });
  }

  test('distinguishes the two equal hours of a 25-hour day, and returns 23 hours of a short one', async () => {
    const long = await ask('?start=2025-10-26&end=2025-10-26&group_by=hour&tz=Europe/Berlin');
    expect(long.json.data).toHaveLength(25);
    const twos = long.json.data.filter((row: { hour: string }) => row.hour === '02:00');
    expect(twos.map((row: { starts_at: string }) => row.starts_at)).toEqual([
      '2025-10-26T02:00:00+02:00',
      '2025-10-26T02:00:00+01:00',
    ]);
    const short = await ask('?start=2026-03-29&end=2026-03-29&group_by=hour&tz=Europe/Berlin');
    expect(short.json.data).toHaveLength(23);
  });

  test('omits unknown hours, and returns known zeros as 0 without a peak', async () => {
    const { json } = await ask('?start=2026-03-09&end=2026-03-12');
    expect(json.user_id).toBe(anna.userId);
    expect(json.data.map((row: { date: string }) => row.date)).toEqual(['2026-03-09', '2026-03-12']);
    expect(json.data[1]).toEqual({ date: '2026-03-12', kwh_used: 0, peak_hour: null });
  });

  test('without parameters sums the last 30 days', async () => {
    const { json } = await ask('');
    const days = computeExpected('UTC', '2026-05-17', '2026-06-15', 'day');
    expect(json).toEqual({
      user_id: anna.userId,
      date_range: { start: '2026-05-17', end: '2026-06-15' },
      kwh_used: expect.closeTo(
        days.reduce((sum, { kwh_used }) => sum + kwh_used, 0),
        1,
      ),
      peak_usage_time: expect.stringMatching(/^\d\d:00$/),
    });
    const nobody = await api.user('homeowner');
    expect((await ask('', nobody.key)).json).toMatchObject({ kwh_used: 0, peak_usage_time: null });
  });

  test('answers CSV on request', async () => {
    const { text, headers, status } = await ask('?start=2026-03-12&end=2026-03-12', anna.key, { accept: 'text/csv' });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/csv/);
    expect(text).toBe('date,kwh_used,peak_hour\n2026-03-12,0,\n');
  });

  test.each([
    ['?start=2026-01-01', 422],
    ['?end=2026-01-01', 422],
    ['?group_by=day', 422],
    ['?start=2026-02-30&end=2026-03-01', 422],
    ['?start=2026-3-1&end=2026-03-02', 422],
    ['?start=2026-03-02&end=2026-03-01', 422],
    ['?start=2026-01-01&end=2026-01-02&group_by=week', 422],
    ['?start=2026-01-01&end=2026-01-02&tz=Mars/Olympus', 422],
    ['?start=2026-01-01&end=2026-01-02&tz=%2B02:00', 422],
    ['?start=1990-01-01&end=2026-01-02&group_by=day', 422],
    ['?start=2024-01-01&end=2026-01-02&group_by=hour', 422],
    ['?start=2026-01-01&end=2026-04-15&group_by=quarter_hour', 422],
    ['?start=2026-01-01&end=2026-04-14&group_by=quarter_hour', 200],
    ['?group_by=half_hour', 422],
    ['?start=2026-01-01&end=2026-01-02&group_by=minute', 422],
    ['?start=2026-01-01&start=2026-01-02&end=2026-01-03', 400],
    ['?from=2026-01-01', 400],
    ['?start=2026-01-01&end=2026-01-02&group_by=hour', 200],
  ])('%s is %i', async (query, status) => {
    const answer = await ask(query);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.json).toMatchObject({ error: expect.any(String), status });
  });
});

describe('POST /v1/energy-insights', () => {
  const post = (body: unknown, key = anna.key) => api.send('/v1/energy-insights', { method: 'POST', key, body });

  test('summarises the current calendar interval to date', async () => {
    const { status, json } = await post({
      user_id: anna.userId,
      interval: 'month',
      metrics: ['kwh_used', 'peak_hour'],
    });
    expect(status).toBe(200);
    const days = computeExpected('UTC', '2026-06-01', '2026-06-15', 'day');
    const total = days.reduce((sum, { kwh_used }) => sum + kwh_used, 0);
    expect(json.summary.total_kwh).toBeCloseTo(total, 1);
    expect(json.summary.avg_daily_kwh).toBeCloseTo(total / days.length, 1);
    expect(json.summary.peak_usage_time).toBe(
      computeExpected('UTC', '2026-06-01', '2026-06-15', 'month')[0]?.peak_hour,
    );
  });

  test('returns only the requested metrics', async () => {
    expect((await post({ interval: 'week', metrics: ['peak_hour'] })).json).toEqual({
      summary: { peak_usage_time: expect.any(String) },
    });
    expect(Object.keys((await post({ interval: 'year', metrics: ['kwh_used'] })).json.summary)).toEqual([
      'total_kwh',
      'avg_daily_kwh',
    ]);
    expect((await post({ start: '2026-03-10', end: '2026-03-11' })).json.summary).toEqual({
      total_kwh: 0,
      avg_daily_kwh: 0,
      peak_usage_time: null,
    });
  });

  test.each([
    [{}, 422],
    [{ interval: 'decade' }, 422],
    [{ interval: 'month', metrics: [] }, 422],
    [{ interval: 'month', metrics: ['price'] }, 422],
    [{ interval: 'month', other: 1 }, 422],
    [{ start: '2026-01-01' }, 422],
    [[], 422],
  ])('%j is %i', async (body, status) => {
    expect((await post(body)).status).toBe(status);
  });
});
