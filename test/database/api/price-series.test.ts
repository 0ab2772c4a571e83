import { describe, expect, test } from 'vitest';
import { loadPrices } from '#src/tariffs/prices.ts';
import { eraseUser } from '#src/users/erase.ts';
import { type CallersByRole, setUpCallersByRole } from '#test/support/callers.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let api: CallersByRole['api'];
let admin: CallersByRole['admin'];
let utility: CallersByRole['utility'];
let home: CallersByRole['home'];
setUpCallersByRole((made) => {
  ({ api, admin, utility, home } = made);
});

const post = (body: object, key = home.key) => api.send('/v1/price-series', { method: 'POST', key, body });
const hourly = { name: 'Day ahead', currency: 'EUR', resolution_minutes: 60 };
const make = async (more: object = {}, key = home.key) =>
  (await post({ ...hourly, ...more }, key)).json.series_id as string;
const get = (path: string, key = home.key) => api.send(path, { key });
const put = (id: string, body: object | string, headers: Record<string, string> = {}, key = home.key) =>
  api.send(`/v1/price-series/${id}/prices`, {
    method: 'PUT',
    key,
    headers,
    ...(typeof body === 'string' ? { raw: body } : { body }),
  });
const csv = (id: string, text: string) => put(id, text, { 'content-type': 'text/csv; charset=utf-8' });
const remove = (id: string, key = home.key) => api.send(`/v1/price-series/${id}`, { method: 'DELETE', key });
const pricesOf = async (id: string, range = '?start=2026-06-15&end=2026-06-15') =>
  Object.fromEntries(
    (await get(`/v1/price-series/${id}/prices${range}`)).json.map((one: { starts_at: string; per_kwh: string }) => [
      one.starts_at.slice(11, 16),
      one.per_kwh,
    ]),
  );
type StoredId = { series_id: string };
const at = (time: string, per_kwh: string | number) => ({ starts_at: `2026-06-15T${time}:00Z`, per_kwh });

