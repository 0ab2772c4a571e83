import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { createRequestsWithKey, findInvalidFields } from '#test/support/requests-with-key.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const as = (key: string) => createRequestsWithKey(api, key);

describe('alerts', () => {
  test('are created, read, changed and removed', async () => {
    const { userId, key } = await api.user('homeowner');
    const made = await as(key).post('/v1/alerts', {
      user_id: userId,
      type: 'daily_usage',
      threshold_kwh: 12.345678,
      delivery: 'email',
    });
    expect({ status: made.status, state: made.json.status }).toEqual({ status: 201, state: 'active' });
    const path = `/v1/alerts/${made.json.alert_id}`;
    expect((await as(key).get(path)).json).toMatchObject({
      type: 'daily_usage',
      threshold_kwh: 12.345678,
      delivery: 'email',
      status: 'active',
    });
    expect((await as(key).patch(path, { threshold_kwh: 20, status: 'paused' })).json).toMatchObject({
      threshold_kwh: 20,
      status: 'paused',
    });
    expect((await as(key).patch(path, {})).json).toMatchObject({ threshold_kwh: 20 });
    expect((await as(key).get(`/v1/alerts?user_id=${userId}`)).json).toHaveLength(1);
    expect((await as(key).get('/v1/alerts')).status).toBe(422);
    expect((await as(key).delete(path)).json.message).toContain(made.json.alert_id);
    expect((await as(key).get(path)).status).toBe(404);
    expect((await as(key).delete(path)).status).toBe(404);
  });

  test('have the threshold of their type: kWh above 0, or 1 to 720 hours', async () => {
    const { key } = await api.user('homeowner');
    const wrong: [object, string][] = [
      [{ type: 'peak_usage' }, 'threshold_kwh'],
      [{ type: 'peak_usage', threshold_kwh: 0 }, 'threshold_kwh'],
      [{ type: 'peak_usage', threshold_kwh: -1 }, 'threshold_kwh'],
      [{ type: 'peak_usage', threshold_kwh: '5' }, 'threshold_kwh'],
      [{ type: 'peak_usage', threshold_kwh: 5, threshold_hours: 5 }, 'threshold_hours'],
      [{ type: 'no_data', threshold_kwh: 5 }, 'threshold_kwh'],
      [{ type: 'no_data' }, 'threshold_hours'],
      [{ type: 'no_data', threshold_hours: 721 }, 'threshold_hours'],
      [{ type: 'no_data', threshold_hours: 1.5 }, 'threshold_hours'],
      [{ type: 'weekly_usage', threshold_kwh: 5 }, 'type'],
    ];
    for (const [body, field] of wrong) {
      const { status, json } = await as(key).post('/v1/alerts', { ...body, delivery: 'email' });
      expect({ body, status, fields: findInvalidFields(json) }).toEqual({ body, status: 422, fields: [field] });
    }
    const silent = await as(key).post('/v1/alerts', { type: 'no_data', threshold_hours: 720, delivery: 'email' });
    expect(silent.status).toBe(201);
    expect((await as(key).patch(`/v1/alerts/${silent.json.alert_id}`, { threshold_kwh: 5 })).status).toBe(422);
  });

  test('on costs have an exact threshold in money, and need a tariff', async () => {
    const { userId, key } = await api.user('homeowner');
    const { key: other } = await api.user('homeowner');
    const raw = (text: string, method = 'POST', path = '/v1/alerts') => api.send(path, { key, method, raw: text });
    const alert = { type: 'daily_cost', threshold: '2.50', delivery: 'email' };
    const untold = await as(key).post('/v1/alerts', alert);
    expect({ status: untold.status, error: untold.json.error }).toEqual({
      status: 409,
      error: 'An alert on costs needs a tariff of the user (POST /v1/tariffs)',
    });
    const tariff = { name: 'x', valid_from: '2026-01-01', currency: 'EUR', import: { per_kwh: '0.30' } };
    const { json: made } = await as(key).post('/v1/tariffs', tariff);
    expect((await as(other).post('/v1/alerts', alert)).status).toBe(409);

    const { status, json } = await as(key).post('/v1/alerts', alert);
    expect(status).toBe(201);
    const path = `/v1/alerts/${json.alert_id}`;
    const shown = (await as(key).get(path)).json;
    expect(shown).toMatchObject({ type: 'daily_cost', threshold: '2.50' });
    expect(Object.keys(shown)).not.toContain('threshold_kwh');
    // A threshold in POST or PATCH keeps all its digits. All other numbers are parsed as ordinary JSON numbers.
    const long = await raw('{"type": "monthly_cost", "threshold": 123456789.123456789, "delivery": "email"}');
    expect((await as(key).get(`/v1/alerts/${long.json.alert_id}`)).json.threshold).toBe('123456789.123456789');
    expect((await raw('{"threshold": 0.000000001000000000000000}', 'PATCH', path)).json.threshold).toBe('0.000000001');
    expect((await as(key).patch(path, { threshold: '1e2' })).json.threshold).toBe('100');
    const usage = await raw('{"type": "daily_usage", "threshold_kwh": 0.30000000000000004, "delivery": "email"}');
    expect((await as(key).get(`/v1/alerts/${usage.json.alert_id}`)).json.threshold_kwh).toBe(0.3);

    const wrong: [object, string][] = [
      [{ type: 'daily_cost' }, 'threshold'],
      ...['0', 0, '0.000', '-1', -1, '0.0000000001', '1000000000', 'many', '', ' 1', null, [1], true].map(
        (threshold): [object, string] => [{ type: 'daily_cost', threshold }, 'threshold'],
      ),
      [{ type: 'daily_cost', threshold_kwh: 5 }, 'threshold_kwh'],
      [{ type: 'daily_cost', threshold: '5', threshold_hours: 5 }, 'threshold_hours'],
      [{ type: 'peak_usage', threshold: '5' }, 'threshold'],
      [{ type: 'no_data', threshold_hours: 5, threshold: '5' }, 'threshold'],
      [{ type: 'peak_cost', threshold: '5' }, 'type'],
    ];
    for (const [body, field] of wrong) {
      const answer = await as(key).post('/v1/alerts', { ...body, delivery: 'email' });
      expect({ body, status: answer.status, fields: findInvalidFields(answer.json) }).toEqual({
        body,
        status: 422,
        fields: [field],
      });
    }
    expect((await as(key).patch(path, { threshold_kwh: 5 })).status).toBe(422);
    expect((await as(key).patch(`/v1/alerts/${usage.json.alert_id}`, { threshold: '5' })).status).toBe(422);

    // Without a tariff, the alert can still be paused, but its threshold cannot be changed, because its currency is unknown.
    await as(key).delete(`/v1/tariffs/${made.tariff_id}`);
    expect((await as(key).patch(path, { status: 'paused' })).status).toBe(200);
    expect((await as(key).patch(path, { threshold: '5' })).status).toBe(409);
    expect((await as(key).get(`/v1/alerts?user_id=${userId}`)).json).toHaveLength(3);
  });

  test('need a recipient: a phone number for SMS, an active subscription for webhooks', async () => {
    const { userId, key } = await api.user('homeowner');
    const post = (delivery: string) => as(key).post('/v1/alerts', { type: 'peak_usage', threshold_kwh: 1, delivery });
    expect((await post('sms')).status).toBe(409);
    await as(key).patch(`/v1/users/${userId}`, { phone: '+4915112345678' });
    expect((await post('sms')).status).toBe(201);
    expect((await post('webhook')).status).toBe(409);
    const webhook = { url: 'https://example.com/hook', auth_token: 'a secret token' };
    await as(key).post('/v1/webhooks', { event: 'usage.updated', ...webhook });
    expect((await post('webhook')).status).toBe(409);
    const { json } = await as(key).post('/v1/webhooks', { event: 'alert.triggered', ...webhook });
    expect((await post('webhook')).status).toBe(201);
    await as(key).patch(`/v1/webhooks/${json.webhook_id}`, { status: 'paused' });
    expect((await post('webhook')).status).toBe(409);
  });
});
