import { describe, expect, test } from 'vitest';
import type { TestApiResponse } from '#test/support/api.ts';
import {
  advanceClock,
  api,
  buildSourceUrl,
  createExternalTestSource,
  createRowsResponse,
  createTestSource,
  deletePrices,
  fetchAllSources,
  fetchNextSource,
  getSeries,
  HOURLY_PRICE_SERIES,
  home,
  host,
  patchSeries,
  postSeries,
  postSeriesAndGetId,
  putPrices,
  readNextFetchTime,
  readPrices,
  setSourceResponse,
  setUpSourceApi,
  utility,
} from '#test/support/price-sources.ts';

setUpSourceApi();

describe('a series with a source', () => {
  test('is fetched once when the source is set and then at its times, and shows the last result', async () => {
    setSourceResponse(createRowsResponse(['15T12:00', 0.1], ['15T13:00', '-0.05'], ['15T13:30', 9]));
    const made = await postSeries({ source: createTestSource({ headers: { 'X-Key': 'a secret key' }, scale: 0.5 }) });
    expect(made.status).toBe(201);
    const { series_id: id } = made.json;
    expect(made.json).toMatchObject({
      last_fetched_at: null,
      next_fetch_at: '2026-06-15T11:15:00.000Z',
      last_error: null,
    });
    expect(await fetchAllSources()).toBe(1);
    expect(await fetchAllSources()).toBe(0);
    expect(host.calls.map(({ headers }) => headers['x-key'])).toEqual(['a secret key']);
    expect(await readPrices(id)).toEqual({ '15T12:00': '0.05', '15T13:00': '-0.025' });
    const shown = await getSeries(id);
    expect(shown).toEqual({
      series_id: id,
      user_id: utility.userId,
      ...HOURLY_PRICE_SERIES,
      source: { ...createTestSource(), scale: '0.5', timezone: 'UTC' },
      last_fetched_at: '2026-06-15T11:15:00.000Z',
      next_fetch_at: '2026-06-15T18:00:00.000Z',
      last_error: '1 of 3 rows were not stored; row 3: starts_at must be a multiple of 60 minutes in UTC',
    });
    for (const relation of ['series_sources', 'audit_log', 'events'])
      expect(JSON.stringify((await api.database.pool.query(`SELECT * FROM ${relation}`)).rows)).not.toContain(
        'secret key',
      );
    // The next fetch returns a corrected price, which replaces the previous one.
    setSourceResponse(createRowsResponse(['15T12:00', 0.3], ['15T13:00', -0.05]));
    advanceClock(6 * 60 + 45);
    expect(await fetchAllSources()).toBe(1);
    expect(await readPrices(id)).toEqual({ '15T12:00': '0.15', '15T13:00': '-0.025' });
    expect((await getSeries(id)).last_error).toBe(null);
    expect(await readNextFetchTime(id)).toBe('16T11:15');
  });

  test('never replaces a price that was set by hand, until that price is removed', async () => {
    setSourceResponse(createRowsResponse(['15T12:00', 1], ['15T13:00', 2], ['15T14:00', 3]));
    const id = await postSeriesAndGetId({});
    await putPrices(id, ['15T12:00', '9'], ['16T00:00', '8']);
    await patchSeries(id, { source: createTestSource() });
    await fetchAllSources();
    expect(await readPrices(id)).toEqual({ '15T12:00': '9', '15T13:00': '2', '15T14:00': '3', '16T00:00': '8' });
    await putPrices(id, ['15T13:00', '2']);
    setSourceResponse(createRowsResponse(['15T12:00', 10], ['15T13:00', 20], ['15T14:00', 30], ['16T00:00', 40]));
    advanceClock(24 * 60);
    await fetchAllSources();
    expect(await readPrices(id)).toEqual({ '15T12:00': '9', '15T13:00': '2', '15T14:00': '30', '16T00:00': '8' });
    // Only manual prices are deleted. The price at `to` is not deleted, because the range excludes its end.
    expect((await deletePrices(id, '?from=2026-06-15T12:00:00Z&to=2026-06-15T13:00:00Z')).status).toBe(200);
    expect(await readPrices(id)).toEqual({ '15T12:00': '10', '15T13:00': '2', '15T14:00': '30', '16T00:00': '8' });
    await deletePrices(id, '?from=2026-06-15&to=2026-06-17');
    expect(await readPrices(id)).toEqual({ '15T12:00': '10', '15T13:00': '20', '15T14:00': '30', '16T00:00': '40' });
    // Without manual prices, the source's prices apply again.
    setSourceResponse(createRowsResponse(['15T12:00', 11], ['16T00:00', 41]));
    advanceClock(24 * 60);
    await fetchAllSources();
    expect(await readPrices(id)).toEqual({ '15T12:00': '11', '15T13:00': '20', '15T14:00': '30', '16T00:00': '41' });
    // After the source has been removed, times for which only the source had a price have no price.
    await patchSeries(id, { source: null });
    expect(await getSeries(id)).toEqual({ series_id: id, user_id: utility.userId, ...HOURLY_PRICE_SERIES });
    await deletePrices(id, '?from=2026-06-15T13:00:00Z&to=2026-06-16');
    expect(await readPrices(id)).toEqual({ '15T12:00': '11', '16T00:00': '41' });
    await deletePrices(id, '?from=2026-06-15&to=2026-06-17');
    const { rows: left } = await api.database.pool.query('SELECT FROM prices WHERE series_id = $1', [id]);
    expect(left).toEqual([]);
    for (const query of ['', '?from=2026-06-15', '?from=2026-06-15&to=2026-06-15', '?from=x&to=2026-06-15'])
      expect([query, (await deletePrices(id, query)).status]).toEqual([query, 422]);
    expect((await deletePrices(id, '?from=2026-06-15&to=2026-06-17', home.key)).status).toBe(404);
  });

  test('keeps headers that a change omits, for the same host only', async () => {
    setSourceResponse(createRowsResponse(['15T12:00', 1]));
    const id = await postSeriesAndGetId({ source: createTestSource({ headers: { 'x-key': 'one' } }) });
    await patchSeries(id, { name: 'Other', source: createTestSource({ url: buildSourceUrl('/other') }) });
    await fetchAllSources();
    expect(host.calls.map(({ path, headers }) => [path, headers['x-key']])).toEqual([['/other', 'one']]);
    expect((await getSeries(id)).name).toBe('Other');
    const foreign = createExternalTestSource();
    expect((await patchSeries(id, { source: foreign })).json.details[0].field).toBe('source.headers');
    expect((await patchSeries(id, { source: { ...foreign, headers: {} } })).status).toBe(200);
    await patchSeries(id, { source: createTestSource({ headers: {} }) });
    await fetchAllSources();
    expect(host.calls.at(-1)?.headers['x-key']).toBe(undefined);
    expect((await patchSeries(id, {})).status).toBe(200);
    expect((await patchSeries(id, { currency: 'GBP' })).status).toBe(422);
  });

  test('of a utility is visible to its homeowners without its source', async () => {
    const id = await postSeriesAndGetId({ source: createTestSource() });
    expect(await getSeries(id, home.key)).toEqual({ series_id: id, user_id: utility.userId, ...HOURLY_PRICE_SERIES });
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

  test('stores intensities as a price series stores prices, and is checked, changed and returned alike', async () => {
    setSourceResponse(createRowsResponse(['15T12:00', 0.1234], ['15T12:30', 200]));
    const source = createTestSource({ scale: '1000' });
    const checked = await send('POST', path(), { ...EMISSIONS, source, check: true });
    const answer = [half('15T12:00', '123.4'), half('15T12:30', '200000')];
    expect([checked.status, checked.json]).toEqual([200, { intensities: answer, count: 2, rejected: [] }]);
    await api.database.pool.query('DELETE FROM source_hosts');
    const made = await send('POST', path(), { ...EMISSIONS, source });
    const { series_id: id } = made.json;
    expect([made.status, made.json.source]).toEqual([201, { ...source, timezone: 'UTC' }]);
    expect(await fetchAllSources()).toBe(1);
    expect(await intensitiesOf(id)).toEqual(answer);
    await send('PUT', `${path(id)}/intensities`, [{ starts_at: '2026-06-15T12:00:00Z', grams_per_kwh: 7 }]);
    advanceClock(24 * 60);
    await fetchAllSources();
    expect(await intensitiesOf(id)).toEqual([half('15T12:00', '7'), half('15T12:30', '200000')]);
    const removal = `${path(id)}/intensities?from=2026-06-15&to=2026-06-16`;
    expect((await send('DELETE', removal, undefined, home.key)).status).toBe(404);
    expect((await send('DELETE', removal)).json.message).toContain(`Emission series ${id}`);
    expect(await intensitiesOf(id)).toEqual(answer);
    // An endpoint for price series does not find an emission series, and vice versa.
    expect((await patchSeries(id, { name: 'x' })).status).toBe(404);
    expect((await deletePrices(id, '?from=2026-06-15&to=2026-06-16')).status).toBe(404);
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

  test('accepts presets of emissions only, and custom addresses from utilities and administrators only', async () => {
    const refused = async (source: object, key = home.key) => {
      const { status, json } = await send('POST', path(), { ...EMISSIONS, source }, key);
      return [status, json.details?.[0].field ?? json.code];
    };
    expect(await refused({ preset: 'octopus_agile_c' })).toEqual([422, 'source.preset']);
    expect(await refused(createTestSource())).toEqual([403, 'own_addresses']);
    expect((await postSeries({ source: { preset: 'carbon_intensity_gb' } })).json.details[0].field).toBe(
      'source.preset',
    );
    expect(
      (await send('POST', path(), { ...EMISSIONS, source: { preset: 'carbon_intensity_gb' } }, home.key)).status,
    ).toBe(201);
  });
});

describe('a source is refused', () => {
  test.each([
    [createExternalTestSource({ url: 'http://prices.example/x' }), 'source.url'],
    [createExternalTestSource({ url: 'https://user:pass@prices.example/x' }), 'source.url'],
    [createExternalTestSource({ format: 'yaml' }), 'source.format'],
    [createExternalTestSource({ starts_at: '$..from' }), 'source.starts_at'],
    [createExternalTestSource({ value: '$.rows[*]' }), 'source.value'],
    [createExternalTestSource({ items: '$.rows[?@.price>1]' }), 'source.items'],
    [createExternalTestSource({ format: 'csv' }), 'source.items'],
    [createExternalTestSource({ format: 'xml', items: undefined }), 'source.items'],
    [createExternalTestSource({ scale: '0.00000000001' }), 'source.scale'],
    [createExternalTestSource({ scale: 0 }), 'source.scale'],
    [createExternalTestSource({ timezone: 'CEST' }), 'source.timezone'],
    [createExternalTestSource({ at: [] }), 'source.at'],
    [createExternalTestSource({ at: ['24:00'] }), 'source.at.0'],
    [createExternalTestSource({ at: ['11:15', '11:15'] }), 'source.at'],
    [createExternalTestSource({ at: Array.from({ length: 25 }, (_, minute) => `10:${minute + 10}`) }), 'source.at'],
    [createExternalTestSource({ headers: { Host: 'x' } }), 'source.headers.Host'],
    [createExternalTestSource({ headers: { 'x-key': 'a\nb' } }), 'source.headers.x-key'],
    [createExternalTestSource({ colour: 1 }), 'source.colour'],
    [{ preset: 'nobody' }, 'source.preset'],
    [{ preset: 'entsoe_fr' }, 'source.token'],
    [{ preset: 'awattar_de', token: 'x' }, 'source.token'],
    [{ preset: 'octopus_agile_c' }, 'source.preset'],
    ['awattar_de', 'source'],
  ])('%j', async (source, field) => {
    const { status, json } = await postSeries({ source });
    expect([status, json.details.map((one: { field: string }) => one.field)]).toEqual([
      422,
      expect.arrayContaining([field]),
    ]);
  });

  test('with a custom address from a homeowner, and beyond 20 sources of an account', async () => {
    const body = { ...HOURLY_PRICE_SERIES, source: createTestSource() };
    const refused = await api.send('/v1/price-series', { method: 'POST', key: home.key, body });
    expect([refused.status, refused.json.code]).toEqual([403, 'own_addresses']);
    const owner = await api.user('homeowner');
    const ids: string[] = [];
    for (let count = 0; count < 20; count++)
      ids.push(await postSeriesAndGetId({ source: { preset: 'awattar_de' } }, owner.key));
    expect((await patchSeries(ids[0] as string, { source: createTestSource() }, owner.key)).status).toBe(403);
    const beyond = await postSeries({ source: { preset: 'awattar_at' } }, owner.key);
    expect([beyond.status, beyond.json.code]).toEqual([409, 'too_many_sources']);
    expect((await patchSeries(ids[0] as string, { source: { preset: 'awattar_at' } }, owner.key)).status).toBe(200);
    expect((await patchSeries(ids[0] as string, { source: null }, owner.key)).json).not.toHaveProperty('source');
    expect((await postSeries({ source: { preset: 'awattar_at' } }, owner.key)).status).toBe(201);
  });

  test('if an account sets and checks sources more than 100 times a day', async () => {
    const id = await postSeriesAndGetId({ source: createTestSource() });
    await api.database.pool.query('UPDATE source_checks SET checks = 100');
    const refused = await patchSeries(id, { source: createTestSource() });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, String(12.75 * 3_600)]);
    api.now = new Date('2026-06-16T00:00:00Z');
    expect((await patchSeries(id, { source: createTestSource() })).status).toBe(200);
  });
});

describe('a check of a source', () => {
  test('returns the first prices that would be stored, and stores nothing', async () => {
    setSourceResponse(createRowsResponse(['15T13:00', 0.2], ['15T12:00', 0.1], ['15T12:07', 1]));
    const { status, json } = await postSeries({ check: true, source: createTestSource() });
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
    expect((await postSeries({ check: true })).json.details[0].field).toBe('source');
    expect((await postSeries({ check: true, source: createTestSource() }, home.key)).status).toBe(403);
    setSourceResponse('<html>a private text</html>');
    await api.database.pool.query('DELETE FROM source_hosts');
    const failed = await postSeries({ check: true, source: createTestSource() });
    expect([failed.status, failed.json.details]).toEqual([
      422,
      [{ field: 'source', message: 'the response is not JSON' }],
    ]);
    expect((await postSeries({ check: false, source: createTestSource() })).status).toBe(201);
  });
});

describe('a series that is deleted while others change it', () => {
  type Change = (id: string) => Promise<TestApiResponse>;
  const changes: [string, Change][] = [
    ['PATCH of its source', (id) => patchSeries(id, { source: createTestSource({ url: buildSourceUrl('/new') }) })],
    ['PATCH that ends its source', (id) => patchSeries(id, { source: null })],
    ['PATCH of its name', (id) => patchSeries(id, { name: 'x' })],
    ['PUT of prices', (id) => putPrices(id, ['15T12:00', '1'])],
    ['second DELETE', (id) => api.send(`/v1/price-series/${id}`, { method: 'DELETE', key: utility.key })],
  ];
  const deletion: Change = (id) => api.send(`/v1/price-series/${id}`, { method: 'DELETE', key: utility.key });
  const leftOf = async (id: string) => {
    const text = `SELECT (SELECT count(*)::int FROM price_series WHERE series_id = $1) AS series,
      (SELECT count(*)::int FROM series_sources WHERE series_id = $1) AS sources,
      (SELECT count(*)::int FROM prices WHERE series_id = $1) AS prices`;
    return (await api.database.pool.query(text, [id])).rows[0];
  };

  /**
   * Sends two requests that wait for the lock of a series. PostgreSQL grants the lock in the order of the requests. Returns the two
   * responses.
   */
  async function inTurn(id: string, one: Change, other: Change): Promise<[TestApiResponse, TestApiResponse]> {
    const blocker = await api.database.pool.connect();
    // Sessions must be listed on another connection than `blocker`, because PostgreSQL returns the same list throughout a transaction.
    const waiting = async () =>
      (
        await api.database.pool.query(`SELECT count(*)::int AS n FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`)
      ).rows[0].n;
    try {
      await blocker.query('BEGIN');
      await blocker.query('SELECT FROM price_series WHERE series_id = $1 FOR UPDATE', [id]);
      const first = one(id);
      await expect.poll(waiting).toBe(1);
      const second = other(id);
      await expect.poll(waiting).toBe(2);
      await blocker.query('COMMIT');
      return await Promise.all([first, second]);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  }

  test.each(changes)('stays deleted after a %s, in either order', async (_name, change) => {
    for (const isDeletedFirst of [true, false]) {
      const id = await postSeriesAndGetId({ source: createTestSource() });
      const [one, other] = isDeletedFirst ? [deletion, change] : [change, deletion];
      const [first, second] = await inTurn(id, one, other);
      const statuses = [first.status, second.status];
      expect({ isDeletedFirst, statuses }).toEqual({
        isDeletedFirst,
        statuses: [200, isDeletedFirst || change === changes[4]?.[1] ? 404 : 200],
      });
      expect(await leftOf(id)).toEqual({ series: 0, sources: 0, prices: 0 });
    }
  });

  test('stays deleted while all of these changes and three workers run concurrently', async () => {
    setSourceResponse(createRowsResponse(['15T12:00', 1]));
    for (let round = 0; round < 20; round++) {
      const id = await postSeriesAndGetId({ source: createTestSource() });
      const all = changes.flatMap(([, change]) => [change(id), change(id)]);
      const [statuses] = await Promise.all([
        Promise.all(all.map(async (answer) => (await answer).status)),
        ...Array.from({ length: 3 }, fetchNextSource),
      ]);
      expect(statuses.slice(0, -2).filter((status) => status !== 200 && status !== 404)).toEqual([]);
      expect(statuses.slice(-2).sort()).toEqual([200, 404]);
      expect(await leftOf(id)).toEqual({ series: 0, sources: 0, prices: 0 });
      expect((await getSeries(id)).status).toBe(404);
      await api.database.pool.query('DELETE FROM source_hosts; DELETE FROM source_checks');
    }
  });
});
