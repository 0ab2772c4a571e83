import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

test('an unknown channel of a device is shown to its owner, who can set its meaning', async () => {
  const { key } = await api.user('homeowner');
  const send = (method: string, path: string, body?: unknown) =>
    api.send(path, { key, method, ...(body ? { body } : {}) });
  const { json: gateway } = await send('POST', '/v1/gateways', { name: 'home' });
  const writer = createReadingBatchWriter(api.database.pool);
  const receive = async (value: number) => {
    const message = createIncomingMessage({
      topic: `gw/${gateway.gateway_id}/tele/reader/SENSOR`,
      payload: Buffer.from(JSON.stringify({ SML: { Wert_A: value } })),
      receivedAtMs: Date.now(),
      replayed: false,
    });
    if (message) await writer.write([message]);
  };
  await receive(10);
  const [found] = (await send('GET', '/v1/devices/discovered')).json;
  expect(found).toMatchObject({ native_id: 'reader', quantities: [{ channel: 'sml/unknown/wert_a', counts: null }] });
  const paired = await send('POST', '/v1/devices', {
    type: 'smart_meter',
    location: 'hall',
    discovery_id: found.discovery_id,
  });
  expect(paired.status).toBe(201);
  const path = `/v1/devices/${paired.json.device_id}`;
  await receive(11.5);

  const [listed] = (await send('GET', '/v1/devices')).json;
  expect(listed.attention).toContain('unknown_quantity');
  expect((await send('GET', path)).json.channels).toEqual([
    {
      native_name: 'SML.Wert_A',
      unit: null,
      last_value: 11.5,
      last_at: expect.any(String),
      counts_as: null,
      asked: true,
      counted: false,
      placement: null,
    },
  ]);

  const setMeaning = (counts_as: unknown) =>
    send('PATCH', path, { channels: [{ native_name: 'SML.Wert_A', counts_as }] });
  for (const wrong of ['', 'imports', 'import/x1', 'import/t0', 7]) expect((await setMeaning(wrong)).status).toBe(422);
  expect((await send('PATCH', path, { channels: [{ native_name: 'SML.Wert_A', count: 'import' }] })).status).toBe(422);
  const changed = await setMeaning('import');
  expect(changed.status).toBe(200);
  expect(changed.json).toMatchObject({
    attention: [],
    channels: [{ unit: 'kWh', last_value: 11.5, counts_as: 'import' }],
  });
  // The owner's setting of the channel also applies to later readings, and to earlier readings when they are recomputed.
  await receive(12);
  expect((await send('GET', path)).json.channels).toMatchObject([{ counts_as: 'import', counted: true }]);
  expect((await setMeaning(null)).json.attention).toEqual(['unknown_quantity']);

  const { key: other } = await api.user('homeowner');
  const foreign = { channels: [{ native_name: 'SML.Wert_A', counts_as: 'import' }] };
  expect((await api.send(path, { key: other, method: 'PATCH', body: foreign })).status).toBe(404);
});
