import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { connect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSecretBox } from '#src/core/secrets.ts';
import { createAnswerFetcher } from '#src/delivery/fetch-answer.ts';
import { fetchDueSource } from '#src/tariffs/sources/fetch-due.ts';
import type { FetchAnswer } from '#src/tariffs/sources/read-source.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';

type Person = Awaited<ReturnType<TestApi['user']>>;
let api: TestApi;
let admin: Person;
let utility: Person;
let home: Person;

const MINUTE_MS = 60_000;
const BOX = createSecretBox('the secret of the tests');
let host: Receiver;
let fetcher: ReturnType<typeof createAnswerFetcher>;
/** Requests to presets are answered by this function instead of the real address. */
let preset: FetchAnswer;
let presetUrls: string[] = [];
const fetchAnswer: FetchAnswer = (request) => {
  if (request.url.startsWith(host.url.replace('/hook', ''))) return fetcher.fetchAnswer(request);
  presetUrls.push(request.url);
  return preset(request);
};

beforeAll(async () => {
  host = await startReceiver();
  fetcher = createAnswerFetcher({ allowPrivate: true, ca: host.ca, timeoutMs: 3_000 });
  api = await testApi({ beforeListening: (_, context) => Object.assign(context, { fetchAnswer }) });
  admin = await api.user('admin');
  utility = await api.user('utility');
  home = await api.user('homeowner', { enrolledBy: utility.userId });
});
afterAll(async () => {
  await api.close();
  fetcher.close();
  await host.close();
});
beforeEach(async () => {
  host.calls = [];
  presetUrls = [];
  preset = async () => ({ text: '{}' });
  api.now = new Date('2026-06-15T11:15:00Z');
  await api.database.pool.query('DELETE FROM price_series; DELETE FROM source_hosts; DELETE FROM source_checks');
});

const url = (path = '/prices') => host.url.replace('/hook', path);
const answerWith = (text: string | Buffer, headers: Record<string, string> = {}) => {
  host.answer = () => ({ status: 200, headers, body: text });
};
const SHAPE = { format: 'json', items: '$.rows', starts_at: '$.from', value: '$.price', at: ['11:15', '18:00'] };
const own = (more: object = {}) => ({ url: url(), ...SHAPE, ...more });
const elsewhere = (more: object = {}) => ({ url: 'https://prices.example/x', ...SHAPE, ...more });
/** Returns a function that makes the host answer so. */
const answers = (answer: ReturnType<Receiver['answer']>) => () => {
  host.answer = () => answer;
};
const rows = (...prices: [string, unknown][]) =>
  JSON.stringify({ rows: prices.map(([time, price]) => ({ from: `2026-06-${time}:00Z`, price })) });
const HOURLY = { name: 'Day ahead', currency: 'EUR', resolution_minutes: 60 };
const post = (more: object, key = utility.key) =>
  api.send('/v1/price-series', { method: 'POST', key, body: { ...HOURLY, ...more } });
const patch = (id: string, body: object, key = utility.key) =>
  api.send(`/v1/price-series/${id}`, { method: 'PATCH', key, body });
const make = async (more: object, key = utility.key) => (await post(more, key)).json.series_id as string;
const get = async (id: string, key = utility.key) => (await api.send(`/v1/price-series/${id}`, { key })).json;
const put = (id: string, ...prices: [string, string][]) =>
  api.send(`/v1/price-series/${id}/prices`, {
    method: 'PUT',
    key: utility.key,
    body: prices.map(([time, per_kwh]) => ({ starts_at: `2026-06-${time}:00Z`, per_kwh })),
  });
const remove = (id: string, query: string, key = utility.key) =>
  api.send(`/v1/price-series/${id}/prices${query}`, { method: 'DELETE', key });
const pricesOf = async (id: string) =>
  Object.fromEntries(
    (await api.send(`/v1/price-series/${id}/prices?start=2026-06-15&end=2026-06-16`, { key: utility.key })).json.map(
      (one: { starts_at: string; per_kwh: string }) => [one.starts_at.slice(8, 16), one.per_kwh],
    ),
  );