describe('a price series', () => {
  test('is created, read, listed and removed', async () => {
    const own = await api.user('homeowner');
    const made = await post(hourly, own.key);
    const { series_id } = made.json;
    expect([made.status, made.json]).toEqual([201, { series_id, user_id: own.userId, ...hourly }]);
    expect(series_id).toMatch(/^prs_[0-9a-z]{26}$/);
    expect((await get(`/v1/price-series/${series_id}`, own.key)).json).toEqual(made.json);
    await make({}, own.key);
    const page = await get('/v1/price-series?limit=1', own.key);
    expect(page.json).toEqual([made.json]);
    const next = await get(/<([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1] ?? '', own.key);
    expect([next.json.length, next.headers.link]).toEqual([1, undefined]);
    expect((await remove(series_id, own.key)).json.message).toContain(series_id);
    expect((await get(`/v1/price-series/${series_id}`, own.key)).status).toBe(404);
    expect((await remove(series_id, own.key)).status).toBe(404);
  });

  test.each([
    [{ name: '' }, 'name'],
    [{ currency: 'XXX' }, 'currency'],
    [{ currency: 5 }, 'currency'],
    [{ resolution_minutes: 45 }, 'resolution_minutes'],
    [{ resolution_minutes: '60' }, 'resolution_minutes'],
    [{ resolution_minutes: undefined }, 'resolution_minutes'],
    [{ series_id: 'prs_1' }, 'series_id'],
  ])('with the values %j is refused', async (more, field) => {
    const { status, json } = await post({ ...hourly, ...more });
    expect([status, json.details[0].field]).toEqual([422, field]);
  });

  test('of a utility can be read by its homeowners, one of an administrator by everybody, and neither can be changed by them', async () => {
    const stranger = await api.user('homeowner');
    const [ofUtility, ofAdmin, ofHome] = [await make({}, utility.key), await make({}, admin.key), await make()];
    const ids = [ofUtility, ofAdmin, ofHome];
    const sees = (key: string, more = '') =>
      Promise.all(ids.map(async (id) => (await get(`/v1/price-series/${id}${more}`, key)).status));
    const lists = async (key: string) => {
      const listed: { series_id: string }[] = (await get('/v1/price-series?limit=200', key)).json;
      return ids.map((id) => listed.some(({ series_id }) => series_id === id));
    };
    for (const more of ['', '/prices']) {
      expect(await sees(home.key, more)).toEqual([200, 200, 200]);
      expect(await sees(stranger.key, more)).toEqual([404, 200, 404]);
      expect(await sees(admin.key, more)).toEqual([200, 200, 200]);
    }
    expect(await lists(home.key)).toEqual([true, true, true]);
    expect(await lists(stranger.key)).toEqual([false, true, false]);
    // The list contains the series that the administrator's own account can use, not all series that the administrator can access.
    expect(await lists(admin.key)).toEqual([false, true, false]);
    for (const id of [ofUtility, ofAdmin]) {
      expect((await put(id, [at('12:00', 1)])).status).toBe(404);
      expect((await remove(id)).status).toBe(404);
    }
    expect((await put(ofHome, [at('12:00', 1)], {}, utility.key)).status).toBe(200);
    // With `user_id`, the list contains the series that this user can use.
    const listed = await get(`/v1/price-series?user_id=${home.userId}&limit=200`, utility.key);
    expect(listed.json.map(({ series_id }: { series_id: string }) => series_id)).toEqual(
      expect.arrayContaining([ofUtility, ofAdmin, ofHome]),
    );
  });

  test('of a former utility is not visible to the homes that the utility enrolled', async () => {
    const formerUtility = await api.user('utility');
    const enrolled = await api.user('homeowner', { enrolledBy: formerUtility.userId });
    const id = await make({}, formerUtility.key);
    const statusOf = async () => (await get(`/v1/price-series/${id}`, enrolled.key)).status;
    const isListed = async () =>
      (await get('/v1/price-series?limit=200', enrolled.key)).json.some((one: StoredId) => one.series_id === id);
    expect([await statusOf(), await isListed()]).toEqual([200, true]);
    const change = { method: 'PATCH', key: admin.key, body: { role: 'homeowner' } };
    expect((await api.send(`/v1/users/${formerUtility.userId}`, change)).status).toBe(200);
    expect([await statusOf(), await isListed()]).toEqual([404, false]);
  });

  test('is not deleted while a tariff uses it, or a tariff with it is being created', async () => {
    const id = await make({}, utility.key);
    const tariff = {
      name: 'x',
      valid_from: '2026-01-01',
      currency: 'EUR',
      import: { per_kwh: 1 },
      export: { series_id: id },
    };
    const used = await api.send('/v1/tariffs', { method: 'POST', key: home.key, body: tariff });
    expect(used.status).toBe(201);
    expect((await remove(id, utility.key)).json).toMatchObject({
      status: 409,
      error: 'A tariff uses the price series',
    });
    await api.send(`/v1/tariffs/${used.json.tariff_id}`, { method: 'DELETE', key: home.key });
    expect((await remove(id, utility.key)).status).toBe(200);
    for (let round = 0; round < 10; round++) {
      const owner = await api.user('homeowner');
      const raced = await make({}, owner.key);
      const body = { ...tariff, export: { series_id: raced } };
      const [made, removed] = await Promise.all([
        api.send('/v1/tariffs', { method: 'POST', key: owner.key, body }),
        remove(raced, owner.key),
      ]);
      expect([
        [201, 409],
        [422, 200],
      ]).toContainEqual([made.status, removed.status]);
    }
  });

  test('is removed with its owner, with its prices', async () => {
    const owner = await api.user('utility');
    const id = await make({}, owner.key);
    await put(id, [at('12:00', 1)], {}, owner.key);
    await eraseUser(api.db, owner.userId);
    for (const relation of ['price_series', 'prices']) {
      const { rows } = await api.database.pool.query(`SELECT FROM ${relation} WHERE series_id = $1`, [id]);
      expect([relation, rows.length]).toEqual([relation, 0]);
    }
  });
});

describe('prices', () => {
  test('are stored exactly, corrected, and answered by day', async () => {
    const id = await make();
    const expectedPrices = [
      at('12:00', '-0.00512'),
      at('13:00', 0.3),
      { starts_at: '2026-06-16T01:00:00+02:00', per_kwh: '999999999.999999999' },
    ];
    expect((await put(id, expectedPrices)).json).toEqual({ series_id: id, stored: 3 });
    expect(await pricesOf(id)).toEqual({ '12:00': '-0.00512', '13:00': '0.3', '23:00': '999999999.999999999' });
    await put(id, [at('13:00', '0.29'), at('14:00', '-999999999.999999999')]);
    expect(await pricesOf(id)).toEqual({
      '12:00': '-0.00512',
      '13:00': '0.29',
      '14:00': '-999999999.999999999',
      '23:00': '999999999.999999999',
    });
    expect((await put(id, [])).json.stored).toBe(0);
    // Without dates, a request returns the prices of today and tomorrow.
    await put(id, [
      at('00:00', 1),
      { starts_at: '2026-06-16T23:00:00Z', per_kwh: 2 },
      { starts_at: '2026-06-17T00:00:00Z', per_kwh: 3 },
    ]);
    const next = await get(`/v1/price-series/${id}/prices`);
    expect(next.json.map(({ per_kwh }: { per_kwh: string }) => per_kwh)).toEqual([
      '1',
      '-0.00512',
      '0.29',
      '-999999999.999999999',
      '999999999.999999999',
      '2',
    ]);
    const wrong = [
      '?start=2026-06-15',
      '?start=2026-06-15&end=2026-06-14',
      '?start=x&end=y',
      '?start=2000-01-01&end=2001-12-31',
    ];
    for (const query of wrong)
      expect([query, (await get(`/v1/price-series/${id}/prices${query}`)).status]).toEqual([query, 422]);
  });

  test('can be sent as CSV, in the formats of spreadsheets', async () => {
    const id = await make();
    const lines = ['\ufeffstarts_at,per_kwh', '2026-06-15T12:00:00Z,0.1', '"2026-06-15T15:00:00+02:00","-0.2"', ''];
    expect((await csv(id, lines.join('\r\n'))).json.stored).toBe(2);
    expect(await pricesOf(id)).toEqual({ '12:00': '0.1', '13:00': '-0.2' });
    expect((await csv(id, 'starts_at,per_kwh\n')).json.stored).toBe(0);
  });

  test('with an error are all refused, and the row is named', async () => {
    const id = await make();
    await put(id, [at('12:00', '0.1')]);
    const wrong: [object, string][] = [
      [at('12:15', 1), '1.starts_at'],
      [at('13:00', 1), '1.starts_at'],
      [{ starts_at: '2026-06-15T13:00:00+05:30', per_kwh: 1 }, '1.starts_at'],
      [{ starts_at: '2026-06-15T13:00:00', per_kwh: 1 }, '1.starts_at'],
      [{ starts_at: '2026-06-15', per_kwh: 1 }, '1.starts_at'],
      [{ starts_at: '2026-02-30T13:00:00Z', per_kwh: 1 }, '1.starts_at'],
      [{ starts_at: '2150-06-15T13:00:00Z', per_kwh: 1 }, '1.starts_at'],
      [{ starts_at: 1_781_524_800, per_kwh: 1 }, '1.starts_at'],
      [{ per_kwh: 1 }, '1.starts_at'],
      [at('14:00', '0.1234567891'), '1.per_kwh'],
      [at('14:00', ''), '1.per_kwh'],
      [{ starts_at: '2026-06-15T14:00:00Z', per_kwh: null }, '1.per_kwh'],
      [{ starts_at: '2026-06-15T14:00:00Z' }, '1.per_kwh'],
      [{ ...at('14:00', 1), colour: 1 }, '1.colour'],
      [[], '1'],
    ];
    for (const [row, field] of wrong) {
      const { status, json } = await put(id, [at('13:00', 9), row]);
      expect([row, status, json.details.map((one: { field: string }) => one.field)]).toEqual([row, 422, [field]]);
    }
    const csvWrong: [string, string][] = [
      ['2026-06-15T13:00:00Z,9\n2026-06-15T14:00:00Z,x', 'line 3.per_kwh'],
      ['2026-06-15T13:00:00Z,9\n\n2026-06-15T14:15:00Z,1', 'line 4.starts_at'],
      ['2026-06-15T13:00:00Z,9\n2026-06-15T14:00:00Z', 'line 3'],
      ['2026-06-15T13:00:00Z,9\n2026-06-15T14:00:00Z,1,2', 'line 3'],
      ['2026-06-15T13:00:00Z,9\n"2026', 'line 3'],
    ];
    for (const [rows, field] of csvWrong) {
      const { status, json } = await csv(id, `starts_at,per_kwh\n${rows}\n`);
      expect([rows, status, json.details?.map((one: { field: string }) => one.field)]).toEqual([rows, 422, [field]]);
    }
    for (const header of ['per_kwh,starts_at', 'starts_at;per_kwh', 'starts_at', '', 'Starts_at,per_kwh'])
      expect([header, (await csv(id, `${header}\n2026-06-15T13:00:00Z,9\n`)).json.details[0].field]).toEqual([
        header,
        'line 1',
      ]);
    expect(await pricesOf(id)).toEqual({ '12:00': '0.1' });
  });

  test('are limited to 10,000 per request, and a body full of errors is refused quickly', async () => {
    const id = await make({ resolution_minutes: 15 });
    const rows = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        starts_at: new Date(Date.parse('2026-01-01') + (index * HOUR_MS) / 4).toISOString().replace('.000', ''),
        per_kwh: `0.${index + 1}`,
      }));
    expect((await put(id, rows(10_001))).json.details).toEqual([
      { field: 'body', message: 'must have at most 10000 items' },
    ]);
    expect((await put(id, rows(10_000))).json.stored).toBe(10_000);
    const all = await get(`/v1/price-series/${id}/prices?start=2026-01-01&end=2026-04-14`);
    expect([all.json.length, all.json[0], all.json.at(-1).per_kwh]).toEqual([
      9_984,
      { starts_at: '2026-01-01T00:00:00.000Z', per_kwh: '0.1' },
      '0.9984',
    ]);
    const asCsv = (count: number) =>
      `starts_at,per_kwh\n${rows(count)
        .map((one) => Object.values(one).join(','))
        .join('\n')}`;
    expect((await csv(id, asCsv(10_001))).status).toBe(422);
    expect((await csv(id, asCsv(10_000))).json.stored).toBe(10_000);
    for (const raw of [`[${'{},'.repeat(300_000)}{}]`, `[${'{},'.repeat(9_998)}{}]`, `[${'1,'.repeat(500_000)}1]`]) {
      const { status, json } = await put(id, raw);
      expect([status, json.details.length <= 100]).toEqual([422, true]);
    }
    expect((await csv(id, `starts_at,per_kwh\n${'a,b\n'.repeat(250_000)}`)).status).toBe(422);
    expect((await csv(id, 'x'.repeat(1_048_577))).status).toBe(400);
  });

  test('are accepted as JSON or CSV only', async () => {
    const id = await make();
    for (const type of ['text/plain', 'application/xml', 'text/csv2'])
      expect([type, (await put(id, 'starts_at,per_kwh\n', { 'content-type': type })).status]).toEqual([type, 400]);
    expect((await put(id, { starts_at: 'x' })).status).toBe(422);
    expect((await put(id, '[{"starts_at":"2026-06-15T12:00:00Z","per_kwh":0.12345678900000000001}]')).status).toBe(422);
    expect((await put(id, '[')).status).toBe(400);
    const patched = await api.send(`/v1/price-series/${id}/prices`, { method: 'PATCH', key: home.key, body: [] });
    expect([patched.status, patched.headers.allow]).toEqual([404, 'GET, DELETE, PUT']);
  });

  test('are recorded in the audit log by their number, and need a session’s token or a key', async () => {
    const id = await make();
    await put(id, [at('12:00', 1), at('13:00', 1)]);
    const [auditRecord] = (await get(`/v1/audit?user_id=${home.userId}&limit=1`, admin.key)).json;
    expect(auditRecord).toMatchObject({ action: 'price_series.priced', target: id, details: { rows: 2 } });
    const body = [at('12:00', 2)];
    for (const sent of [{}, { key: home.key }])
      expect((await api.send(`/dashboard/v1/price-series/${id}/prices`, { method: 'PUT', body, ...sent })).status).toBe(
        401,
      );
    expect((await api.send(`/v1/price-series/${id}/prices`, { method: 'PUT', body })).status).toBe(401);
    expect(await pricesOf(id)).toEqual({ '12:00': '1', '13:00': '1' });
  });

  test('of one day from concurrent writers are all stored', async () => {
    const id = await make({ resolution_minutes: 15 });
    const times = Array.from({ length: 96 }, (_, slot) =>
      new Date(Date.parse('2026-06-15') + slot * 900_000).toISOString(),
    );
    const puts = times.map((starts_at, slot) =>
      put(id, [
        { starts_at, per_kwh: slot },
        { starts_at: '2026-06-14T00:00:00Z', per_kwh: slot },
      ]),
    );
    expect((await Promise.all(puts)).every(({ status }) => status === 200)).toBe(true);
    expect(Object.values(await pricesOf(id))).toEqual(times.map((_, slot) => String(slot)));
  });
});

