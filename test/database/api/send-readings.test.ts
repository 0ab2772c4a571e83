import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replayRejectedMessages } from '#ingest/replay-rejected.ts';
import { createDevice } from '#src/devices/store.ts';
import { startTestApi, type TestApi, type TestApiResponse } from '#test/support/api.ts';

let api: TestApi;
let admin: { userId: string; key: string };
let utility: { userId: string; key: string };
let home: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  const scopes = ['readings:write', 'devices:read', 'devices:write', 'keys:write'] as const;
  admin = await api.user('admin', { scopes: [...scopes] });
  utility = await api.user('utility', { scopes: [...scopes] });
  home = await api.user('homeowner', { enrolledBy: utility.userId, scopes: [...scopes] });
});
afterAll(() => api.close());

const rows = async (text: string, values: unknown[] = []) => (await api.database.pool.query(text, values)).rows;
const newDevice = async (managedBy: 'owner' | 'utility' = 'owner') =>
  (await createDevice(api.db, { userId: home.userId, type: 'smart_meter', location: 'x', managedBy })).device.device_id;
const path = (deviceId: string) => `/v1/devices/${deviceId}/readings`;
const send = (
  deviceId: string,
  body: unknown,
  key = home.key,
  headers: Record<string, string> = {},
): Promise<TestApiResponse> => api.send(path(deviceId), { method: 'POST', key, body, headers });
const at = (seconds: number) => new Date(Date.UTC(2026, 5, 15, 10) + seconds * 1_000).toISOString();
const rejectedOf = (deviceId: string) =>
  rows('SELECT topic, element, reason FROM rejected_messages WHERE device_id = $1 ORDER BY rejected_id', [deviceId]);

