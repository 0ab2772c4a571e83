import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SCOPES } from '#src/auth/scopes.ts';
import { loadAllTariffs } from '#src/tariffs/store.ts';
import { eraseUser } from '#src/users/erase.ts';
import { type CallersByRole, setUpCallersByRole } from '#test/support/callers.ts';

let api: CallersByRole['api'];
let admin: CallersByRole['admin'];
let utility: CallersByRole['utility'];
let home: CallersByRole['home'];
setUpCallersByRole((made) => {
  ({ api, admin, utility, home } = made);
});

let days = 0;
/** Returns a date on which no tariff begins yet. */
const nextDay = () => new Date(Date.UTC(2000, 0, ++days)).toISOString().slice(0, 10);
const flat = (more: object = {}) => ({
  name: 'flat',
  valid_from: nextDay(),
  currency: 'EUR',
  import: { per_kwh: '0.30' },
  ...more,
});
const post = (body: object | string, key = home.key) =>
  api.send('/v1/tariffs', { method: 'POST', key, ...(typeof body === 'string' ? { raw: body } : { body }) });
const patch = (id: string, body: object, key = home.key) =>
  api.send(`/v1/tariffs/${id}`, { method: 'PATCH', key, body });
const get = (path: string, key = home.key) => api.send(path, { key });
const series = async (key: string, more: object = {}) => {
  const body = { name: 'x', currency: 'EUR', resolution_minutes: 60, ...more };
  return (await api.send('/v1/price-series', { method: 'POST', key, body })).json.series_id as string;
};
const fields = (json: { details?: { field: string }[] }) => json.details?.map(({ field }) => field);

