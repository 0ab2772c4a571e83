import { describe, expect, test } from 'vitest';
import { eraseUser } from '#src/users/erase.ts';
import { type CallersByRole, setUpCallersByRole } from '#test/support/callers.ts';
import { unzip } from '#test/support/unzip.ts';

/** Tests of the differences between emission series and price series, and of an account's choice of an emission series. */
let api: CallersByRole['api'];
let admin: CallersByRole['admin'];
let utility: CallersByRole['utility'];
let home: CallersByRole['home'];
setUpCallersByRole((made) => {
  ({ api, admin, utility, home } = made);
});

const hourly = { name: 'Grid', resolution_minutes: 60 };
const send = (method: string, path: string, body?: unknown, key = home.key) =>
  api.send(path, { method, key, ...(body === undefined ? {} : { body }) });
const make = async (key = home.key, body: object = hourly): Promise<string> =>
  (await send('POST', '/v1/emission-series', body, key)).json.series_id;
const makePrices = async (key = home.key): Promise<string> =>
  (await send('POST', '/v1/price-series', { ...hourly, currency: 'EUR' }, key)).json.series_id;
const name = (userId: string, emission_series_id: unknown, key = home.key) =>
  send('PATCH', `/v1/users/${userId}`, { emission_series_id }, key);
const at = (time: string, grams_per_kwh: string | number) => ({ starts_at: `2026-06-15T${time}:00Z`, grams_per_kwh });
const csv = (id: string, raw: string) =>
  api.send(`/v1/emission-series/${id}/intensities`, {
    method: 'PUT',
    key: home.key,
    headers: { 'content-type': 'text/csv' },
    raw,
  });

describe('an emission series', () => {
  test('is created, filled as JSON and CSV, read, listed and removed, and has no currency', async () => {
    const own = await api.user('homeowner');
    const made = await send('POST', '/v1/emission-series', hourly, own.key);
    const { series_id } = made.json;
    expect([made.status, made.json]).toEqual([201, { series_id, user_id: own.userId, ...hourly }]);
    expect(series_id).toMatch(/^ems_[0-9a-z]{26}$/);
    const path = `/v1/emission-series/${series_id}`;
    expect((await send('GET', path, undefined, own.key)).json).toEqual(made.json);
    expect((await send('GET', '/v1/emission-series', undefined, own.key)).json).toEqual([made.json]);
    const values = `${path}/intensities`;
    const put = await send('PUT', values, [at('12:00', '212.4'), at('13:00', 0.123456789), at('14:00', '-7')], own.key);
    expect([put.status, put.json]).toEqual([200, { series_id, stored: 3 }]);
    const raw = 'starts_at,grams_per_kwh\n2026-06-15T14:00:00Z,1000.50\n';
    const corrected = { method: 'PUT', key: own.key, headers: { 'content-type': 'text/csv' }, raw };
    expect((await api.send(values, corrected)).json.stored).toBe(1);
    expect((await send('GET', `${values}?start=2026-06-15&end=2026-06-15`, undefined, own.key)).json).toEqual([
      { starts_at: '2026-06-15T12:00:00.000Z', grams_per_kwh: '212.4' },
      { starts_at: '2026-06-15T13:00:00.000Z', grams_per_kwh: '0.123456789' },
      { starts_at: '2026-06-15T14:00:00.000Z', grams_per_kwh: '1000.5' },
    ]);
    const [filled, created] = (await send('GET', `/v1/audit?user_id=${own.userId}&limit=3`, undefined, admin.key)).json
      .filter(({ action }: { action: string }) => action.startsWith('emission_series'))
      .slice(1);
    expect([filled, created]).toMatchObject([
      { action: 'emission_series.filled', target: series_id, details: { rows: 3 } },
      { action: 'emission_series.created', target: series_id },
    ]);
    const removed = await send('DELETE', path, undefined, own.key);
    expect([removed.status, removed.json]).toEqual([200, { message: `Emission series ${series_id} was deleted` }]);
    expect((await send('GET', path, undefined, own.key)).status).toBe(404);
  });

  test('with a member of a price series, or a wrong value, is refused as a whole', async () => {
    for (const [more, field] of [
      [{ currency: 'EUR' }, 'currency'],
      [{ resolution_minutes: 45 }, 'resolution_minutes'],
      [{ name: '' }, 'name'],
    ] as const) {
      const { status, json } = await send('POST', '/v1/emission-series', { ...hourly, ...more });
      expect([status, json.details[0].field]).toEqual([422, field]);
    }
    const id = await make();
    const values = `/v1/emission-series/${id}/intensities`;
    await send('PUT', values, [at('12:00', 1)]);
    const price = { starts_at: '2026-06-15T13:00:00Z', per_kwh: '0.3' };
    for (const [row, fields] of [
      [price, ['1.grams_per_kwh', '1.per_kwh']],
      [at('13:15', 1), ['1.starts_at']],
      [at('13:00', '0.1234567891'), ['1.grams_per_kwh']],
      [at('13:00', ''), ['1.grams_per_kwh']],
      [at('12:00', 9), ['1.starts_at']],
    ] as const) {
      const { status, json } = await send('PUT', values, [at('12:00', 9), row]);
      expect([status, json.details.map((one: { field: string }) => one.field).sort()]).toEqual([422, fields]);
    }
    for (const text of [
      'starts_at,per_kwh\n2026-06-15T13:00:00Z,9\n',
      'starts_at,grams_per_kwh\n2026-06-15T13:00:00Z,x',
    ])
      expect((await csv(id, text)).status).toBe(422);
    const stored = await send('GET', `${values}?start=2026-06-15&end=2026-06-15`);
    expect(stored.json).toEqual([{ starts_at: '2026-06-15T12:00:00.000Z', grams_per_kwh: '1' }]);
  });

  test('is not found as a price series, and a price series not as an emission series', async () => {
    const [emission, price] = [await make(), await makePrices()];
    const pairs = [
      ['price-series', emission, 'prices', [{ starts_at: '2026-06-15T12:00:00Z', per_kwh: 1 }]],
      ['emission-series', price, 'intensities', [at('12:00', 1)]],
    ] as const;
    for (const [noun, id, values, body] of pairs) {
      const path = `/v1/${noun}/${id}`;
      const statuses = [
        (await send('GET', path)).status,
        (await send('DELETE', path)).status,
        (await send('GET', `${path}/${values}`)).status,
        (await send('PUT', `${path}/${values}`, body)).status,
      ];
      expect([noun, statuses]).toEqual([noun, [404, 404, 404, 404]]);
      const listed: { series_id: string }[] = (await send('GET', `/v1/${noun}?limit=200`)).json;
      expect(listed.some(({ series_id }) => series_id === id)).toBe(false);
    }
    const rates = { import: { series_id: emission } };
    const tariff = { name: 'x', valid_from: '2026-01-01', currency: 'EUR', ...rates };
    const { status, json } = await send('POST', '/v1/tariffs', tariff);
    expect([status, json.details[0].field]).toEqual([422, 'import.series_id']);
    expect((await name(home.userId, price)).json.details[0].field).toBe('emission_series_id');
  });
});

