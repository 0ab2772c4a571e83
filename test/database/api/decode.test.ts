import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { messageInterpretationSchema } from '#src/api/v1/gateways/shape.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { listDiscoveredDevices } from '#src/devices/gateways.ts';
import { pairDiscoveredDevice } from '#src/devices/store.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let home: { userId: string; key: string };
let gateway: string;
beforeAll(async () => {
  api = await startTestApi();
  home = await api.user('homeowner');
  gateway = (await api.send('/v1/gateways', { method: 'POST', key: home.key, body: { name: 'home' } })).json.gateway_id;
});
afterAll(() => api.close());

const decode = (body: unknown, key = home.key) =>
  api.send(`/v1/gateways/${gateway}/decode`, { method: 'POST', key, body });
const configure = (decoder_config: unknown) =>
  api.send(`/v1/gateways/${gateway}`, { method: 'PATCH', key: home.key, body: { decoder_config } });
const publish = (topic: string, payload: string) => {
  const message = createIncomingMessage({
    topic: `gw/${gateway}/${topic}`,
    payload: Buffer.from(payload),
    receivedAtMs: Date.now(),
    replayed: false,
  });
  if (!message) throw new Error('not of a gateway');
  return createReadingBatchWriter(api.database.pool).write([message]);
};

const boiler = { topic: 'boiler/7/state', payload: '{"total": 12345}' };
const mapping = [{ topic: 'boiler/+/state', path: '$.total', unit: 'Wh', meaning: 'import' }];

test('a mapping for an unrecognised message can be tried and stored, and then its device is paired and counted', async () => {
  const before = await decode(boiler);
  expect(messageInterpretationSchema.parse(before.json)).toMatchObject({
    outcome: 'nobody',
    members: [{ path: '$.total', value: 12345 }],
  });
  const readings = [{ device: '7', channel: 'import', kind: 'energy_total_kwh', value: 12.345, ts: null }];
  const tried = await decode({ ...boiler, decoder_config: { mapping } });
  expect(tried.json).toMatchObject({ outcome: 'read', family: 'mapping', readings });
  // A trial stores nothing.
  expect((await decode(boiler)).json.outcome).toBe('nobody');
  expect((await configure({ mapping })).status).toBe(200);
  expect((await decode({ ...boiler, topic: `gw/${gateway}/${boiler.topic}` })).json).toMatchObject({ readings });
  await publish(boiler.topic, boiler.payload);
  const [found] = await listDiscoveredDevices(api.db, ALL_ACCOUNTS, home.userId, { limit: 10 });
  expect(found).toMatchObject({ family: 'mapping', native_id: '7', channels: ['import'] });
  await pairDiscoveredDevice(api.db, ALL_ACCOUNTS, found?.discovery_id ?? '', {
    userId: home.userId,
    type: 'heat_pump',
    location: 'cellar',
  });
  await publish(boiler.topic, '{"total": 13345}');
  const { rows } = await api.database.pool.query('SELECT value::bigint FROM readings');
  expect(rows.map(({ value }) => Number(value))).toEqual([13_345_000]);
});

test('decoding uses the announcements that the gateway has received', async () => {
  const message = { topic: 'meter/sensor/energy/state', payload: '12.5' };
  expect((await decode(message)).json).toMatchObject({ outcome: 'asked', family: 'names' });
  const config = {
    stat_t: message.topic,
    unit_of_meas: 'kWh',
    dev_cla: 'energy',
    stat_cla: 'total_increasing',
    uniq_id: 'e',
    dev: { ids: ['meter'] },
  };
  await publish('homeassistant/sensor/meter/energy/config', JSON.stringify(config));
  expect((await decode(message)).json).toMatchObject({ outcome: 'read', family: 'homeassistant' });
  expect((await decode({ ...message, retained: true })).json).toMatchObject({ outcome: 'nothing', left_out: 1 });
});

test('a native topic below a gateway belongs to no family', async () => {
  const message = { topic: 'energy/v1/dev_1/readings', payload: '{"energy_total_kwh": 5}' };
  expect((await decode(message)).json).toMatchObject({ outcome: 'nobody', members: [{ path: '$.energy_total_kwh' }] });
});

test('errors in mappings and messages are reported at their position', async () => {
  const wrong = await configure({ mapping: [...mapping, { ...mapping[0], path: '$..total', unit: 'C' }] });
  expect([wrong.status, wrong.json.details]).toEqual([
    422,
    expect.arrayContaining([
      expect.objectContaining({
        field: 'decoder_config.mapping.1.path',
        message: 'must be a JSONPath to one value, such as $.energy.total or $.values[0]',
      }),
    ]),
  ]);
  for (const body of [
    { topic: 'x' },
    { topic: 'x', payload: '1', payload_b64: 'MQ==' },
    { topic: '', payload: '1' },
    { topic: 'x', payload: 7 },
    { topic: 'x', payload: ' '.repeat(131_073) },
    { topic: 'x', payload_b64: Buffer.alloc(131_075).toString('base64') },
    { ...boiler, decoder_config: { mapping: [{ ...mapping[0], meaning: 'water' }] } },
  ])
    expect([body, (await decode(body)).status]).toEqual([body, 422]);
  expect((await decode(boiler, (await api.user('homeowner')).key)).status).toBe(404);
});