test('a tariff is created, read, listed by its first day, changed and removed', async () => {
  const own = await api.user('homeowner');
  const full = {
    name: 'Day and night',
    valid_from: '2026-07-01',
    currency: 'EUR',
    standing_per_day: '0.410',
    capacity: { per_kw_month: '4.35', months_averaged: 12, minimum_kw: 2.5 },
    import: {
      periods: [
        { per_kwh: '0.2815', days: [1, 2, 3, 4, 5], from: '07:00', to: '22:00', months: [1, 12] },
        { per_kwh: '0.19' },
      ],
    },
    export: { per_kwh: '-0.08' },
  };
  const made = await post(full, own.key);
  expect(made.status).toBe(201);
  const { tariff_id } = made.json;
  expect(tariff_id).toMatch(/^trf_[0-9a-z]{26}$/);
  expect(made.json).toEqual({ tariff_id, user_id: own.userId, ...full });
  expect((await get(`/v1/tariffs/${tariff_id}`, own.key)).json).toEqual(made.json);

  const before = (await post({ ...full, valid_from: '2026-06-30' }, own.key)).json.tariff_id;
  const after = (await post({ ...full, valid_from: '2027-01-01' }, own.key)).json.tariff_id;
  const ids = async (path: string) =>
    (await get(path, own.key)).json.map((one: { tariff_id: string }) => one.tariff_id);
  expect(await ids('/v1/tariffs')).toEqual([before, tariff_id, after]);
  const page = await get('/v1/tariffs?limit=2', own.key);
  expect(page.json).toHaveLength(2);
  expect(await ids(/<([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1] ?? '')).toEqual([after]);

  const changed = await patch(tariff_id, { standing_per_day: null, export: null, capacity: null, name: 'y' }, own.key);
  const { standing_per_day: _, capacity: __, export: ___, ...rest } = made.json;
  expect(changed.json).toEqual({ ...rest, name: 'y' });
  expect((await patch(tariff_id, {}, own.key)).json).toEqual({ ...rest, name: 'y' });
  expect((await patch(tariff_id, { import: { per_kwh: 1 } }, own.key)).json.import).toEqual({ per_kwh: '1' });
  const removed = await api.send(`/v1/tariffs/${tariff_id}`, { method: 'DELETE', key: own.key });
  expect(removed.json.message).toContain(tariff_id);
  expect((await get(`/v1/tariffs/${tariff_id}`, own.key)).status).toBe(404);
  expect((await patch(tariff_id, { name: 'z' }, own.key)).status).toBe(404);
  expect(await ids('/v1/tariffs')).toEqual([before, after]);
});

test('two tariffs of a user cannot begin on the same day, even if created concurrently', async () => {
  const own = await api.user('homeowner');
  const body = flat({ valid_from: '2026-07-01' });
  const raced = await Promise.all([post(body, own.key), post(body, own.key), post(body, own.key)]);
  expect(raced.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  const other = (await post(flat({ valid_from: '2026-07-02' }), own.key)).json.tariff_id;
  const taken = await patch(other, { valid_from: '2026-07-01' }, own.key);
  expect([taken.status, taken.json.error]).toEqual([409, 'Another tariff of the user begins on the same day']);
  // Tariffs of two users can begin on the same day.
  expect((await post(body, (await api.user('homeowner')).key)).status).toBe(201);
  expect((await patch(other, { valid_from: '2026-07-02' }, own.key)).status).toBe(200);
});

describe('a price keeps the digits that were sent', () => {
  test.each([
    ['0.30', '0.3'],
    ['"0.30"', '0.30'],
    ['0.1', '0.1'],
    ['1e-9', '0.000000001'],
    ['123456789.123456789', '123456789.123456789'],
    ['"999999999.999999999"', '999999999.999999999'],
    ['999999999.999999999', '999999999.999999999'],
    ['-0.0', '0'],
    ['0.123456789000000000000', '0.123456789'],
  ])('%s is %s', async (written, stored) => {
    const body = JSON.stringify(flat({ import: { per_kwh: 'PRICE' } })).replace('"PRICE"', written);
    const { status, json } = await post(body);
    expect([status, json.import]).toEqual([201, { per_kwh: stored }]);
  });

  test.each([
    '0.1234567891',
    '0.12345678900000000001',
    '0.300000000000000000001',
    '1e-10',
    '1e-400',
    '1e400',
    '1e9',
    '"0.1234567891"',
    '"1000000000"',
    '""',
    '"0,30"',
    '"abc"',
    'null',
    'true',
    '{}',
    '[1]',
  ])('%s is refused', async (written) => {
    const body = JSON.stringify(flat({ import: { per_kwh: 'PRICE' } })).replace('"PRICE"', written);
    const { status, json } = await post(body);
    expect([status, fields(json)]).toEqual([422, ['import.per_kwh']]);
  });
});

describe('invalid combinations are refused with an explanation', () => {
  const periods = (...given: object[]) => ({ import: { periods: given } });
  const last = { per_kwh: 1 };
  const wrong: [string, object, string[]][] = [
    ['no name', { name: undefined }, ['name']],
    ['a name of nothing', { name: '' }, ['name']],
    ['a name with NUL', { name: 'a\0' }, ['name']],
    ['a day that does not exist', { valid_from: '2026-02-30' }, ['valid_from']],
    ['a time for a day', { valid_from: '2026-02-01T00:00:00Z' }, ['valid_from']],
    ['a currency in small letters', { currency: 'eur' }, ['currency']],
    ['a currency that there is not', { currency: 'XYZ' }, ['currency']],
    ['no rates', { import: undefined }, ['import']],
    ['rates of nothing', { import: {} }, ['import.per_kwh']],
    ['rates of two kinds', { import: { per_kwh: 1, series_id: 'prs_1' } }, ['import.series_id']],
    ['rates that are a number', { import: 1 }, ['import']],
    ['a member that nobody knows', { colour: 'red' }, ['colour']],
    ['one within', { import: { per_kwh: 1, colour: 'red' } }, ['import.colour']],
    ['null for nothing', { export: null }, ['export']],
    ['no periods', periods(), ['import.periods']],
    ['too many periods', periods(...Array(501).fill(last)), ['import.periods']],
    ['a last period with days', periods({ ...last, days: [1] }), ['import.periods.0']],
    ['a last period with a time', periods(last, { ...last, from: '07:00' }), ['import.periods.1']],
    ['from and to alike', periods({ ...last, from: '07:00', to: '07:00' }, last), ['import.periods.0.to']],
    ['to at 00:00 alone', periods({ ...last, to: '00:00' }, last), ['import.periods.0.to']],
    ['from at 24:00', periods({ ...last, from: '24:00', to: '06:00' }, last), ['import.periods.0.from']],
    ['a time that is no quarter-hour', periods({ ...last, from: '07:10' }, last), ['import.periods.0.from']],
    ['a time without minutes', periods({ ...last, to: '7' }, last), ['import.periods.0.to']],
    ['a time with seconds', periods({ ...last, to: '07:00:00' }, last), ['import.periods.0.to']],
    ['an eighth day', periods({ ...last, days: [8] }, last), ['import.periods.0.days.0']],
    ['no day', periods({ ...last, days: [] }, last), ['import.periods.0.days']],
    ['a day twice', periods({ ...last, days: [1, 1] }, last), ['import.periods.0.days']],
    ['half a day', periods({ ...last, days: [1.5] }, last), ['import.periods.0.days.0']],
    ['a thirteenth month', periods({ ...last, months: [13] }, last), ['import.periods.0.months.0']],
    ['a capacity without a price', { capacity: { minimum_kw: 1 } }, ['capacity.per_kw_month']],
    ['thirteen months', { capacity: { per_kw_month: 1, months_averaged: 13 } }, ['capacity.months_averaged']],
    ['no months', { capacity: { per_kw_month: 1, months_averaged: 0 } }, ['capacity.months_averaged']],
    ['less than nothing', { capacity: { per_kw_month: 1, minimum_kw: -1 } }, ['capacity.minimum_kw']],
    ['a series that there is not', { import: { series_id: 'prs_1' } }, ['import.series_id']],
    ['a series with NUL', { import: { series_id: 'prs_\0' } }, ['import.series_id']],
    ['a factor that is no number', { import: { series_id: 'prs_1', multiply: 'x' } }, ['import.multiply']],
  ];
  test.each(wrong)('%s', async (_what, more, named) => {
    const { status, json } = await post(flat(more));
    expect([status, fields(json)]).toEqual([422, named]);
  });

  test('but times until or across midnight are accepted', async () => {
    const writtenRates = [
      { ...last, from: '22:00', to: '06:00' },
      { ...last, from: '22:00', to: '00:00' },
      { ...last, to: '24:00', from: '00:00' },
      last,
    ];
    expect((await post(flat(periods(...writtenRates)))).status).toBe(201);
  });

  test('a body with thousands of errors is answered with a hundred of them, quickly', async () => {
    const body = flat({ import: { periods: Array(400).fill({ colour: 1, shape: 2 }) } });
    const { status, json } = await post(body);
    expect([status, json.details.length]).toEqual([422, 100]);
  });

  test.each([
    ['text/plain', '{}'],
    ['text/csv', 'name\nx\n'],
  ])('a body as %s is 400', async (type, raw) => {
    const { status } = await api.send('/v1/tariffs', {
      method: 'POST',
      key: home.key,
      raw,
      headers: { 'content-type': type },
    });
    expect(status).toBe(400);
  });

  test.each(['{', '{"a":1}{"b":2}', ''])('malformed JSON (%s) is 400', async (raw) => {
    expect((await post(raw)).status).toBe(400);
  });
});

describe('a tariff by a series', () => {
  test('accepts a series of its user, of the user’s utility and of an administrator, and of nobody else', async () => {
    const stranger = await api.user('utility');
    const neighbour = await api.user('homeowner', { enrolledBy: utility.userId });
    const may = async (seriesOwner: { key: string }) =>
      (await post(flat({ export: { series_id: await series(seriesOwner.key), multiply: 1.19, add: '-0.01' } }))).status;
    expect(await may(home)).toBe(201);
    expect(await may(utility)).toBe(201);
    expect(await may(admin)).toBe(201);
    expect(await may(stranger)).toBe(422);
    expect(await may(neighbour)).toBe(422);
    // If a utility creates a tariff for a user, the user must have access to the tariff's price series.
    const by = (key: string, seriesId: string) =>
      post(flat({ user_id: home.userId, import: { series_id: seriesId } }), key);
    expect((await by(utility.key, await series(home.key))).status).toBe(201);
    expect((await by(admin.key, await series(neighbour.key))).status).toBe(422);
  });

  test('must have the same currency as the series', async () => {
    const yen = await series(home.key, { currency: 'JPY' });
    const { status, json } = await post(flat({ import: { series_id: yen }, export: { series_id: yen } }));
    expect([status, json.details]).toEqual([
      422,
      [
        { field: 'import.series_id', message: 'is of JPY, the tariff of EUR' },
        { field: 'export.series_id', message: 'is of JPY, the tariff of EUR' },
      ],
    ]);
    const made = (await post(flat({ currency: 'JPY', import: { series_id: yen } }))).json.tariff_id;
    expect(fields((await patch(made, { currency: 'EUR' })).json)).toEqual(['import.series_id']);
    expect((await patch(made, { currency: 'EUR', import: { per_kwh: 1 } })).status).toBe(200);
    expect(fields((await patch(made, { export: { series_id: yen } })).json)).toEqual(['export.series_id']);
  });

  test('remains after the owner of the series is erased, and can be changed', async () => {
    const owner = await api.user('admin');
    const seriesId = await series(owner.key);
    const made = (await post(flat({ import: { series_id: seriesId } }))).json.tariff_id;
    await eraseUser(api.db, owner.userId);
    expect((await patch(made, { name: 'y' })).json).toMatchObject({ name: 'y', import: { series_id: seriesId } });
    expect((await patch(made, { import: { series_id: seriesId } })).status).toBe(422);
  });
});

test('costs are computed from the stored data, in order', async () => {
  const own = await api.user('homeowner');
  await post(flat({ valid_from: '2026-07-01', import: { per_kwh: '0.300000001' } }), own.key);
  await post(flat({ valid_from: '1999-12-31', standing_per_day: 1.5 }), own.key);
  expect(await loadAllTariffs(api.db, own.userId)).toMatchObject([
    { validFrom: '1999-12-31', standingPerDay: 1_500_000_000n, import: { kind: 'flat', perKwh: 300_000_000n } },
    { validFrom: '2026-07-01', standingPerDay: null, import: { kind: 'flat', perKwh: 300_000_001n } },
  ]);
});

test('an Idempotency-Key creates one tariff, and a user has at most 1,000', async () => {
  const own = await api.user('homeowner');
  const body = flat({ valid_from: '2026-07-01', import: { per_kwh: 0.3 } });
  const once = () =>
    api.send('/v1/tariffs', { method: 'POST', key: own.key, body, headers: { 'idempotency-key': 'once' } });
  const [first, again] = [await once(), await once()];
  expect([first.status, again.json]).toEqual([201, first.json]);
  await api.database.pool.query(
    `INSERT INTO tariffs SELECT 'trf_' || n || $1, $1, 'x', date '2030-01-01' + n, 'EUR', '{"import": {"per_kwh": "1"}}' FROM generate_series(1, 999) n`,
    [own.userId],
  );
  expect((await post(flat(), own.key)).json).toMatchObject({
    status: 409,
    error: 'A user can have at most 1,000 tariffs',
  });
});

test('existing keys with all scopes also get the scopes of tariffs', async () => {
  const before = DEFAULT_SCOPES.filter((scope) => !scope.startsWith('tariffs:'));
  const migration = readFileSync(new URL('../../../sql/schema/0027_prices.sql', import.meta.url), 'utf8');
  const update = migration.slice(migration.indexOf('UPDATE api_keys'));
  const all = await api.user('homeowner', { scopes: before });
  const some = await api.user('homeowner', { scopes: before.slice(1) });
  await api.database.pool.query(update);
  const scopesOf = async ({ userId }: { userId: string }) =>
    (await api.db.selectFrom('api_keys').select('scopes').where('user_id', '=', userId).executeTakeFirstOrThrow())
      .scopes;
  expect(new Set(await scopesOf(all))).toEqual(new Set(DEFAULT_SCOPES));
  expect(await scopesOf(some)).toEqual(before.slice(1));
});
