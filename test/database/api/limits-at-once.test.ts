import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabaseRequestCounter } from '#src/auth/database-counter.ts';
import { createBrokerMeterClaimHandlers } from '#src/start/ingest.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

/** Maximum number of refused attempts per minute from one network. After that, the service responds with 429. */
const MAX_REFUSED = 10;

let api: TestApi;
let other: TestApi;
let batch: { batch_id: string; mqtt: { password: string } };
let home: { userId: string };
let admin: { key: string };
beforeAll(async () => {
  const limits = { enterprise: { minute: 1_000_000, day: 1_000_000 }, free: { minute: 1_000_000, day: 1_000_000 } };
  api = await startTestApi({ limits, trustProxy: ['127.0.0.1'], connections: 20 });
  other = await startTestApi({ limits, trustProxy: ['127.0.0.1'], database: api.database });
  [admin, home] = [await api.user('admin'), await api.user('homeowner')];
  const body = { name: 'lot', max_devices: 1_000 };
  batch = (await api.send('/v1/provisioning-batches', { method: 'POST', key: admin.key, body })).json;
});
afterAll(async () => {
  await other.app.close();
  await api.close();
});
// Each test starts in a new minute of the clock, so that the rate limits start at 0.
beforeEach(() => {
  api.now = other.now = new Date(api.now.getTime() + 120_000);
});

const claim = (serial: string, from: string, at = api, secret = batch.mqtt.password) =>
  at.send('/provisioning/claim', {
    method: 'POST',
    headers: { 'x-forwarded-for': from, 'x-forwarded-proto': 'https' },
    body: { batch_id: batch.batch_id, secret, serial },
  });
const countOf = <T>(all: readonly T[], one: T) => all.filter((each) => each === one).length;
let waiting = 0;
async function waits(count: number): Promise<string[]> {
  const serials = Array.from({ length: count }, () => `waits-${++waiting}`);
  const body = serials.map((serial) => ({
    user_id: home.userId,
    type: 'meter',
    location: serial,
    external_id: serial,
  }));
  expect((await api.send('/v1/imports', { method: 'POST', key: admin.key, body })).status).toBe(201);
  return serials;
}

test.each([
  ['an address', (_: number) => '198.51.100.7'],
  ['an IPv6 /64', (index: number) => `2001:db8:1:2::${(index + 1).toString(16)}`],
])('of 200 concurrent guesses from %s, ten are checked over all processes together', async (_what, from) => {
  const [right] = await waits(1);
  const guesses = Array.from({ length: 200 }, (_, index) => (index === 199 ? (right as string) : `guess-${index}`));
  const answers = await Promise.all(
    guesses.map((serial, index) => claim(serial, from(index), index % 2 ? api : other)),
  );
  const statuses = answers.map(({ status }) => status);
  expect(countOf(statuses, 403)).toBeLessThanOrEqual(MAX_REFUSED);
  expect(countOf(statuses, 429)).toBeGreaterThanOrEqual(200 - MAX_REFUSED - 1);
  // After the limit has been reached, even the correct secret is refused.
  expect((await claim(right as string, from(3))).status).toBe(429);
  expect((await claim(right as string, '203.0.113.1')).status).toBe(statuses.includes(201) ? 403 : 201);
});

test('wrong secrets for a batch of meters count towards the limit', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => claim(`x-${index}`, '198.51.100.8', api, 'wrong')),
  );
  expect(
    countOf(
      answers.map(({ status }) => status),
      401,
    ),
  ).toBe(MAX_REFUSED);
});

test('many meters of one building that connect concurrently are not limited, and do not count as refusals', async () => {
  const serials = await waits(60);
  const answers = await Promise.all(serials.map((serial) => claim(serial, '198.51.100.9')));
  expect(
    countOf(
      answers.map(({ status }) => status),
      201,
    ),
  ).toBe(60);
  const wrong = await Promise.all(Array.from({ length: 30 }, (_, index) => claim(`no-${index}`, '198.51.100.9')));
  expect(
    countOf(
      wrong.map(({ status }) => status),
      403,
    ),
  ).toBe(MAX_REFUSED);
});

test('the limit applies at the broker, too, which shares its count of refusals with HTTPS', async () => {
  const claims = createBrokerMeterClaimHandlers(
    api.db,
    createDatabaseRequestCounter(api.db, {}, () => api.now),
  );
  const guess = (serial: string, from: string) =>
    claims.claim(batch.batch_id, Buffer.from(JSON.stringify({ serial })), from);
  const from = (index: number) => `2001:db8:9:9::${index.toString(16)}`;
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => guess(`guess-${index}`, from(index))));
  expect(answers.filter((answer) => answer !== null)).toHaveLength(MAX_REFUSED);
  expect((await claim('guess', from(1))).status).toBe(429);
  const [serial] = await waits(1);
  expect(await guess(serial as string, from(2))).toBeNull();
  expect(JSON.parse((await guess(serial as string, '2001:db8:9:a::1')) ?? '')).toMatchObject({
    username: expect.any(String),
  });
});

test.each([
  [
    'price series',
    '/v1/price-series',
    { currency: 'EUR', resolution_minutes: 60 },
    `INSERT INTO price_series (series_id, user_id, name, currency, resolution_minutes)
     SELECT 'prs_' || n, $1, 'x', 'EUR', 60 FROM generate_series(1, 999) n`,
  ],
  [
    'tariffs',
    '/v1/tariffs',
    { currency: 'EUR', import: { per_kwh: '0.3' } },
    `INSERT INTO tariffs (tariff_id, user_id, name, valid_from, currency, terms)
     SELECT 'trf_' || n, $1, 'x', date '1990-01-01' + n, 'EUR', '{}' FROM generate_series(1, 999) n`,
  ],
])('of several %s that an account creates at once, none exceeds the maximum', async (_what, path, body, fill) => {
  const { userId, key } = await api.user('homeowner');
  await api.database.pool.query(fill, [userId]);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => {
      const from = path === '/v1/tariffs' ? { valid_from: `2030-01-${10 + index}` } : {};
      return api.send(path, { method: 'POST', key, body: { name: 'x', ...body, ...from } });
    }),
  );
  const statuses = answers.map(({ status }) => status);
  expect([countOf(statuses, 201), countOf(statuses, 409)]).toEqual([1, 9]);
});

test('concurrent changes of upstream devices form no cycle and no deadlock', async () => {
  const { key } = await api.user('homeowner');
  const make = async () =>
    (await api.send('/v1/devices', { method: 'POST', key, body: { type: 'plug', location: 'x' } })).json.device_id;
  const ids = await Promise.all(Array.from({ length: 6 }, make));
  const answers = await Promise.all(
    ids.map((id, index) => {
      const body = { upstream_device_id: ids[(index + 1) % ids.length] };
      return api.send(`/v1/devices/${id}`, { method: 'PATCH', key, body });
    }),
  );
  const statuses = answers.map(({ status }) => status);
  expect([countOf(statuses, 200), countOf(statuses, 422)]).toEqual([5, 1]);
});