const work = () => fetchDueSource({ db: api.db, box: BOX, fetchAnswer, clock: () => api.now });
/** Fetches everything that is due, without the wait of a second between fetches from a host. */
async function workAll(): Promise<number> {
  for (let series = 0; ; ) {
    const did = await work();
    if (did === 0) return series;
    series += did;
    await api.database.pool.query('DELETE FROM source_hosts');
  }
}
const later = (minutes: number) => {
  api.now = new Date(api.now.getTime() + minutes * MINUTE_MS);
};
const nextOf = async (id: string) => (await get(id)).next_fetch_at.slice(8, 16);

describe('a series with a source', () => {
  test('is fetched once when it is set, then at its times, and shows how that went', async () => {
    answerWith(rows(['15T12:00', 0.1], ['15T13:00', '-0.05'], ['15T13:30', 9]));
    const made = await post({ source: own({ headers: { 'X-Key': 'a secret key' }, scale: 0.5 }) });
    expect(made.status).toBe(201);
    const { series_id: id } = made.json;
    expect(made.json).toMatchObject({
      last_fetched_at: null,
      next_fetch_at: '2026-06-15T11:15:00.000Z',
      last_error: null,
    });
    expect(await workAll()).toBe(1);
    expect(await workAll()).toBe(0);
    expect(host.calls.map(({ headers }) => headers['x-key'])).toEqual(['a secret key']);
    expect(await pricesOf(id)).toEqual({ '15T12:00': '0.05', '15T13:00': '-0.025' });
    const shown = await get(id);
    expect(shown).toEqual({
      series_id: id,
      user_id: utility.userId,
      ...HOURLY,
      source: { ...own(), scale: '0.5', timezone: 'UTC' },
      last_fetched_at: '2026-06-15T11:15:00.000Z',
      next_fetch_at: '2026-06-15T18:00:00.000Z',
      last_error: '1 of 3 rows were not stored; row 3: starts_at must be a multiple of 60 minutes in UTC',
    });
    for (const relation of ['series_sources', 'audit_log', 'events'])
      expect(JSON.stringify((await api.database.pool.query(`SELECT * FROM ${relation}`)).rows)).not.toContain(
        'secret key',
      );
    // A corrected price replaces the fetched one at the next time.
    answerWith(rows(['15T12:00', 0.3], ['15T13:00', -0.05]));
    later(6 * 60 + 45);
    expect(await workAll()).toBe(1);
    expect(await pricesOf(id)).toEqual({ '15T12:00': '0.15', '15T13:00': '-0.025' });
    expect((await get(id)).last_error).toBe(null);
    expect(await nextOf(id)).toBe('16T11:15');
  });

  test('never replaces a price that was put, until that one is removed', async () => {
    answerWith(rows(['15T12:00', 1], ['15T13:00', 2], ['15T14:00', 3]));
    const id = await make({});
    await put(id, ['15T12:00', '9'], ['16T00:00', '8']);
    await patch(id, { source: own() });
    await workAll();
    expect(await pricesOf(id)).toEqual({ '15T12:00': '9', '15T13:00': '2', '15T14:00': '3', '16T00:00': '8' });
    await put(id, ['15T13:00', '2']);
    answerWith(rows(['15T12:00', 10], ['15T13:00', 20], ['15T14:00', 30], ['16T00:00', 40]));
    later(24 * 60);
    await workAll();
    expect(await pricesOf(id)).toEqual({ '15T12:00': '9', '15T13:00': '2', '15T14:00': '30', '16T00:00': '8' });
    // `to` is exclusive; a fetched price stays.
    expect((await remove(id, '?from=2026-06-15T12:00:00Z&to=2026-06-15T13:00:00Z')).status).toBe(200);
    expect(await pricesOf(id)).toEqual({ '15T12:00': '10', '15T13:00': '2', '15T14:00': '30', '16T00:00': '8' });
    await remove(id, '?from=2026-06-15&to=2026-06-17');
    expect(await pricesOf(id)).toEqual({ '15T12:00': '10', '15T13:00': '20', '15T14:00': '30', '16T00:00': '40' });
    // Given back, they follow the source again.
    answerWith(rows(['15T12:00', 11], ['16T00:00', 41]));
    later(24 * 60);
    await workAll();
    expect(await pricesOf(id)).toEqual({ '15T12:00': '11', '15T13:00': '20', '15T14:00': '30', '16T00:00': '41' });
    // Without a source nothing holds in their place.
    await patch(id, { source: null });
    expect(await get(id)).toEqual({ series_id: id, user_id: utility.userId, ...HOURLY });
    await remove(id, '?from=2026-06-15T13:00:00Z&to=2026-06-16');
    expect(await pricesOf(id)).toEqual({ '15T12:00': '11', '16T00:00': '41' });
    await remove(id, '?from=2026-06-15&to=2026-06-17');
    const { rows: left } = await api.database.pool.query('SELECT FROM prices WHERE series_id = $1', [id]);
    expect(left).toEqual([]);
    for (const query of ['', '?from=2026-06-15', '?from=2026-06-15&to=2026-06-15', '?from=x&to=2026-06-15'])
      expect([query, (await remove(id, query)).status]).toEqual([query, 422]);
    expect((await remove(id, '?from=2026-06-15&to=2026-06-17', home.key)).status).toBe(404);
  });

  test('keeps headers that are not sent, for the same host only', async () => {
    answerWith(rows(['15T12:00', 1]));
    const id = await make({ source: own({ headers: { 'x-key': 'one' } }) });
    await patch(id, { name: 'Other', source: own({ url: url('/other') }) });
    await workAll();
    expect(host.calls.map(({ path, headers }) => [path, headers['x-key']])).toEqual([['/other', 'one']]);
    expect((await get(id)).name).toBe('Other');
    const foreign = elsewhere();
    expect((await patch(id, { source: foreign })).json.details[0].field).toBe('source.headers');
    expect((await patch(id, { source: { ...foreign, headers: {} } })).status).toBe(200);
    await patch(id, { source: own({ headers: {} }) });
    await workAll();
    expect(host.calls.at(-1)?.headers['x-key']).toBe(undefined);
    expect((await patch(id, {})).status).toBe(200);
    expect((await patch(id, { currency: 'GBP' })).status).toBe(422);
  });

  test('of a utility is seen by its homeowners without the source', async () => {
    const id = await make({ source: own() });
    expect(await get(id, home.key)).toEqual({ series_id: id, user_id: utility.userId, ...HOURLY });
    const listed = (await api.send('/v1/price-series', { key: utility.key })).json;
    expect(listed[0]).toHaveProperty('next_fetch_at');
  });
});

