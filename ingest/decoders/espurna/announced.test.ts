import { expect, test } from 'vitest';
import { createGatewayDecoders } from '#ingest/decoders/gateway-decoders.ts';

test('reads an ESPurna quantity by its announced unit and asks no question about it', () => {
  const receivedAtMs = Date.UTC(2026, 6, 5, 19);
  const message = (topic: string, payload: string) => ({ topic, payload: Buffer.from(payload), receivedAtMs });
  const decoders = createGatewayDecoders();
  decoders.recall(message('home/plug/app', 'ESPURNA'));
  expect(decoders.read(message('home/plug/energy', '1.234'), {})?.family).toBe('espurna');
  const config = {
    name: 'plug energy',
    stat_t: 'home/plug/energy',
    unit_of_meas: 'kWh',
    dev_cla: 'energy',
    stat_cla: 'total_increasing',
    uniq_id: 'plug_energy',
    dev: { ids: ['plug'], name: 'plug' },
  };
  decoders.recall(message('homeassistant/sensor/plug/energy/config', JSON.stringify(config)));
  const decoded = decoders.read(message('home/plug/energy', '1.234'), {});
  expect([decoded?.family, decoded?.said.map(({ channel, value, asks }) => [channel, value, asks])]).toEqual([
    'homeassistant',
    [['import', 1.234, undefined]],
  ]);
});
