import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GatewayHome, startGatewayHome } from '#test/support/gateway-home.ts';

let service: GatewayHome;
beforeAll(async () => {
  service = await startGatewayHome();
});
afterAll(() => service.close());

const HOUR_MS = 3_600_000;
/** Five full hours that have passed, with a reading at each of their bounds. */
const FROM_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
const dates = [-1, 1].map((days) => new Date(Date.now() + days * 24 * HOUR_MS).toISOString().slice(0, 10));

test('JSON of an unknown topic is discovered by the names of its members, paired, and counts exactly', async () => {
  const { send, api } = service;
  const client = await mqtt.connectAsync(await service.bridge(['cellar/#', 'givenergy/#']));
  const publish = (topic: string, payload: object | string) =>
    client.publishAsync(topic, typeof payload === 'string' ? payload : JSON.stringify(payload), { qos: 1 });
  /** A meter's body after some hours: registers that rise, and registers of a day that begin again at the third hour. */
  const meter = (hour: number) => ({
    wifi_strength: 80,
    InvSerial: 12_345_678,
    timestamp: new Date(FROM_MS + hour * HOUR_MS).toISOString(),
    total_power_import_kwh: 13_779.338 + 1.25 * hour,
    total_power_import_t1_kwh: 10_830.511 + hour,
    total_power_import_t2_kwh: 2_948.827 + 0.25 * hour,
    total_power_export_kwh: 12.5 + 0.125 * hour,
    daily_import_kwh: hour < 3 ? 8 + hour : hour - 3,
    active_power_w: 1_125,
    battery: 80,
  });
  await publish('cellar/p1', meter(0));
  await publish('cellar/inverter', { ts: FROM_MS / 1_000, energy_total_kwh: 100, battery_soc_pct: 50, temp_cpu_c: 60 });
  await publish('givenergy/SA1/Total/Import_Energy_Total_kWh', '500.5');
  const found = await service.discovered(3);
  expect(found.map(({ family, native_id }) => `${family} ${native_id}`).sort()).toEqual([
    'names cellar/inverter',
    'names cellar/p1',
    'names givenergy/SA1/Total',
  ]);
  const listed: { native_id: string; channels: string[] }[] = await send('/v1/devices/discovered');
  expect(listed.find(({ native_id }) => native_id === 'cellar/p1')?.channels.toSorted()).toEqual([
    'export',
    'import',
    'import/t1',
    'import/t2',
  ]);
  const pair = async (name: string, type: string) => {
    const { discovery_id } = found.find(({ native_id }) => native_id === name) ?? {};
    await send('/v1/devices', { type, location: 'cellar', discovery_id });
  };
  await pair('cellar/p1', 'smart_meter');
  await pair('cellar/inverter', 'inverter');
  for (let hour = 0; hour <= 5; hour++) {
    await publish('cellar/p1', meter(hour));
    await publish('cellar/p1', '{"total_power_import_kwh": null, "total_power_export_kwh": "unavailable"}');
    await publish('cellar/inverter', { ts: (FROM_MS + hour * HOUR_MS) / 1_000, energy_total_kwh: 100 + 0.5 * hour });
  }
  await client.endAsync();
  const insights = async () => {
    const path = `/v1/energy-insights?start=${dates[0]}&end=${dates[1]}&include=grid_import,grid_export,production`;
    const { data } = await send(path);
    const sum = (name: string) => data.reduce((all: number, row: Record<string, number>) => all + (row[name] ?? 0), 0);
    return ['grid_import_kwh', 'grid_export_kwh', 'production_kwh'].map((name) => Number(sum(name).toFixed(6)));
  };
  await expect.poll(insights, { interval: 250, timeout: 20_000 }).toEqual([6.25, 0.625, 2.5]);
  const { rows } = await api.database.pool.query('SELECT reason FROM rejected_messages');
  expect(rows).toEqual([]);
}, 90_000);
