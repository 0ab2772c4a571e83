import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createPriceSourceFetcher } from '#src/delivery/fetch-answer.ts';
import { fetchDueSource } from '#src/tariffs/sources/fetch-due.ts';
import type { SourceFetcher } from '#src/tariffs/sources/read-source.ts';
import { startTestApi, type TestApi } from './api.ts';
import { startWebhookReceiver, type WebhookReceiver } from './receiver.ts';

/** An account of the API with which a test creates series that are fetched from a source. */
type Person = Awaited<ReturnType<TestApi['user']>>;
export let api: TestApi;
export let admin: Person;
export let utility: Person;
export let home: Person;

const MINUTE_MS = 60_000;
export const SECRET_ENCRYPTER = createSecretEncrypter('the secret of the tests');
export let host: WebhookReceiver;
export let fetcher: ReturnType<typeof createPriceSourceFetcher>;
/** Responds to requests for presets. */
let preset: SourceFetcher;
/** Sets this function. */
export const setPresetResponse = (answer: SourceFetcher): void => {
  preset = answer;
};
export let presetUrls: string[] = [];
export const fetchTestResponse: SourceFetcher = (request) => {
  if (request.url.startsWith(host.url.replace('/hook', ''))) return fetcher.fetchAnswer(request);
  presetUrls.push(request.url);
  return preset(request);
};

/** Registers hooks that start and stop the API and the host of the sources, and delete all series before each test. */
export function setUpSourceApi(): void {
  beforeAll(async () => {
    host = await startWebhookReceiver();
    fetcher = createPriceSourceFetcher({ allowPrivate: true, ca: host.ca, timeoutMs: 3_000 });
    api = await startTestApi({
      beforeListening: (_, context) => Object.assign(context, { fetchAnswer: fetchTestResponse }),
    });
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
}

export const buildSourceUrl = (path = '/prices') => host.url.replace('/hook', path);
export const setSourceResponse = (text: string | Buffer, headers: Record<string, string> = {}) => {
  host.answer = () => ({ status: 200, headers, body: text });
};
const SHAPE = { format: 'json', items: '$.rows', starts_at: '$.from', value: '$.price', at: ['11:15', '18:00'] };
export const createTestSource = (more: object = {}) => ({ url: buildSourceUrl(), ...SHAPE, ...more });
export const createExternalTestSource = (more: object = {}) => ({ url: 'https://prices.example/x', ...SHAPE, ...more });
/** Returns a function that sets the response of the sources' host. */
export const createHostResponseSetter = (answer: ReturnType<WebhookReceiver['answer']>) => () => {
  host.answer = () => answer;
};
export const createRowsResponse = (...prices: [string, unknown][]) =>
  JSON.stringify({ rows: prices.map(([time, price]) => ({ from: `2026-06-${time}:00Z`, price })) });
export const HOURLY_PRICE_SERIES = { name: 'Day ahead', currency: 'EUR', resolution_minutes: 60 };
export const postSeries = (more: object, key = utility.key) =>
  api.send('/v1/price-series', { method: 'POST', key, body: { ...HOURLY_PRICE_SERIES, ...more } });
export const patchSeries = (id: string, body: object, key = utility.key) =>
  api.send(`/v1/price-series/${id}`, { method: 'PATCH', key, body });
export const postSeriesAndGetId = async (more: object, key = utility.key) =>
  (await postSeries(more, key)).json.series_id as string;
export const getSeries = async (id: string, key = utility.key) =>
  (await api.send(`/v1/price-series/${id}`, { key })).json;
export const putPrices = (id: string, ...prices: [string, string][]) =>
  api.send(`/v1/price-series/${id}/prices`, {
    method: 'PUT',
    key: utility.key,
    body: prices.map(([time, per_kwh]) => ({ starts_at: `2026-06-${time}:00Z`, per_kwh })),
  });
export const deletePrices = (id: string, query: string, key = utility.key) =>
  api.send(`/v1/price-series/${id}/prices${query}`, { method: 'DELETE', key });
export const readPrices = async (id: string) =>
  Object.fromEntries(
    (await api.send(`/v1/price-series/${id}/prices?start=2026-06-15&end=2026-06-16`, { key: utility.key })).json.map(
      (one: { starts_at: string; per_kwh: string }) => [one.starts_at.slice(8, 16), one.per_kwh],
    ),
  );
export const fetchNextSource = () =>
  fetchDueSource({ db: api.db, box: SECRET_ENCRYPTER, fetchAnswer: fetchTestResponse, clock: () => api.now });
/** Fetches all due series without waiting. (Otherwise, a second must pass between two requests to a host.) */
export async function fetchAllSources(): Promise<number> {
  for (let series = 0; ; ) {
    const did = await fetchNextSource();
    if (did === 0) return series;
    series += did;
    await api.database.pool.query('DELETE FROM source_hosts');
  }
}
export const advanceClock = (minutes: number) => {
  api.now = new Date(api.now.getTime() + minutes * MINUTE_MS);
};
export const readNextFetchTime = async (id: string) => (await getSeries(id)).next_fetch_at.slice(8, 16);
