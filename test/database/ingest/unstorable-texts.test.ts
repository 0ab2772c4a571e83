import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Names of registers that PostgreSQL's type jsonb does not accept, because they contain half of a surrogate pair, or NUL. */
test.each([String.raw`\ud800`, String.raw`\udfff`, String.raw`\u0000`])(
  'a name with %s in a message does not lose the other quantities of the message, nor other messages',
  async (half) => {
    const { key } = await api.user('homeowner');
    const { json } = await api.send('/v1/gateways', { key, method: 'POST', body: { name: 'home' } });
    const messages = [
      ['tele/meter/SENSOR', `{"Time":"2026-11-01T00:00:00Z","S${half}M":{"Total_in":7},"MT175":{"Total_in":5}}`],
      ['homewizard/kwh', `{"total_power_import_t1_kwh":3,"total_power_i${half}mport_t2_kwh":4}`],
      ['tele/plug/SENSOR', '{"ENERGY":{"Total":1}}'],
    ] as const;
    const receivedAtMs = Date.now();
    const batch = messages.flatMap(
      ([topic, payload]) =>
        createIncomingMessage({
          topic: `gw/${json.gateway_id}/${topic}`,
          payload: Buffer.from(payload),
          receivedAtMs,
          replayed: false,
        }) ?? [],
    );
    await createReadingBatchWriter(api.database.pool).write(batch);
    const { json: discovered } = await api.send('/v1/devices/discovered', { key });
    expect(discovered.map(({ native_id }: { native_id: string }) => native_id).toSorted()).toEqual(
      expect.arrayContaining(['meter', 'plug']),
    );
    const meter = discovered.find(({ native_id }: { native_id: string }) => native_id === 'meter');
    expect(meter.channels).toHaveLength(2);
  },
);
