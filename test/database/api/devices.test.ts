import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { isDeviceLoginValid } from '#src/devices/credentials.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { createTestMeter } from '#test/support/meters.ts';
import { createRequestsWithKey } from '#test/support/requests-with-key.ts';

let api: TestApi;
let admin: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  admin = await api.user('admin');
});
afterAll(() => api.close());

const as = (key: string) => createRequestsWithKey(api, key);

describe('devices', () => {
  test('lose their credentials at deletion; their consumption stays', async () => {
    const { userId, key } = await api.user('homeowner');
    const { json } = await as(key).post('/v1/devices', { type: 'smart_meter', location: 'cellar' });
    const login = () => isDeviceLoginValid(api.db, json.device_id, json.mqtt.password);
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
    const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
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
    const [patched, other] = [await createTestMeter(api.database), await createTestMeter(api.database)];
    // 120 kW for half an hour exceeds the limit of 100 kW, so the counting rule treats the jump as a replaced meter.
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
    // The first reading after the change of the limit arrives late. Its energy is combined with results that were computed with the old
    // limit.
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

  test('that control heating report temperatures by bucket: means over time, a state valid for 15 minutes at most', async () => {
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
    await createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() }).write([
      {
        topic: 't',
        payload: Buffer.alloc(0),
        receivedAtMs: api.now.getTime(),
        decoded: {
          deviceId,
          rejections: [],
          readings: [
            // 20 °C for ten minutes, then 23 °C for fifteen minutes, across the end of an hour.
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
    expect((await as(key).get(`${path}&group_by=quarter_hour`)).json.data).toEqual([]);
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

  test('that were discovered are paired once, by their owner, with their gateway’s credentials', async () => {
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

  test('that were only announced are listed with the topics to bridge, and cannot be paired before a value arrives', async () => {
    const owner = await api.user('homeowner');
    const gateway = await as(owner.key).post('/v1/gateways', { name: 'home' });
    await api.database.pool.query(
      `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id, awaits) VALUES
         ('dsc_2', $1, 'homeassistant', 'ss', 'SS/#'), ('dsc_3', $1, 'homeassistant', '0x3', '')`,
      [gateway.json.gateway_id],
    );
    // The response omits the gateway's other discovered device: if `awaits` is empty, another device family lists the same device.
    expect((await as(owner.key).get('/v1/devices/discovered')).json).toEqual([
      expect.objectContaining({ discovery_id: 'dsc_2', awaits: 'SS/#', channels: [], quantities: [] }),
    ]);
    const pair = (discovery_id: string) =>
      as(owner.key).post('/v1/devices', { type: 'smart_meter', location: 'cellar', discovery_id });
    expect(await pair('dsc_2')).toMatchObject({
      status: 409,
      json: {
        error: 'The device was announced, but none of its values has been received yet',
        details: [{ field: 'discovery_id', message: 'none of its values has been received yet: bridge SS/# first' }],
      },
    });
    expect((await pair('dsc_3')).status).toBe(404);
  });
});
