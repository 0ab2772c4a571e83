import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GatewayHome, startGatewayHome } from '#test/support/gateway-home.ts';

let service: GatewayHome;
beforeAll(async () => {
  service = await startGatewayHome();
});
afterAll(() => service.close());

test('counts the total if a device announces a total and two tariffs; an announced register without a value does not affect the choice', async () => {
  const { send, url, mqtt: login } = service;
  const client = await mqtt.connectAsync(url, { username: login.username, password: login.password });
  const publish = (topic: string, payload: object, retain = false) =>
    client.publishAsync(`${login.topic_prefix}${topic}`, JSON.stringify(payload), { qos: 1, retain });
  const announce = (name: string, id: string) =>
    publish(`homeassistant/sensor/m1/${id}/config`, {
      name,
      device_class: 'energy',
      state_class: 'total_increasing',
      unit_of_measurement: 'kWh',
      state_topic: id === 'grid' ? 'm1/never' : 'm1/state',
      value_template: `{{ value_json.${id} }}`,
      device: { identifiers: ['m1'], name: 'Meter' },
    });
  const names = { total: 'Gesamtverbrauch', ht: 'HT', nt: 'NT', grid: 'Grid import' };
  for (const [id, name] of Object.entries(names)) await announce(name, id);
  const state = (minutes: number, total: number, ht: number, nt: number) =>
    publish('m1/state', { total, ht, nt, time: new Date(Date.now() - minutes * 60_000).toISOString() });
  await state(30, 100, 60, 40);
  const [found] = await service.discovered(1);
  const device = await send('/v1/devices', {
    type: 'smart_meter',
    location: 'cellar',
    discovery_id: found?.discovery_id,
  });
  await state(20, 100, 60, 40);
  await state(10, 103, 61, 42);
  await client.endAsync();
  const dates = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
  const used = async () => {
    const { data } = await send(`/v1/devices/${device.device_id}/usage?start=${dates[0]}&end=${dates[1]}`);
    return data.reduce((sum: number, row: { kwh_used: number | null }) => sum + (row.kwh_used ?? 0), 0);
  };
  await expect.poll(used, { interval: 250 }).toBeCloseTo(3, 6);
});

test('a device is listed with the topic that its bridge lacks, and can be paired once that topic is bridged', async () => {
  const { send } = service;
  const announcement = {
    name: 'Total',
    device_class: 'energy',
    state_class: 'total_increasing',
    unit_of_measurement: 'kWh',
    state_topic: 'SS/total',
    device: { identifiers: ['ss'], name: 'Meter' },
  };
  const publishThrough = async (url: string) => {
    const client = await mqtt.connectAsync(url);
    const config = JSON.stringify(announcement);
    await client.publishAsync('homeassistant/sensor/ss/total/config', config, { qos: 1, retain: true });
    await client.publishAsync('SS/total', '100', { qos: 1, retain: true });
    await client.endAsync();
  };
  const listed = async () => {
    const all: { native_id: string; awaits: string | null; channels: string[] }[] =
      await send('/v1/devices/discovered');
    return all.map(({ native_id, awaits, channels }) => ({ native_id, awaits, channels }));
  };
  await publishThrough(await service.bridge(['homeassistant/#']));
  await expect.poll(listed, { interval: 250 }).toEqual([{ native_id: 'ss', awaits: 'SS/total', channels: [] }]);
  await publishThrough(await service.bridge(['homeassistant/#', 'SS/#']));
  await expect.poll(listed, { interval: 250 }).toEqual([{ native_id: 'ss', awaits: null, channels: ['import'] }]);
  const [found] = await service.discovered(1);
  await send('/v1/devices', { type: 'smart_meter', location: 'cellar', discovery_id: found?.discovery_id });
  expect(await listed()).toEqual([]);
});
