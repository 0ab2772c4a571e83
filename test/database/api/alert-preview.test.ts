import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi, writeLoadProfile } from '#test/support/api.ts';

let api: TestApi;
let user: { userId: string; key: string };
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  api = await startTestApi();
  user = await api.user('homeowner');
  // Usage of the home: 1 kWh an hour for 100 days, 3 kWh in the hour from 18:00, and no data on 10 June.
  const profile = new Map<number, number>();
  const end = api.now.getTime();
  for (let ms = end - 100 * 24 * HOUR_MS; ms < end; ms += HOUR_MS) {
    const at = new Date(ms);
    if (at.toISOString().startsWith('2026-06-10')) continue;
    profile.set(ms, at.getUTCHours() === 18 ? 3_000_000 : 1_000_000);
  }
  await writeLoadProfile(api, user.userId, profile);
});
afterAll(() => api.close());

const preview = (body: object) => api.send('/v1/alerts/preview', { method: 'POST', key: user.key, body });

test('a preview returns the hours, days and months of the last 90 days in which a rule would have fired', async () => {
  const hours = await preview({ type: 'peak_usage', threshold_kwh: 2 });
  // The hour from 18:00 exceeds the threshold on 88 of 90 days: on 10 June there is no data, and today the hour has not begun.
  expect(hours.json.data).toHaveLength(88);
  expect(hours.json.data.at(-1)).toEqual({
    period_start: '2026-06-14T18:00:00.000Z',
    period_end: '2026-06-14T19:00:00.000Z',
    kwh_used: 3,
  });
  const days = await preview({ type: 'daily_usage', threshold_kwh: 25.999 });
  expect(days.json.data).toHaveLength(88);
  expect((await preview({ type: 'daily_usage', threshold_kwh: 26 })).json.data).toEqual([]);
  const months = await preview({ type: 'monthly_usage', threshold_kwh: 700 });
  expect(
    months.json.data.map(({ period_start, kwh_used }: { period_start: string; kwh_used: number }) => [
      period_start,
      kwh_used,
    ]),
  ).toEqual([
    ['2026-04-01T00:00:00.000Z', 780],
    ['2026-05-01T00:00:00.000Z', 806],
  ]);
});

test('a preview uses periods of the user’s zone', async () => {
  await api.send(`/v1/users/${user.userId}`, { method: 'PATCH', key: user.key, body: { timezone: 'Asia/Kolkata' } });
  const { json } = await preview({ type: 'daily_usage', threshold_kwh: 25.999 });
  expect(json.data[0]).toMatchObject({ period_start: expect.stringMatching(/T18:30:00.000Z$/) });
  await api.send(`/v1/users/${user.userId}`, { method: 'PATCH', key: user.key, body: { timezone: 'UTC' } });
});

test('a preview returns when devices were silent, and creates no alert', async () => {
  const { status, json } = await preview({ type: 'no_data', threshold_hours: 5 });
  expect(status).toBe(200);
  // The account has readings but no device, so there is no device that could be silent.
  expect(json.data).toEqual([]);
  await api.database.pool.query(
    `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256) VALUES ('dev_' || $1, $1, 'x', 'x', '')`,
    [user.userId],
  );
  expect((await preview({ type: 'no_data', threshold_hours: 5 })).json.data).toEqual([
    {
      device_id: `dev_${user.userId}`,
      period_start: '2026-06-09T23:15:00.000Z',
      period_end: '2026-06-11T00:00:00.000Z',
    },
  ]);
  expect((await api.send(`/v1/alerts?user_id=${user.userId}`, { key: user.key })).json).toEqual([]);
});

test('a preview returns the days and months that would have cost more than the threshold, at current prices', async () => {
  const tariff = (body: object) =>
    api.send('/v1/tariffs', { method: 'POST', key: user.key, body: { name: 'x', currency: 'EUR', ...body } });
  expect((await preview({ type: 'daily_cost', threshold: '1' })).status).toBe(409);
  await tariff({ valid_from: '2026-01-01', import: { per_kwh: '0.30' } });
  // The home uses 26 kWh a day, which costs EUR 7.80.
  const days = await preview({ type: 'daily_cost', threshold: 7.79 });
  expect(days.json.data).toHaveLength(88);
  expect(days.json.data.at(-1)).toEqual({
    period_start: '2026-06-14T00:00:00.000Z',
    period_end: '2026-06-15T00:00:00.000Z',
    cost: '7.80',
    currency: 'EUR',
  });
  expect((await preview({ type: 'daily_cost', threshold: '7.80' })).json.data).toEqual([]);
  const months = await preview({ type: 'monthly_cost', threshold: '200' });
  expect(months.json.data.map(({ period_start, cost }: Record<string, string>) => [period_start, cost])).toEqual([
    ['2026-04-01T00:00:00.000Z', '234.00'],
    ['2026-05-01T00:00:00.000Z', '241.80'],
  ]);
  // From 2 May on, the currency is JPY. May has two currencies, so a preview of months omits it.
  await tariff({ valid_from: '2026-05-02', currency: 'JPY', import: { per_kwh: '10' } });
  const both = (await preview({ type: 'daily_cost', threshold: '7.79' })).json.data;
  expect(both).toHaveLength(89);
  expect(both.filter(({ currency }: Record<string, string>) => currency === 'JPY')).toHaveLength(44);
  expect(both.at(-2)).toMatchObject({ cost: '260', currency: 'JPY' });
  const split = (await preview({ type: 'monthly_cost', threshold: '200' })).json.data;
  expect(split.map(({ period_start, currency }: Record<string, string>) => [period_start, currency])).toEqual([
    ['2026-04-01T00:00:00.000Z', 'EUR'],
    ['2026-06-01T00:00:00.000Z', 'JPY'],
  ]);
});

test.each([
  [{ type: 'daily_usage' }, 'threshold_kwh'],
  [{ type: 'daily_cost', threshold_kwh: 1 }, 'threshold_kwh'],
  [{ type: 'monthly_cost' }, 'threshold'],
  [{ type: 'monthly_usage', threshold_kwh: 1, threshold: 1 }, 'threshold'],
  [{ type: 'no_data', threshold_kwh: 1 }, 'threshold_kwh'],
  [{ type: 'weekly_usage', threshold_kwh: 1 }, 'type'],
  [{ type: 'daily_usage', threshold_kwh: 1, delivery: 'email' }, 'delivery'],
])('a preview of the invalid rule %j is refused', async (body, field) => {
  const { status, json } = await preview(body);
  expect({ status, field: json.details?.[0]?.field }).toEqual({ status: 422, field });
});
