import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { connect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createPriceSourceFetcher } from '#src/delivery/fetch-answer.ts';
import { fetchDueSource } from '#src/tariffs/sources/fetch-due.ts';
import type { SourceFetcher } from '#src/tariffs/sources/read-source.ts';
import {
  admin,
  advanceClock,
  api,
  buildSourceUrl,
  createHostResponseSetter,
  createRowsResponse,
  createTestSource,
  deletePrices,
  fetchAllSources,
  fetcher,
  fetchNextSource,
  fetchTestResponse,
  getSeries,
  home,
  host,
  patchSeries,
  postSeriesAndGetId,
  presetUrls,
  putPrices,
  readNextFetchTime,
  readPrices,
  SECRET_ENCRYPTER,
  setPresetResponse,
  setSourceResponse,
  setUpSourceApi,
  utility,
} from '#test/support/price-sources.ts';

setUpSourceApi();

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
    // The day has 23 hours. One of them is missing from ENTSO-E's document.
    ['entsoe_fr', 'entsoe-23-hours-hourly.xml', { unit: 'EUR', minutes: 60, first: '2026-03-28T23:00', count: 22 }],
    [
      'carbon_intensity_gb',
      'carbon-intensity-gb-25-hours.json',
      { unit: 'g', minutes: 30, first: '2026-10-24T23:00', count: 50 },
    ],
  ])('are fetched by %s and stored: %s', async (name, file, { unit, minutes, first, count }) => {
    setSourceResponse(await recorded(file));
    setPresetResponse((request) =>
      fetcher.fetchAnswer({ ...request, url: buildSourceUrl(request.url.slice(new URL(request.url).origin.length)) }),
    );
    const [noun, values] = unit === 'g' ? ['emission-series', 'intensities'] : ['price-series', 'prices'];
    const source = { preset: name, ...(name.startsWith('entsoe') && { token: 'a-token' }) };
    const body = { name, resolution_minutes: minutes, ...(unit !== 'g' && { currency: unit }), source };
    const made = await api.send(`/v1/${noun}`, { method: 'POST', key: home.key, body });
    expect(await fetchAllSources()).toBe(1);
    expect(host.calls.map(({ path }) => path)).toEqual(presetUrls.map((one) => one.slice(new URL(one).origin.length)));
    const shown = (await api.send(`/v1/${noun}/${made.json.series_id}`, { key: home.key })).json;
    expect([shown.last_error, shown.last_fetched_at]).toEqual([null, api.now.toISOString()]);
    const days = `start=${first.slice(0, 10)}&end=${new Date(Date.parse(`${first}Z`) + 86_400_000).toISOString().slice(0, 10)}`;
    const stored = (await api.send(`/v1/${noun}/${made.json.series_id}/${values}?${days}`, { key: home.key })).json;
    expect([stored.length, stored[0].starts_at]).toEqual([count, `${first}:00.000Z`]);
  });

  test('that arrive late are fetched again after 5 minutes, if yesterday’s arrived in time', async () => {
    setSourceResponse(createRowsResponse(['15T12:00', 1], ['16T00:00', 2]));
    const id = await postSeriesAndGetId({ source: createTestSource() });
    await fetchAllSources();
    expect(await readNextFetchTime(id)).toBe('15T18:00');
    advanceClock(24 * 60);
    setSourceResponse(createRowsResponse(['16T00:00', 2], ['16T12:00', 3]));
    await fetchAllSources();
    expect([await readNextFetchTime(id), (await getSeries(id)).last_error]).toEqual(['16T11:20', null]);
    advanceClock(4);
    expect(await fetchAllSources()).toBe(0);
    advanceClock(1);
    setSourceResponse(createRowsResponse(['16T12:00', 3], ['17T00:00', 4]));
    expect(await fetchAllSources()).toBe(1);
    expect(await readNextFetchTime(id)).toBe('16T18:00');
    expect(await readPrices(id)).toEqual({ '15T12:00': '1', '16T00:00': '2', '16T12:00': '3' });
  });
});