describe('POST /v1/devices/{device_id}/readings', () => {
  test('answers 201 once the readings are committed, with their number per quantity', async () => {
    const deviceId = await newDevice();
    const body = [
      { ts: at(0), energy_total_kwh: 10, power_w: 200 },
      { ts: at(60), energy_total_kwh: 10.01, colour: 'red' },
    ];
    const first = await send(deviceId, body);
    expect([first.status, first.json]).toEqual([201, { stored: 3, duplicates: 0, rejected: [] }]);
    const stored = await rows(
      'SELECT count(*)::int AS n FROM readings JOIN series USING (series_id) WHERE device_id = $1',
      [deviceId],
    );
    expect(stored[0].n).toBe(3);
    const again = await send(deviceId, [...body, { ts: at(120), energy_total_kwh: 10.02 }]);
    expect([again.status, again.json]).toEqual([201, { stored: 1, duplicates: 3, rejected: [] }]);
    const all = await send(deviceId, body[0]);
    expect([all.status, all.json]).toEqual([201, { stored: 0, duplicates: 2, rejected: [] }]);
    const [device] = await rows('SELECT is_faulty FROM devices WHERE device_id = $1', [deviceId]);
    expect(device.is_faulty).toBe(false);
  });

  test('rejects elements individually, and lists them as rejected messages', async () => {
    const deviceId = await newDevice();
    const future = new Date(api.now.getTime() + 3_600_000).toISOString();
    const body = [
      { energy_total_kwh: 1 },
      { ts: at(0), energy_total_kwh: 1 },
      { ts: at(1), power_w: '5' },
      null,
      { ts: future, energy_total_kwh: 2, power_w: 1 },
      { ts: '2020-01-01T00:00:00Z', energy_total_kwh: 2 },
      { ts: at(0), energy_total_kwh: 1.5 },
    ];
    const { status, json } = await send(deviceId, body);
    expect([status, json.stored, json.duplicates]).toEqual([201, 1, 0]);
    expect(json.rejected.map(({ index }: { index: number }) => index)).toEqual([0, 2, 3, 4, 5, 6]);
    const byIndex = new Map<number, string>(
      json.rejected.map(({ index, reason }: { index: number; reason: string }) => [index, reason]),
    );
    expect(byIndex.get(0)).toMatch(/needs ts/);
    expect(byIndex.get(4)).toMatch(/future/);
    expect(byIndex.get(5)).toMatch(/retention/);
    expect(byIndex.get(6)).toMatch(/another value for the same time/);
    const rejections = await rejectedOf(deviceId);
    expect(rejections.map(({ element }) => element).sort()).toEqual([0, 2, 3, 4, 4, 5, 6]);
    expect(new Set(rejections.map(({ topic }) => topic))).toEqual(new Set([`POST ${path(deviceId)}`]));

    // A lower value for the same time replaces the stored value and is not rejected.
    const lower = await send(deviceId, [{ ts: at(0), energy_total_kwh: 0.5 }]);
    expect([lower.status, lower.json]).toEqual([201, { stored: 1, duplicates: 0, rejected: [] }]);
    const higher = await send(deviceId, [
      { ts: at(0), energy_total_kwh: 3 },
      { ts: at(9), energy_total_kwh: 3 },
    ]);
    expect([higher.status, higher.json.stored, higher.json.rejected.length]).toEqual([201, 1, 1]);

    // In a replay, messages without a time are rejected once more.
    const before = (await rejectedOf(deviceId)).length;
    const replayed = await replayRejectedMessages(api.database.pool, { deviceId }, { retentionMonths: 13 });
    expect(replayed).toMatchObject({ isComplete: true });
    expect((await rejectedOf(deviceId)).filter(({ reason }) => /needs ts/.test(reason)).length).toBe(1);
    expect(before).toBeGreaterThan(0);
  });

  test('is 422 with the reasons if no element is usable, and 400 if the body is no JSON, empty or too long', async () => {
    const deviceId = await newDevice();
    for (const [body, fields] of [
      [{ energy_total_kwh: 1 }, ['0']],
      [
        [{}, { ts: at(0) }],
        ['0', '1'],
      ],
      [[], ['body']],
      [7, ['0']],
      [Array(10_001).fill({ ts: at(0), power_w: 1 }), ['body']],
    ] as const) {
      const { status, json } = await send(deviceId, body);
      expect([status, json.details.map(({ field }: { field: string }) => field)]).toEqual([422, fields]);
    }
    expect((await rejectedOf(deviceId)).length).toBe(6);
    const raw = (text: string) => api.send(path(deviceId), { method: 'POST', key: home.key, raw: text });
    expect((await raw('{')).status).toBe(400);
    expect((await api.send(path(deviceId), { method: 'POST', key: home.key })).status).toBe(400);
    const long = await raw(`[${' '.repeat(4 * 2 ** 20)}]`);
    expect([long.status, long.json.code]).toEqual([400, 'readings_too_long']);
    const most = Array.from({ length: 10_000 }, (_, index) => ({ ts: at(-index), power_w: index }));
    const { status, json } = await send(deviceId, most.reverse());
    expect([status, json.stored]).toEqual([201, 10_000]);
  });

  test('accepts SenML packs', async () => {
    const deviceId = await newDevice();
    const bt = Date.parse(at(0)) / 1_000;
    const pack = [
      { bn: 'urn:dev:mac:0024befffe804ff1:', bt, n: 'energy', u: 'kWh', v: 12.5 },
      { n: 'power', u: 'W', v: 300 },
      { bt: 0, n: 'power', u: 'W', v: 310, t: -10 },
    ];
    const { status, json } = await send(deviceId, pack, home.key, { 'content-type': 'application/senml+json' });
    expect([status, json]).toEqual([
      201,
      { stored: 2, duplicates: 0, rejected: [{ index: 2, reason: expect.stringContaining('absolute time') }] },
    ]);
    // If the same readings are sent in the service's native format, they are recognised as duplicates.
    const native = await send(deviceId, { ts: bt, energy_total_kwh: 12.5, power_w: 300 });
    expect(native.json).toEqual({ stored: 0, duplicates: 2, rejected: [] });
    const other = await send(deviceId, pack, home.key, { 'content-type': 'text/plain' });
    expect(other.status).toBe(400);
  });

  test('accepts native devices in the caller’s reach, and a utility’s device only from the utility', async () => {
    const reading = { ts: at(0), power_w: 1 };
    const [own, theirs] = [await newDevice(), await newDevice('utility')];
    const stranger = await api.user('homeowner', { scopes: ['readings:write'] });
    const otherUtility = await api.user('utility', { scopes: ['readings:write'] });
    const statuses = async (deviceId: string) => {
      const all = [home, utility, admin, stranger, otherUtility];
      return Promise.all(all.map(async ({ key }) => (await send(deviceId, reading, key)).status));
    };
    expect(await statuses(own)).toEqual([201, 201, 201, 404, 404]);
    expect(await statuses(theirs)).toEqual([403, 201, 201, 404, 404]);
    expect(await statuses('dev_none')).toEqual([404, 404, 404, 404, 404]);
    const lacking = await api.user('admin');
    expect((await send(own, reading, lacking.key)).status).toBe(403);

    const gateway = (await api.send('/v1/gateways', { method: 'POST', key: home.key, body: { name: 'x' } })).json;
    await rows(
      `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id, channels, first_seen_at, last_seen_at, device_id)
       VALUES ('dsc_1', $1, 'tasmota', 'x', '[]', now(), now(), $2)`,
      [gateway.gateway_id, own],
    );
    const behind = await send(own, reading);
    expect([behind.status, behind.json.code]).toEqual([409, 'not_native']);
    await api.send(`/v1/devices/${theirs}`, { method: 'DELETE', key: utility.key });
    expect((await send(theirs, reading, utility.key)).status).toBe(404);
  });

  test('stores the readings of concurrent requests for one device once each', async () => {
    const deviceId = await newDevice();
    const bodies = Array.from({ length: 60 }, (_, index) => [
      { ts: at(10 * index), energy_total_kwh: 100 + index / 100 },
      { ts: at(10 * (index + 1)), energy_total_kwh: 100 + (index + 1) / 100 },
    ]);
    /** Sends readings until they are stored, because a busy service may answer 503. */
    const sendUntilStored = async (body: object): Promise<TestApiResponse> => {
      const answer = await send(deviceId, body);
      return answer.status === 503 ? sendUntilStored(body) : answer;
    };
    const answers = await Promise.all(bodies.map(sendUntilStored));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const sum = (name: 'stored' | 'duplicates') => answers.reduce((all, { json }) => all + json[name], 0);
    expect(sum('stored') + sum('duplicates')).toBe(120);
    const ofDevice = 'SELECT FROM readings JOIN series USING (series_id) WHERE device_id = $1';
    expect(await rows(ofDevice, [deviceId])).toHaveLength(61);
  });

  test('is 503 if the database refuses, and a repeated request stores the readings', async () => {
    const deviceId = await newDevice();
    const body = { ts: at(0), energy_total_kwh: 1 };
    await rows(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$`);
    await rows('CREATE TRIGGER refuse BEFORE UPDATE ON device_heads FOR EACH ROW EXECUTE FUNCTION refuse()');
    const refused = await send(deviceId, body);
    await rows('DROP TRIGGER refuse ON device_heads');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect((await send(deviceId, body)).json).toEqual({ stored: 1, duplicates: 0, rejected: [] });
  });

  test('has its formats described in the document', async () => {
    const { json } = await api.send('/v1/openapi.json');
    const { content } = json.paths['/v1/devices/{device_id}/readings'].post.requestBody;
    expect(Object.keys(content)).toEqual(['application/json', 'application/senml+json']);
    expect(await readFile('docs/readings-over-https.md', 'utf8')).toContain('application/senml+json');
  });
});