describe('an emission series with a source', () => {
  const EMISSIONS = { name: 'Grid', resolution_minutes: 30 };
  const path = (id = '') => `/v1/emission-series${id === '' ? '' : `/${id}`}`;
  const send = (method: string, to: string, body?: object, key = utility.key) =>
    api.send(to, { method, key, ...(body && { body }) });
  const half = (time: string, grams_per_kwh: string) => ({ starts_at: `2026-06-${time}:00.000Z`, grams_per_kwh });
  const intensitiesOf = async (id: string) =>
    (await send('GET', `${path(id)}/intensities?start=2026-06-15&end=2026-06-15`)).json;

  test('stores intensities as a price series stores prices, and is checked, changed and given back alike', async () => {
    answerWith(rows(['15T12:00', 0.1234], ['15T12:30', 200]));
    const source = own({ scale: '1000' });
    const checked = await send('POST', path(), { ...EMISSIONS, source, check: true });
    const answer = [half('15T12:00', '123.4'), half('15T12:30', '200000')];
    expect([checked.status, checked.json]).toEqual([200, { intensities: answer, count: 2, rejected: [] }]);
    await api.database.pool.query('DELETE FROM source_hosts');
    const made = await send('POST', path(), { ...EMISSIONS, source });
    const { series_id: id } = made.json;
    expect([made.status, made.json.source]).toEqual([201, { ...source, timezone: 'UTC' }]);
    expect(await workAll()).toBe(1);
    expect(await intensitiesOf(id)).toEqual(answer);
    await send('PUT', `${path(id)}/intensities`, [{ starts_at: '2026-06-15T12:00:00Z', grams_per_kwh: 7 }]);
    later(24 * 60);
    await workAll();
    expect(await intensitiesOf(id)).toEqual([half('15T12:00', '7'), half('15T12:30', '200000')]);
    const removal = `${path(id)}/intensities?from=2026-06-15&to=2026-06-16`;
    expect((await send('DELETE', removal, undefined, home.key)).status).toBe(404);
    expect((await send('DELETE', removal)).json.message).toContain(`Emission series ${id}`);
    expect(await intensitiesOf(id)).toEqual(answer);
    // A series of one kind is not found as one of the other.
    expect((await patch(id, { name: 'x' })).status).toBe(404);
    expect((await remove(id, '?from=2026-06-15&to=2026-06-16')).status).toBe(404);
    const ended = await send('PATCH', path(id), { name: 'Our grid', source: null });
    expect(ended.json).toEqual({ series_id: id, user_id: utility.userId, ...EMISSIONS, name: 'Our grid' });
    expect((await send('PATCH', path(id), { source }, home.key)).status).toBe(404);
    const { rows: acts } = await api.database.pool.query(
      'SELECT action FROM audit_log WHERE target = $1 ORDER BY audit_id',
      [id],
    );
    expect(acts.map(({ action }) => action)).toEqual(
      ['created', 'filled', 'intensities_removed', 'updated'].map((act) => `emission_series.${act}`),
    );
  });

  test('takes presets of emissions only, and own addresses of utilities and administrators only', async () => {
    const refused = async (source: object, key = home.key) => {
      const { status, json } = await send('POST', path(), { ...EMISSIONS, source }, key);
      return [status, json.details?.[0].field ?? json.code];
    };
    expect(await refused({ preset: 'octopus_agile_c' })).toEqual([422, 'source.preset']);
    expect(await refused(own())).toEqual([403, 'own_addresses']);
    expect((await post({ source: { preset: 'carbon_intensity_gb' } })).json.details[0].field).toBe('source.preset');
    expect(
      (await send('POST', path(), { ...EMISSIONS, source: { preset: 'carbon_intensity_gb' } }, home.key)).status,
    ).toBe(201);
  });
});