test('prices of a year of quarter-hours are read exactly for costs', async () => {
  const id = await make({ resolution_minutes: 15 });
  const other = await make();
  const from = new Date('2026-01-01T00:00:00Z');
  const to = new Date('2027-01-01T00:00:00Z');
  await api.database.pool.query(
    `INSERT INTO prices SELECT $1, $2::timestamptz + d * interval '1 day',
       (SELECT array_agg(CASE WHEN (d + s) % 7 > 0 THEN d * 1000000 - s END ORDER BY s) FROM generate_series(0, 95) s) FROM generate_series(0, 364) d`,
    [id, from],
  );
  const priceOf = await loadPrices(api.db, [id, other], { from, to });
  for (let ms = from.getTime(); ms < to.getTime(); ms += 900_000) {
    const [day, slot] = [Math.floor((ms - from.getTime()) / DAY_MS), ((ms - from.getTime()) % DAY_MS) / 900_000];
    const expected = (day + slot) % 7 > 0 ? BigInt(day * 1_000_000 - slot) : null;
    if (priceOf(id, ms) !== expected) expect([ms, priceOf(id, ms)]).toEqual([ms, expected]);
  }
  expect(priceOf(other, from.getTime())).toBe(null);
  expect(priceOf('prs_none', from.getTime())).toBe(null);
});