describe('the emission series of an account', () => {
  test('can be set by the account, its utility or an administrator, and is removed by null', async () => {
    const stranger = await api.user('homeowner');
    const [ofHome, ofUtility, ofAdmin, ofStranger] = [
      await make(),
      await make(utility.key),
      await make(admin.key),
      await make(stranger.key),
    ];
    expect((await send('GET', `/v1/users/${home.userId}`)).json.emission_series_id).toBe(null);
    for (const id of [ofHome, ofUtility, ofAdmin]) {
      const { status, json } = await name(home.userId, id);
      expect([status, json.emission_series_id]).toEqual([200, id]);
    }
    for (const id of [ofStranger, 'ems_00000000000000000000000000', 'x', '\0', '', 5, 'a'.repeat(2_000)]) {
      const { status, json } = await name(home.userId, id);
      expect([id, status, json.details?.[0].field]).toEqual([id, 422, 'emission_series_id']);
    }
    // For a home, the utility may choose only series that the home itself may use.
    expect((await name(home.userId, ofHome, utility.key)).status).toBe(200);
    expect((await name(home.userId, ofStranger, admin.key)).status).toBe(422);
    expect((await name(stranger.userId, ofUtility, stranger.key)).status).toBe(422);
    expect([403, 404]).toContain((await name(stranger.userId, ofAdmin)).status);
    expect((await send('PATCH', `/v1/users/${home.userId}`, { phone: null })).json.emission_series_id).toBe(ofHome);
    expect((await name(home.userId, null)).json.emission_series_id).toBe(null);
  });

  test('is not deleted while an account uses it, or is about to', async () => {
    const id = await make(utility.key);
    const path = `/v1/emission-series/${id}`;
    await name(home.userId, id);
    expect((await send('DELETE', path, undefined, utility.key)).json).toMatchObject({
      status: 409,
      error: 'An account uses the emission series',
    });
    await name(home.userId, null);
    expect((await send('DELETE', path, undefined, utility.key)).status).toBe(200);
    for (let round = 0; round < 10; round++) {
      const owner = await api.user('homeowner');
      const raced = await make(owner.key);
      const [named, removed] = await Promise.all([
        name(owner.userId, raced, owner.key),
        send('DELETE', `/v1/emission-series/${raced}`, undefined, owner.key),
      ]);
      expect([
        [200, 409],
        [422, 200],
      ]).toContainEqual([named.status, removed.status]);
    }
  });

  test('is exported with its values, and deleted with its owner, even if other accounts use it', async () => {
    const owner = await api.user('utility');
    const other = await api.user('homeowner', { enrolledBy: owner.userId });
    const id = await make(owner.key);
    await send('PUT', `/v1/emission-series/${id}/intensities`, [at('12:00', '212.4')], owner.key);
    for (const { userId, key } of [owner, other]) expect((await name(userId, id, key)).status).toBe(200);
    const { bytes } = await api.send(`/v1/users/${owner.userId}/export`, { key: owner.key });
    const files = await unzip(bytes);
    const read = (file: string) => JSON.parse(files.get(file)?.toString() ?? 'null');
    expect(read('account.json')).toMatchObject([{ emission_series_id: id }]);
    expect(read('price_series.json')).toMatchObject([{ series_id: id, kind: 'emission', currency: null }]);
    expect(read('prices.json')).toMatchObject([{ series_id: id }]);
    await eraseUser(api.db, owner.userId);
    for (const relation of ['price_series', 'prices']) {
      const { rows } = await api.database.pool.query(`SELECT FROM ${relation} WHERE series_id = $1`, [id]);
      expect([relation, rows.length]).toEqual([relation, 0]);
    }
    // The account keeps the id of the deleted series, and its emission intensity is unknown.
    expect((await send('GET', `/v1/users/${other.userId}`, undefined, other.key)).json.emission_series_id).toBe(id);
    const summary = { interval: 'month', include: 'emissions' };
    expect((await send('POST', '/v1/energy-insights', summary, other.key)).json.summary.emissions).toEqual({
      kg_co2e: '0.000',
      missing_kwh: 0,
    });
    expect((await name(other.userId, null, other.key)).status).toBe(200);
  });
});
