import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { createExpectedErrorBody, startTestApi, type TestApi, type TestApiResponse } from '#test/support/api.ts';
import { type Person, writeSolarHome } from '#test/support/solar-home.ts';

/** Tests that a comparison of tariffs returns the costs that `include=cost` returns after the tariff has become valid. */
let api: TestApi;
let owner: Person;
let utility: Person;
let stranger: Person;
const plan = { minute: 100_000, day: 100_000 };

beforeAll(async () => {
  api = await startTestApi({ limits: { free: plan, developer: { minute: 25, day: 5_000 }, enterprise: plan } });
  utility = await api.user('utility');
  owner = await api.user('homeowner', { enrolledBy: utility.userId });
  stranger = await api.user('homeowner');
  await api.database.pool.query("UPDATE users SET timezone = 'Europe/Berlin' WHERE user_id = $1", [owner.userId]);
  // The data extends from 10 March to the test's current time in June. It includes the day with 23 hours.
  await writeSolarHome(api, owner.userId, { fromMs: Date.UTC(2026, 2, 10), toMs: api.now.getTime() });
});
afterAll(() => api.close());

const compare = (body: object, key = owner.key) => api.send('/v1/tariffs/compare', { method: 'POST', key, body });
const make = async (path: string, body: unknown, { key, method = 'POST' }: { key: string; method?: string }) => {
  const answer = await api.send(path, { method, key, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
};
const costOf = async (start: string, end: string) => {
  const body = { start, end, tz: 'account', include: 'cost' };
  return (await make('/v1/energy-insights', body, owner)).summary.cost;
};
const range = { start: '2026-03-15', end: '2026-06-10' };
const flat = { name: 'flat', currency: 'EUR', import: { per_kwh: '0.3127' } };
const offers = [
  { ...flat, standing_per_day: '0.41', export: { per_kwh: '0.0811' } },
  {
    name: 'by the clock, with peaks',
    currency: 'EUR',
    capacity: { per_kw_month: '4.35', months_averaged: 3, minimum_kw: 1 },
    import: { periods: [{ per_kwh: '0.2815', days: [1, 2, 3, 4, 5], from: '06:00', to: '22:00' }, { per_kwh: 0.197 }] },
  },
];

describe('a comparison', () => {
  test('equals the cost after the tariff is created, whether or not the account had tariffs', async () => {
    const { series_id } = await make(
      '/v1/price-series',
      { name: 'spot', currency: 'EUR', resolution_minutes: 60 },
      utility,
    );
    const prices = Array.from({ length: 24 * 80 }, (_, hour) => ({
      starts_at: new Date(Date.UTC(2026, 2, 20) + hour * 3_600_000).toISOString(),
      per_kwh: (((hour * 37) % 211) / 1_000 - 0.02).toFixed(3),
    }));
    await make(`/v1/price-series/${series_id}/prices`, prices, { key: utility.key, method: 'PUT' });
    const dynamic = { name: 'dynamic', currency: 'EUR', import: { series_id, multiply: '1.19', add: '0.154' } };
    const tariffs = [...offers, { ...dynamic, export: { series_id } }];
    const none = await compare({ ...range, tariffs });
    expect(none.status, none.text).toBe(200);
    expect(none.json).toMatchObject({ user_id: owner.userId, ...range, currency: 'EUR', current: null });
    expect(none.json.alternatives[2].cost.missing_prices_kwh).toBeGreaterThan(0);
    expect(none.json.alternatives[1].cost.capacity).toMatch(/^[1-9]/);
    // The home's own tariff differs from the compared tariffs, and changes within the range.
    const held = [
      { ...flat, valid_from: '2026-03-20' },
      { ...offers[0], valid_from: '2026-05-05', name: 'later' },
    ];
    const made = [];
    for (const one of held) made.push(await make('/v1/tariffs', one, owner));
    const some = await compare({ ...range, tariffs }, utility.key).then(() =>
      compare({ ...range, user_id: owner.userId, tariffs }, utility.key),
    );
    const current = await costOf(range.start, range.end);
    expect(some.json.current).toEqual(current);
    const cents = (text: string) => Math.round(Number(text) * 100);
    for (const [index, { difference, name, cost }] of some.json.alternatives.entries()) {
      expect([name, cost]).toEqual([tariffs[index]?.name, none.json.alternatives[index].cost]);
      expect(none.json.alternatives[index].difference).toBeNull();
      expect(cents(difference)).toBe(cents(cost.total) - cents(current.total));
    }
    for (const { tariff_id } of made) await api.send(`/v1/tariffs/${tariff_id}`, { method: 'DELETE', key: owner.key });
    for (const [index, tariff] of tariffs.entries()) {
      const { tariff_id } = await make('/v1/tariffs', { ...tariff, valid_from: range.start }, owner);
      expect(none.json.alternatives[index].cost).toEqual(await costOf(range.start, range.end));
      await api.send(`/v1/tariffs/${tariff_id}`, { method: 'DELETE', key: owner.key });
    }
    expect((await api.send('/v1/tariffs', { key: owner.key })).json).toEqual([]);
  });

  test('covers an unfinished range up to now, and at most 36 months', async () => {
    const running = { start: '2026-06-01', end: '2026-06-30' };
    const { json } = await compare({ ...running, tariffs: [offers[1]] });
    const { tariff_id } = await make('/v1/tariffs', { ...offers[1], valid_from: '2026-06-01' }, owner);
    expect(json.alternatives[0].cost).toEqual(await costOf(running.start, running.end));
    await api.send(`/v1/tariffs/${tariff_id}`, { method: 'DELETE', key: owner.key });
    const long = await compare({ start: '2023-07-15', end: '2026-07-14', tariffs: [flat] });
    expect([long.status, Number(long.json.alternatives[0].cost.import) > 0]).toEqual([200, true]);
  });
});

const fieldsOf = ({ status, json }: TestApiResponse) => [
  status,
  json.details?.map(({ field }: { field: string }) => field),
];

test('a comparison is refused for invalid input, with the names of the fields', async () => {
  const { series_id: ofStranger } = await make(
    '/v1/price-series',
    { name: 'x', currency: 'EUR', resolution_minutes: 60 },
    stranger,
  );
  const { series_id: inSek } = await make(
    '/v1/price-series',
    { name: 'x', currency: 'SEK', resolution_minutes: 60 },
    owner,
  );
  const wrong: [object, unknown][] = [
    [{ end: '2026-06-10', tariffs: [flat] }, ['start']],
    [{ start: '2026-06-11', end: '2026-06-10', tariffs: [flat] }, ['end']],
    [{ start: '2023-06-11', end: '2026-06-11', tariffs: [flat] }, ['end']],
    [{ start: '2026-02-30', end: '2026-06-10', tariffs: [flat] }, ['start']],
    [{ start: '2026-06-16', end: '2026-06-20', tariffs: [flat] }, ['start']],
    [{ ...range, tariffs: [] }, ['tariffs']],
    [{ ...range, tariffs: Array(11).fill(flat) }, ['tariffs']],
    [{ ...range, tariffs: [{ ...flat, valid_from: '2026-01-01' }] }, ['tariffs.0.valid_from']],
    [{ ...range, tariffs: [{ ...flat, import: { per_kwh: 'x' } }] }, ['tariffs.0.import.per_kwh']],
    [{ ...range, tariffs: [flat, { ...flat, currency: 'SEK' }] }, ['tariffs.1.currency']],
    [{ ...range, tariffs: [flat, { ...flat, import: { series_id: ofStranger } }] }, ['tariffs.1.import.series_id']],
    [{ ...range, tariffs: [{ ...flat, export: { series_id: inSek } }] }, ['tariffs.0.export.series_id']],
    [{ ...range, tariffs: [flat], more: 1 }, ['more']],
  ];
  for (const [body, fields] of wrong)
    expect({ body, is: fieldsOf(await compare(body)) }).toEqual({ body, is: [422, fields] });
  expect((await compare({ ...range, tariffs: [flat], user_id: stranger.userId })).status).toBe(403);
  expect((await compare({ ...range, tariffs: [flat], user_id: stranger.userId }, utility.key)).status).toBe(404);
  for (const lacking of ['insights:read', 'tariffs:read'] as const) {
    const scopes = (['insights:read', 'tariffs:read'] as const).filter((scope) => scope !== lacking);
    const { key } = await createKey(api.db, { userId: owner.userId, environment: 'live', scopes: [...scopes] });
    expect((await compare({ ...range, tariffs: [flat] }, key)).status).toBe(403);
  }
});

test('a comparison uses the currency of the tariffs that apply in the range', async () => {
  const ids = [];
  for (const [valid_from, currency] of [
    ['2026-04-01', 'SEK'],
    ['2026-06-01', 'EUR'],
  ])
    ids.push((await make('/v1/tariffs', { ...flat, valid_from, currency }, owner)).tariff_id);
  expect(fieldsOf(await compare({ ...range, tariffs: [flat] }))).toEqual([422, ['start']]);
  const may = { start: '2026-05-01', end: '2026-05-31' };
  expect(fieldsOf(await compare({ ...may, tariffs: [flat] }))).toEqual([422, ['tariffs.0.currency']]);
  expect((await compare({ ...may, tariffs: [{ ...flat, currency: 'SEK' }] })).json.currency).toBe('SEK');
  for (const id of ids) await api.send(`/v1/tariffs/${id}`, { method: 'DELETE', key: owner.key });
});

test('a comparison counts as ten requests; a refused one does not count', async () => {
  await api.database.pool.query("UPDATE users SET plan = 'developer' WHERE user_id = $1", [stranger.userId]);
  await api.send('/v1/alerts', { key: stranger.key });
  const remainingRequests = ({ headers }: TestApiResponse) => Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
  const ask = () => compare({ ...range, tariffs: [flat] }, stranger.key);
  const before = remainingRequests(await api.send('/v1/alerts', { key: stranger.key }));
  const [one, two] = [await ask(), await ask()];
  expect([one.status, remainingRequests(one), two.status, remainingRequests(two)]).toEqual([
    200,
    before - 10,
    200,
    before - 20,
  ]);
  const third = await ask();
  expect([third.status, third.json.code, remainingRequests(third)]).toEqual([429, 'too_many_requests', before - 20]);
  expect(remainingRequests(await api.send('/v1/alerts', { key: stranger.key }))).toBe(before - 21);
});

test('comparisons run one at a time per account: a second one gets 429 with Retry-After', async () => {
  const body = { start: '2023-07-01', end: '2026-06-15', tariffs: Array(10).fill(offers[1]) };
  const all = await Promise.all([compare(body), setTimeout(5).then(() => compare(body)), compare(body)]);
  const [done, refused] = [all.filter(({ status }) => status === 200), all.filter(({ status }) => status === 429)];
  expect([done.length, refused.length]).toEqual([1, 2]);
  expect(refused[0]?.headers['retry-after']).toBe('2');
  expect(refused[0]?.json).toEqual({ ...createExpectedErrorBody('calculationUnderWay'), retry_after: 2 });
  expect((await compare({ ...range, tariffs: [flat] })).status).toBe(200);
});
