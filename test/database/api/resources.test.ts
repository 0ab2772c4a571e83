import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { createTestMeter } from '#test/support/meters.ts';
import { createRequestsWithKey, findInvalidFields } from '#test/support/requests-with-key.ts';

let api: TestApi;
let admin: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  admin = await api.user('admin');
});
afterAll(() => api.close());

const as = (key: string) => createRequestsWithKey(api, key);

describe('users', () => {
  test('change their own data; only an administrator changes role and plan', async () => {
    const { userId, key } = await api.user('homeowner');
    const path = `/v1/users/${userId}`;
    const changed = await as(key).patch(path, {
      email: `new-${userId}@example.com`,
      phone: '+4915112345678',
      timezone: 'Europe/Berlin',
    });
    expect(changed.json).toMatchObject({
      pending_email: `new-${userId}@example.com`,
      timezone: 'Europe/Berlin',
      phone: '+4915112345678',
    });
    for (const patch of [{ role: 'admin' }, { plan: 'enterprise' }])
      expect((await as(key).patch(path, patch)).status).toBe(403);
    expect((await as(key).patch(path, { phone: null })).json.phone).toBeNull();
    const wrong: [object, string][] = [
      [{ email: 'x' }, 'email'],
      [{ phone: '0151' }, 'phone'],
      [{ timezone: 'Mars' }, 'timezone'],
      [{ user_id: 'x' }, 'user_id'],
    ];
    for (const [body, field] of wrong) {
      const { status, json } = await as(key).patch(path, body);
      expect({ field, status, fields: findInvalidFields(json) }).toEqual({ field, status: 422, fields: [field] });
    }
    const other = await api.user('homeowner');
    expect((await as(admin.key).patch(path, { email: `new-${userId}@example.com` })).status).toBe(200);
    expect(
      (await as(other.key).patch(`/v1/users/${other.userId}`, { email: `NEW-${userId}@example.com` })).status,
    ).toBe(409);
    expect((await as(admin.key).patch(path, { role: 'utility', plan: 'developer' })).json).toMatchObject({
      role: 'utility',
      plan: 'developer',
    });
  });

  test('send an event when created, and are deleted with all their data', async () => {
    const { json } = await as(admin.key).post('/v1/users', { email: 'soon@gone.example', role: 'homeowner' });
    const events = () => api.database.pool.query('SELECT type, data FROM events WHERE user_id = $1', [json.user_id]);
    expect((await events()).rows).toEqual([
      { type: 'user.created', data: expect.objectContaining({ email: 'soon@gone.example' }) },
    ]);
    expect((await as(admin.key).delete(`/v1/users/${json.user_id}`)).json.message).toContain(json.user_id);
    expect((await as(admin.key).get(`/v1/users/${json.user_id}`)).status).toBe(404);
    expect((await events()).rows).toEqual([]);
  });
});

describe('keys', () => {
  test('can create keys with at most their own scopes, and revoke and rotate them', async () => {
    const owner = await api.user('homeowner');
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const scopes = ['insights:read', 'keys:write'];
    const reader = await as(owner.key).post('/v1/keys', { name: 'reader', scopes, expires_at });
    expect(reader.json).toMatchObject({ scopes, expires_at });
    expect(reader.json.key).toMatch(/^eus_live_/);
    expect((await as(reader.json.key).get('/v1/devices')).status).toBe(403);
    expect((await as(reader.json.key).post('/v1/keys', { scopes: ['devices:read'] })).status).toBe(403);
    expect((await as(reader.json.key).post('/v1/keys', { scopes: ['insights:read'] })).status).toBe(201);
    expect((await as(owner.key).post('/v1/keys', { scopes: ['everything'] })).status).toBe(422);
    expect((await as(owner.key).post('/v1/keys', { expires_at: '2020-01-01T00:00:00Z' })).status).toBe(422);
    const list = await as(owner.key).get('/v1/keys');
    expect(list.json.map(({ name }: { name: string }) => name)).toContain('reader');
    expect(list.text).not.toContain(reader.json.key);
    const rotated = await as(owner.key).post(`/v1/keys/${reader.json.key_id}/rotate`, {});
    expect(rotated.json.old_expires_at).toBe(new Date(api.now.getTime() + 24 * 3_600_000).toISOString());
    expect(rotated.json.scopes).toEqual(['insights:read', 'keys:write']);
    expect((await as(rotated.json.key).get('/v1/keys')).status).toBe(200);
    expect((await as(owner.key).delete(`/v1/keys/${rotated.json.key_id}`)).status).toBe(200);
    expect((await as(owner.key).delete(`/v1/keys/${rotated.json.key_id}`)).status).toBe(404);
    // A key can rotate only keys that do not have more rights than itself.
    const mine = (await as(owner.key).get('/v1/keys')).json.find(
      ({ scopes }: { scopes: string[] }) => scopes.length > 2,
    );
    expect((await as(reader.json.key).post(`/v1/keys/${mine.key_id}/rotate`, {})).status).toBe(403);
  });
});

describe('monthly analytics', () => {
  test('compare each month with the previous one, and the current month with the same days of the previous one', async () => {
    const home = await createTestMeter(api.database);
    const now = new Date('2026-06-15T12:00:00Z');
    // One register reading at each midnight: 10 kWh a day in April, 20 in May, 15 in June. No single hour was measured, so there is no
    // peak.
    let kwh = 1_000;
    const readings: [Date, number][] = [];
    for (let day = Date.parse('2026-04-01T00:00:00Z'); day <= Date.parse('2026-06-15T00:00:00Z'); day += 86_400_000) {
      readings.push([new Date(day), kwh]);
      kwh += { 3: 10, 4: 20, 5: 15 }[new Date(day).getUTCMonth()] ?? 0;
    }
    await home.read(readings, now);
    await api.database.settle();
    const { json } = await as(admin.key).get(`/v1/analytics/monthly?user_id=${home.userId}&months=2`);
    expect(json.data).toEqual([
      {
        month: '2026-05',
        kwh_used: 620,
        avg_daily_kwh: 20,
        peak_hour: null,
        change_kwh: 320,
        change_percent: 106.67,
      },
      {
        month: '2026-06',
        kwh_used: 210,
        avg_daily_kwh: 15,
        peak_hour: null,
        change_kwh: -90,
        change_percent: -30,
        partial: true,
      },
    ]);
    expect((await as(admin.key).get(`/v1/analytics/monthly?user_id=${home.userId}`)).json.data).toHaveLength(3);
    for (const months of ['0', '37', 'x', '1.5'])
      expect((await as(admin.key).get(`/v1/analytics/monthly?months=${months}`)).status).toBe(422);
  });
});

describe('lists', () => {
  test('are paged by their Link, each item once', async () => {
    const { userId, key } = await api.user('homeowner');
    for (let index = 0; index < 7; index++)
      await as(key).post('/v1/alerts', { type: 'peak_usage', threshold_kwh: index + 1, delivery: 'email' });
    const seen: number[] = [];
    let path: string | undefined = `/v1/alerts?user_id=${userId}&limit=3`;
    for (let pages = 0; path !== undefined && pages < 10; pages++) {
      const answer = await as(key).get(path);
      seen.push(...answer.json.map(({ threshold_kwh }: { threshold_kwh: number }) => threshold_kwh));
      path = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const limit of ['0', '201', 'x'])
      expect((await as(key).get(`/v1/alerts?user_id=${userId}&limit=${limit}`)).status).toBe(422);
  });
});
