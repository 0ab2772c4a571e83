import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, expect, test } from 'vitest';
import { checkOut, earlierRelease } from '#test/support/earlier-release.ts';
import { temporaryFolder } from '#test/support/service.ts';
import { type HttpResponse, sendRequest } from '../../../bench/attack/client.ts';
import { freePorts, type Service, startService } from '../../../bench/service.ts';

const KEY = `eus_live_${'k'.repeat(32)}`;
const folder = await temporaryFolder();
let running: Service | undefined;
afterAll(async () => {
  await running?.stop();
  await folder.remove();
});

test('the data of the previous release are there after an update, and continue', async () => {
  const earlier = join(folder.path, 'earlier');
  await checkOut(earlierRelease(), earlier);
  const ports = await freePorts();
  const env = { ...ports, DATA_DIR: join(folder.path, 'data'), BOOTSTRAP_ADMIN_KEY: KEY, PATH: process.env.PATH ?? '' };
  const log = join(folder.path, 'log');
  const ask = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    sendRequest({ host: '127.0.0.1', port: Number(ports.API_PORT) }, method, path, {
      key: KEY,
      ...(body === undefined ? {} : { body }),
    });
  const start = async (checkout?: string) => {
    const options = checkout === undefined ? { log } : { log, checkout };
    running = await startService(env, options).catch(async (error) => {
      throw new Error(`${error.message}\n${await readFile(log, 'utf8')}`);
    });
  };

  await start(earlier);
  const { json: user } = await ask('POST', '/v1/users', { email: 'home@example.com', role: 'homeowner' });
  const { json: device } = await ask('POST', '/v1/devices', {
    user_id: user.user_id,
    type: 'smart_meter',
    location: 'cellar',
  });
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const tell = async (readings: [number, number][]) => {
    const { username, password, topic } = device.mqtt;
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${ports.MQTT_PORT}`, { username, password });
    const told = readings.map(([ago, kwh]) => ({ ts: hour - ago * 3_600_000, energy_total_kwh: kwh }));
    await client.publishAsync(topic, JSON.stringify(told), { qos: 1 });
    await client.endAsync();
  };
  const hours = async () => {
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const range = `start=${day(hour - 86_400_000)}&end=${day(hour)}&group_by=hour`;
    const { json } = await ask('GET', `/v1/energy-insights?user_id=${user.user_id}&${range}`);
    return json.data.map((row: { starts_at: string; kwh_used: number }) => [row.starts_at, row.kwh_used]);
  };
  const at = (ago: number) => new Date(hour - ago * 3_600_000).toISOString().replace('.000Z', '+00:00');
  await tell([
    [5, 100],
    [4, 101],
    [3, 103],
  ]);
  const before = await hours();
  expect(before.map(([, kwh]: [string, number]) => kwh)).toEqual([1, 2]);
  await running?.stop();

  await start();
  expect(await hours()).toEqual(before);
  await tell([[2, 107]]);
  expect(await hours()).toEqual([...before, [expect.anything(), 4]]);
  expect(before[0][0].slice(0, 16)).toBe(at(5).slice(0, 16));
});