describe('recorded answers of a server', () => {
  const recorded = (file: string) => readFile(new URL(`../../data/price-answers/${file}`, import.meta.url), 'utf8');
  test.each<[string, string, { unit: string; minutes: number; first: string; count: number }]>([
    ['awattar_de', 'awattar-day.json', { unit: 'EUR', minutes: 60, first: '2026-01-14T23:00', count: 24 }],
    [
      'energi_data_service_dk1',
      'energi-data-service-23-hours.json',
      { unit: 'DKK', minutes: 15, first: '2026-03-28T23:00', count: 92 },
    ],
    ['octopus_agile_c', 'octopus-25-hours.json', { unit: 'GBP', minutes: 30, first: '2026-10-24T23:00', count: 50 }],
    [
      'entsoe_de_lu',
      'entsoe-25-hours-quarters.xml',
      { unit: 'EUR', minutes: 15, first: '2026-10-24T22:00', count: 100 },
    ],
    // One of the 23 hours is missing in the document.
    ['entsoe_fr', 'entsoe-23-hours-hourly.xml', { unit: 'EUR', minutes: 60, first: '2026-03-28T23:00', count: 22 }],
    [
      'carbon_intensity_gb',
      'carbon-intensity-gb-25-hours.json',
      { unit: 'g', minutes: 30, first: '2026-10-24T23:00', count: 50 },
    ],
  ])('are fetched by %s and stored: %s', async (name, file, { unit, minutes, first, count }) => {
    answerWith(await recorded(file));
    preset = (request) =>
      fetcher.fetchAnswer({ ...request, url: url(request.url.slice(new URL(request.url).origin.length)) });
    const [noun, values] = unit === 'g' ? ['emission-series', 'intensities'] : ['price-series', 'prices'];
    const source = { preset: name, ...(name.startsWith('entsoe') && { token: 'a-token' }) };
    const body = { name, resolution_minutes: minutes, ...(unit !== 'g' && { currency: unit }), source };
    const made = await api.send(`/v1/${noun}`, { method: 'POST', key: home.key, body });
    expect(await workAll()).toBe(1);
    expect(host.calls.map(({ path }) => path)).toEqual(presetUrls.map((one) => one.slice(new URL(one).origin.length)));
    const shown = (await api.send(`/v1/${noun}/${made.json.series_id}`, { key: home.key })).json;
    expect([shown.last_error, shown.last_fetched_at]).toEqual([null, api.now.toISOString()]);
    const days = `start=${first.slice(0, 10)}&end=${new Date(Date.parse(`${first}Z`) + 86_400_000).toISOString().slice(0, 10)}`;
    const stored = (await api.send(`/v1/${noun}/${made.json.series_id}/${values}?${days}`, { key: home.key })).json;
    expect([stored.length, stored[0].starts_at]).toEqual([count, `${first}:00.000Z`]);
  });

  test('that are late are fetched again after 5 minutes, if they were there in time before', async () => {
    answerWith(rows(['15T12:00', 1], ['16T00:00', 2]));
    const id = await make({ source: own() });
    await workAll();
    expect(await nextOf(id)).toBe('15T18:00');
    later(24 * 60);
    answerWith(rows(['16T00:00', 2], ['16T12:00', 3]));
    await workAll();
    expect([await nextOf(id), (await get(id)).last_error]).toEqual(['16T11:20', null]);
    later(4);
    expect(await workAll()).toBe(0);
    later(1);
    answerWith(rows(['16T12:00', 3], ['17T00:00', 4]));
    expect(await workAll()).toBe(1);
    expect(await nextOf(id)).toBe('16T18:00');
    expect(await pricesOf(id)).toEqual({ '15T12:00': '1', '16T00:00': '2', '16T12:00': '3' });
  });
});

