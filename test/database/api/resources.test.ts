import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWriter } from '#ingest/write/writer.ts';
import { secretBox } from '#src/core/secret-box.ts';
import { checkDeviceLogin } from '#src/devices/credentials.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { meter } from '#test/support/meters.ts';

let api: TestApi;
let admin: { userId: string; key: string };
beforeAll(async () => {
  api = await testApi();
  admin = await api.user('admin');
});
afterAll(() => api.close());

const as = (key: string) => ({
  get: (path: string) => api.send(path, { key }),
  post: (path: string, body: unknown) => api.send(path, { key, method: 'POST', body }),
  patch: (path: string, body: unknown) => api.send(path, { key, method: 'PATCH', body }),
  delete: (path: string) => api.send(path, { key, method: 'DELETE' }),
});
const fields = (json: { details?: { field: string }[] }) => json.details?.map(({ field }) => field);

describe('alerts', () => {
  test('are made, read, changed and removed', async () => {
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

  test('have the threshold of their type: kWh above nothing, or 1 to 720 hours', async () => {
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
      expect({ body, status, fields: fields(json) }).toEqual({ body, status: 422, fields: [field] });
    }
    const silent = await as(key).post('/v1/alerts', { type: 'no_data', threshold_hours: 720, delivery: 'email' });
    expect(silent.status).toBe(201);
    expect((await as(key).patch(`/v1/alerts/${silent.json.alert_id}`, { threshold_kwh: 5 })).status).toBe(422);
  });

  test('on costs have a threshold in money, exactly, and need a tariff', async () => {
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
    // Numbers with all of their digits, in a POST and a PATCH; those of other members stay numbers.
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
      expect({ body, status: answer.status, fields: fields(answer.json) }).toEqual({
        body,
        status: 422,
        fields: [field],
      });
    }
    expect((await as(key).patch(path, { threshold_kwh: 5 })).status).toBe(422);
    expect((await as(key).patch(`/v1/alerts/${usage.json.alert_id}`, { threshold: '5' })).status).toBe(422);

    // Without a tariff any more it can be paused, but has no currency for another threshold.
    await as(key).delete(`/v1/tariffs/${made.tariff_id}`);
    expect((await as(key).patch(path, { status: 'paused' })).status).toBe(200);
    expect((await as(key).patch(path, { threshold: '5' })).status).toBe(409);
    expect((await as(key).get(`/v1/alerts?user_id=${userId}`)).json).toHaveLength(3);
  });

  test('need somebody who can be told: a phone for SMS, an active subscription for webhooks', async () => {
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

describe('users', () => {
  test('are patched by themselves in what is theirs; role and plan are an administrator’s', async () => {
    const { userId, key } = await api.user('homeowner');
    const path = `/v1/users/${userId}`;
    const changed = await as(key).patch(path, {
      email: `new-${userId}@example.com`,
      phone: '+4915112345678',
      timezone: 'Europe/Berlin',
    });
    expect(changed.json).toMatchObject({
      email: `new-${userId}@example.com`,
      timezone: 'Europe/Berlin',
      phone: '+4915112345678',
    });
    for (const patch of [{ role: 'admin' }, { plan: 'enterprise' }])
      expect((await as(key).patch(path, patch)).status).toBe(403);
    expect((await as(admin.key).patch(path, { role: 'utility', plan: 'developer' })).json).toMatchObject({
      role: 'utility',
      plan: 'developer',
    });
    expect((await as(key).patch(path, { phone: null })).json.phone).toBeNull();
    const wrong: [object, string][] = [
      [{ email: 'x' }, 'email'],
      [{ phone: '0151' }, 'phone'],
      [{ timezone: 'Mars' }, 'timezone'],
      [{ user_id: 'x' }, 'user_id'],
    ];
    for (const [body, field] of wrong) {
      const { status, json } = await as(key).patch(path, body);
      expect({ field, status, fields: fields(json) }).toEqual({ field, status: 422, fields: [field] });
    }
    const other = await api.user('homeowner');
    expect(
      (await as(other.key).patch(`/v1/users/${other.userId}`, { email: `NEW-${userId}@example.com` })).status,
    ).toBe(409);
  });

  test('are announced once, and gone with everything once deleted', async () => {
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

describe('webhooks', () => {
  test('are listed without their secret, which is stored sealed and rotated with an overlap', async () => {
    const { key } = await api.user('homeowner');
    const body = {
      event: 'usage.updated',
      url: 'https://example.com/hook?x=1',
      auth_token: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    };
    const made = await as(key).post('/v1/webhooks', body);
    expect(made).toMatchObject({ status: 201, json: { status: 'active' } });
    const list = await as(key).get('/v1/webhooks');
    expect(list.json).toEqual([
      expect.objectContaining({ webhook_id: made.json.webhook_id, event: 'usage.updated', url: body.url }),
    ]);
    const path = `/v1/webhooks/${made.json.webhook_id}`;
    const patched = await as(key).patch(path, { auth_token: 'the second secret', url: 'https://example.com/2' });
    expect(patched.json).toMatchObject({ url: 'https://example.com/2', status: 'active' });
    for (const { text } of [made, list, patched]) expect(text).not.toMatch(/whsec|second secret/);
    const { rows } = await api.database.pool.query('SELECT * FROM webhooks WHERE webhook_id = $1', [
      made.json.webhook_id,
    ]);
    const [row] = rows;
    expect(row.auth_token_sealed.includes('second')).toBe(false);
    const box = secretBox('the secret of the tests');
    expect([box.open(row.auth_token_sealed), box.open(row.former_token_sealed)]).toEqual([
      'the second secret',
      body.auth_token,
    ]);
    expect(row.former_token_valid_until.getTime() - api.now.getTime()).toBe(24 * 3_600_000);
    expect(() => secretBox('another').open(row.auth_token_sealed)).toThrow();
  });

  test('call HTTPS only, without credentials in the address, and for one known event', async () => {
    const { key } = await api.user('homeowner');
    for (const url of [
      'http://example.com',
      'https://',
      'ftp://example.com',
      'https://user:pass@example.com',
      'x',
      `https://example.com/${'x'.repeat(3_000)}`,
    ]) {
      const { status, json } = await as(key).post('/v1/webhooks', {
        event: 'usage.updated',
        url,
        auth_token: 'a secret token',
      });
      expect({ url: url.slice(0, 40), status, fields: fields(json) }).toEqual({
        url: url.slice(0, 40),
        status: 422,
        fields: ['url'],
      });
    }
    const { json } = await as(key).post('/v1/webhooks', { event: 'usage', url: 'https://example.com', auth_token: '' });
    expect(fields(json)?.sort()).toEqual(['auth_token', 'event']);
  });
});

describe('keys', () => {
  test('create keys of no more scopes than they have, revoke and rotate them', async () => {
    const owner = await api.user('homeowner');
    const reader = await as(owner.key).post('/v1/keys', {
      name: 'reader',
      scopes: ['insights:read', 'keys:write'],
      expires_at: '2027-01-01T00:00:00Z',
    });
    expect(reader.json).toMatchObject({
      scopes: ['insights:read', 'keys:write'],
      expires_at: '2027-01-01T00:00:00.000Z',
    });
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
    // A key that may do less makes no successor of one that may do more.
    const mine = (await as(owner.key).get('/v1/keys')).json.find(
      ({ scopes }: { scopes: string[] }) => scopes.length > 2,
    );
    expect((await as(reader.json.key).post(`/v1/keys/${mine.key_id}/rotate`, {})).status).toBe(403);
  });
});

describe('devices', () => {
  test('end with their credentials; what they consumed stays', async () => {
    const { userId, key } = await api.user('homeowner');
    const { json } = await as(key).post('/v1/devices', { type: 'smart_meter', location: 'cellar' });
    const login = () => checkDeviceLogin(api.db, json.device_id, json.mqtt.password);
    expect(await login()).toBe(true);
    const path = `/v1/devices/${json.device_id}`;
    expect(
      (
        await as(key).patch(path, {
          location: 'attic',
          limit_kw: 20,
          decoder_config: { unit: 'Wh' },
          timezone: 'Europe/Paris',
        })
      ).json,
    ).toMatchObject({
      location: 'attic',
      limit_kw: 20,
      decoder_config: { unit: 'Wh' },
      timezone: 'Europe/Paris',
      user_id: userId,
    });
    const reading = (at: string, kwh: number) => ({
      topic: 't',
      payload: Buffer.alloc(0),
      receivedAtMs: api.now.getTime(),
      decoded: {
        deviceId: json.device_id,
        rejections: [],
        readings: [
          {
            deviceId: json.device_id,
            channel: 'import',
            kind: 'register' as const,
            readAtMs: Date.parse(at),
            intervalMs: 0,
            value: kwh * 1e6,
            element: 0,
          },
        ],
      },
    });
    const writer = createWriter(api.database.pool, { now: () => api.now.getTime() });
    await writer.write([reading('2026-06-14T10:00:00Z', 1), reading('2026-06-14T11:00:00Z', 3)]);
    expect((await as(key).get(`${path}/usage?start=2026-06-14&end=2026-06-14&group_by=hour`)).json.data).toEqual([
      { date: '2026-06-14', hour: '10:00', starts_at: '2026-06-14T10:00:00Z', kwh_used: 2, peak_hour: '10:00' },
    ]);
    expect((await as(key).delete(path)).status).toBe(200);
    expect(await login()).toBe(false);
    for (const gone of [path, `${path}/usage`]) expect((await as(key).get(gone)).status).toBe(404);
    expect((await as(key).get('/v1/devices')).json).toEqual([]);
    const insights = await as(key).get('/v1/energy-insights?start=2026-06-14&end=2026-06-14');
    expect(insights.json.data).toEqual([{ date: '2026-06-14', kwh_used: 2, peak_hour: '10:00' }]);
  });

  test('recompute their past with changed limits at their next message', async () => {
    const now = new Date(api.now.getTime() - 60_000);
    const at = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
    const [patched, other] = [await meter(api.database), await meter(api.database)];
    // Half an hour at 120 kW: implausible at 100 kW, a jump of a meter that stays.
    const history = [
      [at(300), 100],
      [at(240), 110],
      [at(210), 170],
      [at(180), 171],
      [at(150), 172],
      [at(120), 173],
    ] as const;
    await patched.read(history, now);
    await as(admin.key).patch(`/v1/devices/${other.deviceId}`, { limit_kw: 500 });
    await other.read(history, now);
    await other.read([[at(90), 174]], now);
    const change = await as(admin.key).patch(`/v1/devices/${patched.deviceId}`, { limit_kw: 500 });
    expect(change.json).toMatchObject({ limit_kw: 500, is_computed: false });
    // A late one first, which has to be worked into what the old limits made.
    await patched.read([[at(225), 140]], now);
    expect((await as(admin.key).get(`/v1/devices/${patched.deviceId}`)).json).toMatchObject({ is_computed: true });
    await patched.read([[at(90), 174]], now);
    await other.read([[at(225), 140]], now);
    const profile = async (deviceId: string) =>
      (
        await api.database.pool.query(
          'SELECT starts_at, energy_milliwatt_hours, reading_count, covered_ms FROM device_intervals WHERE device_id = $1 ORDER BY 1',
          [deviceId],
        )
      ).rows;
    expect(await profile(patched.deviceId)).toEqual(await profile(other.deviceId));
    expect(
      (await profile(patched.deviceId)).reduce((sum, { energy_milliwatt_hours }) => sum + energy_milliwatt_hours, 0),
    ).toBe(74_000_000);
  });

  test('that regulate warmth tell it by bucket: means by time, a state held for 15 minutes at most', async () => {
    const { key } = await api.user('homeowner');
    const { json } = await as(key).post('/v1/devices', { type: 'thermostat', location: 'hall' });
    const { device_id: deviceId } = json;
    const point = (kind: 'temperature' | 'setpoint' | 'heating', at: string, value: number) => ({
      deviceId,
      channel: 'import',
      kind,
      readAtMs: Date.parse(at),
      intervalMs: 0,
      value,
      element: 0,
    });
    await createWriter(api.database.pool, { now: () => api.now.getTime() }).write([
      {
        topic: 't',
        payload: Buffer.alloc(0),
        receivedAtMs: api.now.getTime(),
        decoded: {
          deviceId,
          rejections: [],
          readings: [
            // 20 °C for ten minutes, then 23 °C for fifteen (nothing follows), over the border of an hour.
            point('temperature', '2026-06-14T10:40:00Z', 20_000),
            point('temperature', '2026-06-14T10:50:00Z', 23_000),
            point('setpoint', '2026-06-14T10:40:00Z', 21_000),
            point('heating', '2026-06-14T10:40:00Z', 1),
            point('heating', '2026-06-14T10:52:00Z', 0),
            point('heating', '2026-06-14T10:57:00Z', 1),
          ],
        },
      },
    ]);
    const path = `/v1/devices/${deviceId}/usage?start=2026-06-14&end=2026-06-14`;
    expect((await as(key).get(`${path}&group_by=hour`)).json.data).toEqual([
      {
        date: '2026-06-14',
        hour: '10:00',
        starts_at: '2026-06-14T10:00:00Z',
        kwh_used: null,
        peak_hour: null,
        temperature_c: { mean: 21.5, min: 20, max: 23 },
        setpoint_c: 21,
        heating_minutes: 15,
      },
      {
        date: '2026-06-14',
        hour: '11:00',
        starts_at: '2026-06-14T11:00:00Z',
        kwh_used: null,
        peak_hour: null,
        temperature_c: { mean: 23, min: 23, max: 23 },
        setpoint_c: null,
        heating_minutes: 12,
      },
    ]);
    expect((await as(key).get(path)).json.data).toEqual([
      {
        date: '2026-06-14',
        kwh_used: null,
        peak_hour: null,
        temperature_c: { mean: 21.8, min: 20, max: 23 },
        setpoint_c: 21,
        heating_minutes: 27,
      },
    ]);
  });

  test('that were discovered are paired once, by their owner, with the credentials of their gateway', async () => {
    const [owner, other] = [await api.user('homeowner'), await api.user('homeowner')];
    const gateway = await as(owner.key).post('/v1/gateways', { name: 'home' });
    expect(gateway.json.mqtt).toMatchObject({
      username: gateway.json.gateway_id,
      topic_prefix: `gw/${gateway.json.gateway_id}/`,
    });
    await api.database.pool.query(
      `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id, channels) VALUES ('dsc_1', $1, 'tasmota', 'plug-1', '[{"channel":"import","kind":"energy_total_kwh","counts":"import"}]')`,
      [gateway.json.gateway_id],
    );
    expect((await as(owner.key).get('/v1/devices/discovered')).json).toEqual([
      expect.objectContaining({ discovery_id: 'dsc_1', family: 'tasmota', channels: ['import'] }),
    ]);
    const body = { type: 'smart_plug', location: 'desk', discovery_id: 'dsc_1' };
    expect((await as(other.key).post('/v1/devices', body)).status).toBe(404);
    const pairings = await Promise.all([1, 2, 3].map(() => as(owner.key).post('/v1/devices', body)));
    expect(pairings.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
    expect(pairings.find(({ status }) => status === 201)?.json.mqtt).toBeUndefined();
    expect((await as(owner.key).get('/v1/devices/discovered')).json).toEqual([]);
  });
});

describe('monthly analytics', () => {
  test('set each month beside the one before, the current one beside the same days', async () => {
    const home = await meter(api.database);
    const now = new Date('2026-06-15T12:00:00Z');
    // All of it is spread over days: no hour was measured, so there is no peak.
    // 10 kWh a day in April, 20 in May, 15 in June; one register reading at each midnight.
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
  test('are walked page by page along their Link, each item once', async () => {
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

test('an account has a hundred subscriptions at most', async () => {
  const { key } = await api.user('homeowner');
  const body = { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'a secret token' };
  const subscribe = async () => (await api.send('/v1/webhooks', { method: 'POST', key, body })).status;
  for (let index = 0; index < 100; index++) expect(await subscribe()).toBe(201);
  expect(await subscribe()).toBe(409);
});