describe('a fetch', () => {
  test.each<[string, () => void, string, string]>([
    ['of status 503', createHostResponseSetter({ status: 503, body: 'secret text' }), 'HTTP 503', '15T11:20'],
    [
      'of status 429, after its Retry-After',
      createHostResponseSetter({ status: 429, headers: { 'retry-after': '1800' } }),
      'HTTP 429',
      '15T11:45',
    ],
    [
      'of a redirect',
      createHostResponseSetter({ status: 302, headers: { location: 'https://127.0.0.1/' } }),
      'HTTP 302: redirects are not followed',
      '15T11:20',
    ],
    [
      'of 20 MB',
      () => setSourceResponse(Buffer.alloc(20_000_000, ' ')),
      'the response is longer than 5 MiB',
      '15T11:20',
    ],
    [
      'of 20 MB, packed to 20 kB',
      () => setSourceResponse(gzipSync(Buffer.alloc(20_000_000, ' ')), { 'content-encoding': 'gzip' }),
      'the response is longer than 5 MiB',
      '15T11:20',
    ],
    [
      'that does not end',
      createHostResponseSetter({ status: 200, body: '{"rows":[', ending: 'goes on' }),
      'no complete response within 3 s',
      '15T11:20',
    ],
    ['without an answer', createHostResponseSetter(null), 'no complete response within 3 s', '15T11:20'],
    [
      'that breaks off',
      createHostResponseSetter({ status: 200, body: '{"rows":[', ending: 'breaks off' }),
      'the source closed the connection before it responded (ECONNRESET)',
      '15T11:20',
    ],
    ['of no price', () => setSourceResponse('{"rows":[]}'), 'the response has no values', '15T11:20'],
  ])('%s is a failure, and is repeated', async (_, arrange, error, nextAt) => {
    arrange();
    const id = await postSeriesAndGetId({ source: createTestSource() });
    expect(await fetchAllSources()).toBe(1);
    const shown = await getSeries(id);
    expect([shown.last_error, shown.last_fetched_at, shown.next_fetch_at.slice(8, 16)]).toEqual([error, null, nextAt]);
    expect(host.calls).toHaveLength(1);
  });

  test('of a compressed response is decoded', async () => {
    setSourceResponse(gzipSync(createRowsResponse(['15T12:00', 1])), { 'content-encoding': 'gzip' });
    const id = await postSeriesAndGetId({ source: createTestSource() });
    await fetchAllSources();
    expect(await readPrices(id)).toEqual({ '15T12:00': '1' });
  });

  test('connects to public addresses only, whatever a name resolves to', async () => {
    const connected: string[] = [];
    class Watched extends Agent {
      // biome-ignore lint/suspicious/noExplicitAny: @types/node does not declare the options that an agent receives
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
    setSourceResponse('fine');
    let addresses: string[] = [];
    const guarded = createPriceSourceFetcher({
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
    setSourceResponse(createRowsResponse(['15T12:00', 1]));
    for (let count = 0; count < 6; count++)
      await postSeriesAndGetId({ source: createTestSource({ url: buildSourceUrl(`/${count}`) }) });
    const claimedAt = 'SELECT extract(epoch FROM fetched_at) AS at FROM source_hosts WHERE host = $1';
    const fetchedAt = new Set<number>();
    const worker = async () => {
      while (host.calls.length < 3) {
        await fetchNextSource();
        const { rows } = await api.database.pool.query(claimedAt, [new URL(buildSourceUrl()).host]);
        for (const { at } of rows) fetchedAt.add(Number(at));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    // Compares the times at which workers reserved the host. The times of the requests are not reliable, because a busy machine may delay
    // requests.
    const times = [...fetchedAt].sort((a, b) => a - b);
    expect(times.length).toBeGreaterThanOrEqual(2);
    for (const [index, time] of times.slice(1).entries()) expect(time - (times[index] as number)).toBeGreaterThan(1);
    const done = await api.database.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM series_sources WHERE last_fetched_at IS NOT NULL',
    );
    expect(done.rows[0]?.count).toBe(host.calls.length);
    expect(new Set(host.calls.map(({ path }) => path)).size).toBe(host.calls.length);
  });

  test('fetch a preset once for all series that have it and the same token', async () => {
    const day = { object: 'list', data: [{ start_timestamp: Date.parse('2026-06-15T12:00Z'), marketprice: 100 }] };
    setPresetResponse(async () => ({ text: JSON.stringify(day) }));
    const ids = [
      await postSeriesAndGetId({ source: { preset: 'awattar_de' } }, home.key),
      await postSeriesAndGetId({ source: { preset: 'awattar_de' } }),
      await postSeriesAndGetId({ resolution_minutes: 15, source: { preset: 'awattar_de' } }, admin.key),
    ];
    for (const token of ['one', 'two', 'one']) await postSeriesAndGetId({ source: { preset: 'entsoe_fr', token } });
    expect(await fetchAllSources()).toBe(6);
    expect(
      presetUrls.map((one) => new URL(one).host + (new URL(one).searchParams.get('securityToken') ?? '')).sort(),
    ).toEqual(['api.awattar.de', 'web-api.tp.entsoe.euone', 'web-api.tp.entsoe.eutwo']);
    expect(await readPrices(ids[0] as string)).toEqual({ '15T12:00': '0.1' });
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
    setPresetResponse(async () => ({ text: '{"data":[{"start_timestamp":1781524800000,"marketprice":100}]}' }));
    const owners = [home, utility, admin];
    for (let count = 0; count < 12; count++)
      await postSeriesAndGetId({ source: { preset: 'awattar_de' } }, owners[count % 3]?.key);
    // Workers reserve the host before the series. Otherwise each worker would reserve some of the due series and fetch the source for them.
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 8 }, fetchNextSource));
      await api.database.pool.query('DELETE FROM source_hosts');
    }
    expect(presetUrls).toHaveLength(1);
    const { rows: done } = await api.database.pool.query(
      'SELECT FROM series_sources WHERE last_fetched_at IS NOT NULL',
    );
    expect(done).toHaveLength(12);
  });

  test('fetch a preset once, however many series share it', async () => {
    setPresetResponse(async () => ({ text: '{"data":[{"start_timestamp":1781524800000,"marketprice":100}]}' }));
    const id = await postSeriesAndGetId({ source: { preset: 'awattar_de' } });
    await api.database.pool.query(
      `WITH more AS (INSERT INTO price_series SELECT (jsonb_populate_record(p, jsonb_build_object('series_id', 'copy ' || n))).*
         FROM price_series p, generate_series(1, 1100) n WHERE series_id = $1 RETURNING series_id)
       INSERT INTO series_sources SELECT (jsonb_populate_record(s, jsonb_build_object('series_id', more.series_id))).*
       FROM series_sources s, more WHERE s.series_id = $1`,
      [id],
    );
    // 1,101 series are due, more than a worker reserves at once.
    expect(await fetchNextSource()).toBe(1_101);
    expect([presetUrls.length, await fetchAllSources()]).toEqual([1, 0]);
    const { rows: priced } = await api.database.pool.query(
      'SELECT count(DISTINCT series_id)::int AS count FROM prices',
    );
    expect(priced).toEqual([{ count: 1_101 }]);
  });

  test('discard a response whose source has changed meanwhile, and take over from a killed worker', async () => {
    const id = await postSeriesAndGetId({ source: createTestSource() });
    host.answer = () => ({ status: 200, body: createRowsResponse(['15T12:00', 1]) });
    const changing: SourceFetcher = async (request) => {
      await patchSeries(id, { source: createTestSource({ url: buildSourceUrl('/new') }) });
      return fetchTestResponse(request);
    };
    await fetchDueSource({ db: api.db, box: SECRET_ENCRYPTER, fetchAnswer: changing, clock: () => api.now });
    expect([await readPrices(id), await readNextFetchTime(id)]).toEqual([{}, '15T11:15']);
    const killed: SourceFetcher = () => Promise.reject(new Error('killed'));
    await api.database.pool.query('DELETE FROM source_hosts');
    const stopping = AbortSignal.abort();
    // If a worker stops during a fetch, it releases the source at once.
    await fetchDueSource({ db: api.db, box: SECRET_ENCRYPTER, fetchAnswer: killed, clock: () => api.now, stopping });
    await api.database.pool.query('DELETE FROM source_hosts');
    await fetchAllSources();
    expect(await readPrices(id)).toEqual({ '15T12:00': '1' });
    await api.database.pool.query(
      "UPDATE series_sources SET next_fetch_at = $1, lease_id = 'x', leased_until = $1::timestamptz + interval '2 minutes'",
      [api.now],
    );
    expect(await fetchAllSources()).toBe(0);
    advanceClock(2);
    expect(await fetchAllSources()).toBe(1);
  });
});

