import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

test('a device cannot get a mapping that reads another device, which would silence it', async () => {
  const { userId, key } = await api.user('homeowner');
  const send = (method: string, path: string, body: object) => api.send(path, { method, key, body });
  const entry = { topic: 'home/+/energy', unit: 'kWh', meaning: 'import' };
  const { gateway_id: gatewayId } = (await send('POST', '/v1/gateways', { name: 'home' })).json;
  await send('PATCH', `/v1/gateways/${gatewayId}`, { decoder_config: { mapping: [entry] } });
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const receive = (value: string, minute: number) => {
    const message = createIncomingMessage({
      topic: `gw/${gatewayId}/home/b1/energy`,
      payload: Buffer.from(value),
      receivedAtMs: api.now.getTime() + (minute - 60) * 60_000,
      replayed: false,
    });
    return writer.write(message ? [message] : []);
  };
  await receive('12', 1);
  const [{ discovery_id }] = (await api.send(`/v1/devices/discovered?user_id=${userId}`, { key })).json;
  const { device_id: deviceId } = (
    await send('POST', '/v1/devices', { type: 'smart_meter', location: 'cellar', discovery_id })
  ).json;
  const change = (...mapping: readonly object[]) =>
    send('PATCH', `/v1/devices/${deviceId}`, { decoder_config: { mapping } });
  expect(await change({ ...entry, topic: 'home/b1/energy', unit: 'Wh' })).toMatchObject({
    status: 422,
    json: {
      details: [{ field: 'decoder_config.mapping.0.device', message: expect.stringContaining('"device": "b1"') }],
    },
  });
  expect(await receive('13', 2)).toMatchObject({ stored: 1 });
  expect((await change({ ...entry, topic: 'home/b1/energy', device: 'b1', unit: 'Wh' })).status).toBe(200);
  expect(await receive('13500', 3)).toMatchObject({ stored: 1 });
});