describe('a source is refused', () => {
  test.each([
    [elsewhere({ url: 'http://prices.example/x' }), 'source.url'],
    [elsewhere({ url: 'https://user:pass@prices.example/x' }), 'source.url'],
    [elsewhere({ format: 'yaml' }), 'source.format'],
    [elsewhere({ starts_at: '$..from' }), 'source.starts_at'],
    [elsewhere({ value: '$.rows[*]' }), 'source.value'],
    [elsewhere({ items: '$.rows[?@.price>1]' }), 'source.items'],
    [elsewhere({ format: 'csv' }), 'source.items'],
    [elsewhere({ format: 'xml', items: undefined }), 'source.items'],
    [elsewhere({ scale: '0.00000000001' }), 'source.scale'],
    [elsewhere({ scale: 0 }), 'source.scale'],
    [elsewhere({ timezone: 'CEST' }), 'source.timezone'],
    [elsewhere({ at: [] }), 'source.at'],
    [elsewhere({ at: ['24:00'] }), 'source.at.0'],
    [elsewhere({ at: ['11:15', '11:15'] }), 'source.at'],
    [elsewhere({ at: Array.from({ length: 25 }, (_, minute) => `10:${minute + 10}`) }), 'source.at'],
    [elsewhere({ headers: { Host: 'x' } }), 'source.headers.Host'],
    [elsewhere({ headers: { 'x-key': 'a\nb' } }), 'source.headers.x-key'],
    [elsewhere({ colour: 1 }), 'source.colour'],
    [{ preset: 'nobody' }, 'source.preset'],
    [{ preset: 'entsoe_fr' }, 'source.token'],
    [{ preset: 'awattar_de', token: 'x' }, 'source.token'],
    [{ preset: 'octopus_agile_c' }, 'source.preset'],
    ['awattar_de', 'source'],
  ])('%j', async (source, field) => {
    const { status, json } = await post({ source });
    expect([status, json.details.map((one: { field: string }) => one.field)]).toEqual([
      422,
      expect.arrayContaining([field]),
    ]);
  });

  test('with an own address from a homeowner, and beyond 20 of an account', async () => {
    const body = { ...HOURLY, source: own() };
    const refused = await api.send('/v1/price-series', { method: 'POST', key: home.key, body });
    expect([refused.status, refused.json.code]).toEqual([403, 'own_addresses']);
    const owner = await api.user('homeowner');
    const ids: string[] = [];
    for (let count = 0; count < 20; count++) ids.push(await make({ source: { preset: 'awattar_de' } }, owner.key));
    expect((await patch(ids[0] as string, { source: own() }, owner.key)).status).toBe(403);
    const beyond = await post({ source: { preset: 'awattar_at' } }, owner.key);
    expect([beyond.status, beyond.json.code]).toEqual([409, 'too_many_sources']);
    expect((await patch(ids[0] as string, { source: { preset: 'awattar_at' } }, owner.key)).status).toBe(200);
    expect((await patch(ids[0] as string, { source: null }, owner.key)).json).not.toHaveProperty('source');
    expect((await post({ source: { preset: 'awattar_at' } }, owner.key)).status).toBe(201);
  });

  test('if an account sets and checks sources more than 100 times a day', async () => {
    const id = await make({ source: own() });
    await api.database.pool.query('UPDATE source_checks SET checks = 100');
    const refused = await patch(id, { source: own() });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, String(12.75 * 3_600)]);
    api.now = new Date('2026-06-16T00:00:00Z');
    expect((await patch(id, { source: own() })).status).toBe(200);
  });
});