test('a custom address is not fetched once its owner becomes a homeowner', async () => {
  setSourceResponse(createRowsResponse(['15T12:00', 1]));
  const formerUtility = await api.user('utility');
  const id = await postSeriesAndGetId({ source: createTestSource() }, formerUtility.key);
  await api.database.pool.query(`UPDATE users SET role = 'homeowner' WHERE user_id = $1`, [formerUtility.userId]);
  await fetchAllSources();
  expect([(await getSeries(id, formerUtility.key)).last_error, host.calls]).toEqual([
    'only utilities and administrators can use their own addresses; choose a preset, or remove the source',
    [],
  ]);
});

test('a source that fails for a day is reported to its owner once', async () => {
  host.answer = () => ({ status: 500 });
  const id = await postSeriesAndGetId({ source: createTestSource() });
  for (let count = 0; count < 14; count++) {
    await fetchAllSources();
    api.now = new Date((await getSeries(id)).next_fetch_at);
  }
  const { rows: events } = await api.database.pool.query(
    `SELECT e.data, e.created_at, d.target FROM events e JOIN deliveries d USING (event_id) WHERE type = 'series.source_failing' AND e.user_id = $1`,
    [utility.userId],
  );
  expect(events).toEqual([
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

test('a fetched price queues the costs of homes with an alert on costs; an unchanged price does not', async () => {
  setSourceResponse(createRowsResponse(['15T12:00', 1]));
  const id = await postSeriesAndGetId({ source: createTestSource() });
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
  await fetchAllSources();
  expect(await queued()).toEqual([[home.userId]]);
  advanceClock(24 * 60);
  expect(await fetchAllSources()).toBe(1);
  expect(await queued()).toEqual([]);
  setSourceResponse(createRowsResponse(['15T12:00', 2]));
  advanceClock(24 * 60);
  await fetchAllSources();
  expect(await queued()).toEqual([[home.userId]]);
  await putPrices(id, ['15T12:00', '5']);
  await queued();
  await deletePrices(id, '?from=2026-06-15&to=2026-06-16');
  expect(await queued()).toEqual([[home.userId]]);
});