describe('a check', () => {
  test('answers the first prices that would be stored, and stores nothing', async () => {
    answerWith(rows(['15T13:00', 0.2], ['15T12:00', 0.1], ['15T12:07', 1]));
    const { status, json } = await post({ check: true, source: own() });
    expect([status, json]).toEqual([
      200,
      {
        prices: [
          { starts_at: '2026-06-15T12:00:00.000Z', per_kwh: '0.1' },
          { starts_at: '2026-06-15T13:00:00.000Z', per_kwh: '0.2' },
        ],
        count: 2,
        rejected: [{ row: 3, message: 'starts_at must be a multiple of 60 minutes in UTC' }],
      },
    ]);
    expect((await api.send('/v1/price-series', { key: utility.key })).json).toEqual([]);
    const { rows: acts } = await api.database.pool.query(
      "SELECT FROM audit_log WHERE action = 'price_series.created' AND at = $1",
      [api.now],
    );
    expect(acts).toEqual([]);
    expect((await post({ check: true })).json.details[0].field).toBe('source');
    expect((await post({ check: true, source: own() }, home.key)).status).toBe(403);
    answerWith('<html>a private text</html>');
    await api.database.pool.query('DELETE FROM source_hosts');
    const failed = await post({ check: true, source: own() });
    expect([failed.status, failed.json.details]).toEqual([
      422,
      [{ field: 'source', message: 'the answer is not JSON' }],
    ]);
    expect((await post({ check: false, source: own() })).status).toBe(201);
  });
});

describe('a fetch', () => {
  test.each<[string, () => void, string, string]>([
    ['of status 503', answers({ status: 503, body: 'secret text' }), 'HTTP 503', '15T11:20'],
    [
      'of status 429, after its Retry-After',
      answers({ status: 429, headers: { 'retry-after': '1800' } }),
      'HTTP 429',
      '15T11:45',
    ],
    [
      'of a redirect',
      answers({ status: 302, headers: { location: 'https://127.0.0.1/' } }),
      'HTTP 302: redirects are not followed',
      '15T11:20',
    ],
    ['of 20 MB', () => answerWith(Buffer.alloc(20_000_000, ' ')), 'the answer is longer than 5 MiB', '15T11:20'],
    [
      'of 20 MB, packed to 20 kB',
      () => answerWith(gzipSync(Buffer.alloc(20_000_000, ' ')), { 'content-encoding': 'gzip' }),
      'the answer is longer than 5 MiB',
      '15T11:20',
    ],
    [
      'that does not end',
      answers({ status: 200, body: '{"rows":[', ending: 'goes on' }),
      'no whole answer within 3 s',
      '15T11:20',
    ],
    ['without an answer', answers(null), 'no whole answer within 3 s', '15T11:20'],
    [
      'that breaks off',
      answers({ status: 200, body: '{"rows":[', ending: 'breaks off' }),
      'the source broke the connection off before it answered (ECONNRESET)',
      '15T11:20',
    ],
    ['of no price', () => answerWith('{"rows":[]}'), 'the answer has no values', '15T11:20'],
  ])('%s is a failure, and comes again', async (_, arrange, error, nextAt) => {
    arrange();
    const id = await make({ source: own() });
    expect(await workAll()).toBe(1);
    const shown = await get(id);
    expect([shown.last_error, shown.last_fetched_at, shown.next_fetch_at.slice(8, 16)]).toEqual([error, null, nextAt]);
    expect(host.calls).toHaveLength(1);
  });

  test('of a packed answer is read', async () => {
    answerWith(gzipSync(rows(['15T12:00', 1])), { 'content-encoding': 'gzip' });
    const id = await make({ source: own() });
    await workAll();
    expect(await pricesOf(id)).toEqual({ '15T12:00': '1' });
  });

  test('goes to public addresses only, whatever a name resolves to', async () => {
    const connected: string[] = [];
    class Watched extends Agent {
      // biome-ignore lint/suspicious/noExplicitAny: node's types leave out what an agent is given
      override createConnection(options: any, callback: any): any {
        const { host: name, lookup } = options as { host: string; lookup: LookupFunction };
        lookup(name, { all: false }, (error, address) => {
          if (error) return callback(error);
          connected.push(String(address));
          const socket = connect({ host: '127.0.0.1', port: host.port, servername: 'hooks.example.net', ca: host.ca });
          socket.once('secureConnect', () => callback(null, socket));
          socket.once('error', callback);
        });
      }
    }
    answerWith('fine');
    let addresses: string[] = [];
    const guarded = createAnswerFetcher({
      allowPrivate: false,
      agent: new Watched({ keepAlive: false }),
      resolve: async () => addresses.map((address) => ({ address, family: 4 })),
    });
    const fetched = async (target: string, ...of: string[]) => {
      addresses = of;
      return guarded.fetchAnswer({ url: target, headers: {} });
    };
    const refused = { failure: 'the source’s address is private or reserved; only public ones are fetched' };
    const named = 'https://hooks.example.net/prices';
    expect(await fetched(named, '93.184.216.34')).toEqual({ text: 'fine' });
    expect(await fetched(named, '93.184.216.34', '10.0.0.1')).toEqual(refused);
    expect(await fetched(named, '169.254.169.254')).toEqual(refused);
    expect(await fetched('https://127.0.0.1/prices')).toEqual(refused);
    expect(await fetched('https://[::ffff:10.0.0.1]/prices')).toEqual(refused);
    expect(await fetched('http://hooks.example.net/prices', '93.184.216.34')).toHaveProperty('failure');
    expect(connected).toEqual(['93.184.216.34']);
    guarded.close();
  });
});

describe('several workers', () => {
  test('never fetch the same source twice, nor a host twice in a second', async () => {
    answerWith(rows(['15T12:00', 1]));
    for (let count = 0; count < 6; count++) await make({ source: own({ url: url(`/${count}`) }) });
    // Twice the second in which a host is fetched from once.
    const until = Date.now() + 3_300;
    const worker = async () => {
      while (Date.now() < until) {
        await work();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    const times = host.calls.map(({ atMs }) => atMs).sort((a, b) => a - b);
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect(times.length).toBeLessThanOrEqual(4);
    for (const [index, time] of times.slice(1).entries()) expect(time - (times[index] as number)).toBeGreaterThan(900);
    const done = await api.database.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM series_sources WHERE last_fetched_at IS NOT NULL',
    );
    expect(done.rows[0]?.count).toBe(times.length);
    expect(new Set(host.calls.map(({ path }) => path)).size).toBe(times.length);
  });

  test('fetch a preset once for all series that have it and the same token', async () => {
    const day = { object: 'list', data: [{ start_timestamp: Date.parse('2026-06-15T12:00Z'), marketprice: 100 }] };
    preset = async () => ({ text: JSON.stringify(day) });
    const ids = [
      await make({ source: { preset: 'awattar_de' } }, home.key),
      await make({ source: { preset: 'awattar_de' } }),
      await make({ resolution_minutes: 15, source: { preset: 'awattar_de' } }, admin.key),
    ];
    for (const token of ['one', 'two', 'one']) await make({ source: { preset: 'entsoe_fr', token } });
    expect(await workAll()).toBe(6);
    expect(
      presetUrls.map((one) => new URL(one).host + (new URL(one).searchParams.get('securityToken') ?? '')).sort(),
    ).toEqual(['api.awattar.de', 'web-api.tp.entsoe.euone', 'web-api.tp.entsoe.eutwo']);
    expect(await pricesOf(ids[0] as string)).toEqual({ '15T12:00': '0.1' });
    const { rows: stored } = await api.database.pool.query(
      'SELECT resolution_minutes, cardinality(array_remove(prices, NULL)) AS prices FROM prices JOIN price_series USING (series_id) ORDER BY 1',
    );
    expect(stored).toEqual([
      { resolution_minutes: 15, prices: 4 },
      { resolution_minutes: 60, prices: 1 },
      { resolution_minutes: 60, prices: 1 },
    ]);
  });

  test('at once fetch a preset once for all series that share it', async () => {
    preset = async () => ({ text: '{"data":[{"start_timestamp":1781524800000,"marketprice":100}]}' });
    const owners = [home, utility, admin];
    for (let count = 0; count < 12; count++) await make({ source: { preset: 'awattar_de' } }, owners[count % 3]?.key);
    // Without the claim of the host first, each worker leases some of the series, and fetches for them later.
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 8 }, work));
      await api.database.pool.query('DELETE FROM source_hosts');
    }
    expect(presetUrls).toHaveLength(1);
    const { rows: done } = await api.database.pool.query(
      'SELECT FROM series_sources WHERE last_fetched_at IS NOT NULL',
    );
    expect(done).toHaveLength(12);
  });

  test('drop an answer whose source has changed meanwhile, and take over from one that was killed', async () => {
    const id = await make({ source: own() });
    host.answer = () => ({ status: 200, body: rows(['15T12:00', 1]) });
    const changing: FetchAnswer = async (request) => {
      await patch(id, { source: own({ url: url('/new') }) });
      return fetchAnswer(request);
    };
    await fetchDueSource({ db: api.db, box: BOX, fetchAnswer: changing, clock: () => api.now });
    expect([await pricesOf(id), await nextOf(id)]).toEqual([{}, '15T11:15']);
    const killed: FetchAnswer = () => Promise.reject(new Error('killed'));
    await api.database.pool.query('DELETE FROM source_hosts');
    const stopping = AbortSignal.abort();
    // A worker that stops gives the source back at once.
    await fetchDueSource({ db: api.db, box: BOX, fetchAnswer: killed, clock: () => api.now, stopping });
    await api.database.pool.query('DELETE FROM source_hosts');
    await workAll();
    expect(await pricesOf(id)).toEqual({ '15T12:00': '1' });
    await api.database.pool.query(
      "UPDATE series_sources SET next_fetch_at = $1, lease_id = 'x', leased_until = $1::timestamptz + interval '2 minutes'",
      [api.now],
    );
    expect(await workAll()).toBe(0);
    later(2);
    expect(await workAll()).toBe(1);
  });
});

test('a source that fails for a day is reported to its owner once', async () => {
  host.answer = () => ({ status: 500 });
  const id = await make({ source: own() });
  for (let count = 0; count < 14; count++) {
    await workAll();
    api.now = new Date((await get(id)).next_fetch_at);
  }
  const { rows: told } = await api.database.pool.query(
    `SELECT e.data, e.created_at, d.target FROM events e JOIN deliveries d USING (event_id) WHERE type = 'series.source_failing' AND e.user_id = $1`,
    [utility.userId],
  );
  expect(told).toEqual([
    {
      data: {
        series_id: id,
        kind: 'price',
        name: 'Day ahead',
        source: new URL(host.url).host,
        failing_since: '2026-06-15T11:15:00.000Z',
        last_error: 'HTTP 500',
      },
      created_at: new Date('2026-06-16T11:15:00Z'),
      target: 'email',
    },
  ]);
});

test('a fetched price queues the costs of homes that have an alert on them, an unchanged one does not', async () => {
  answerWith(rows(['15T12:00', 1]));
  const id = await make({ source: own() });
  const tariff = { name: 'x', valid_from: '2026-01-01', currency: 'EUR', import: { series_id: id } };
  expect((await api.send('/v1/tariffs', { method: 'POST', key: home.key, body: tariff })).status).toBe(201);
  const alert = { type: 'daily_cost', threshold: '1', delivery: 'email' };
  expect((await api.send('/v1/alerts', { method: 'POST', key: home.key, body: alert })).status).toBe(201);
  const queued = async () => {
    const { rows: changes } = await api.database.pool.query(
      'DELETE FROM usage_changes WHERE costs_only RETURNING user_ids',
    );
    return changes.map(({ user_ids }) => user_ids);
  };
  await queued();
  await workAll();
  expect(await queued()).toEqual([[home.userId]]);
  later(24 * 60);
  expect(await workAll()).toBe(1);
  expect(await queued()).toEqual([]);
  answerWith(rows(['15T12:00', 2]));
  later(24 * 60);
  await workAll();
  expect(await queued()).toEqual([[home.userId]]);
  await put(id, ['15T12:00', '5']);
  await queued();
  await remove(id, '?from=2026-06-15&to=2026-06-16');
  expect(await queued()).toEqual([[home.userId]]);
});
