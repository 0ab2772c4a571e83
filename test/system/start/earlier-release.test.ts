import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, expect, test } from 'vitest';
import { earlierVersions, extractCommit } from '#test/support/earlier-release.ts';
import { temporaryFolder } from '#test/support/service.ts';
import { type HttpResponse, sendRequest } from '../../../bench/attack/client.ts';
import { freePorts, type Service, startService } from '../../../bench/service.ts';

const KEY = `eus_live_${'k'.repeat(32)}`;
const ROOT = resolve(import.meta.dirname, '../../..');
const folder = await temporaryFolder();
let running: Service | undefined;
afterAll(async () => {
  await running?.stop();
  await folder.remove();
});

/** Copies this version into a folder, with one more migration, which fails. */
async function withFailingMigration(to: string): Promise<string> {
  for (const name of ['bin', 'src', 'ingest', 'simulators', 'sql', 'package.json'])
    await cp(join(ROOT, name), join(to, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(to, 'node_modules'));
  await writeFile(join(to, 'sql/schema/9999_fails.sql'), 'DROP TABLE readings CASCADE; SELECT 1 / 0;');
  return to;
}

test.each(earlierVersions())(
  'the data of %s remain after an update, and continue; a failed update changes nothing',
  async (name, commit) => {
    const home = join(folder.path, name.replaceAll(' ', '-'));
    const earlier = join(home, 'earlier');
    await extractCommit(commit, earlier);
    const ports = await freePorts();
    const env = { ...ports, DATA_DIR: join(home, 'data'), BOOTSTRAP_ADMIN_KEY: KEY, PATH: process.env.PATH ?? '' };
    const log = join(home, 'log');
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
    const send = async (readings: [number, number][]) => {
      const { username, password, topic } = device.mqtt;
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${ports.MQTT_PORT}`, { username, password });
      const sent = readings.map(([ago, kwh]) => ({ ts: hour - ago * 3_600_000, energy_total_kwh: kwh }));
      await client.publishAsync(topic, JSON.stringify(sent), { qos: 1 });
      await client.endAsync();
    };
    const hours = async () => {
      const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      const range = `start=${day(hour - 86_400_000)}&end=${day(hour)}&group_by=hour`;
      const { json } = await ask('GET', `/v1/energy-insights?user_id=${user.user_id}&${range}`);
      return json.data.map((row: { starts_at: string; kwh_used: number }) => [row.starts_at, row.kwh_used]);
    };
    const at = (ago: number) => new Date(hour - ago * 3_600_000).toISOString().replace('.000Z', '+00:00');
    await send([
      [5, 100],
      [4, 101],
      [3, 103],
    ]);
    const before = await hours();
    expect(before.map(([, kwh]: [string, number]) => kwh)).toEqual([1, 2]);
    await running?.stop();

    // Once is enough: it takes two more starts.
    if (name === 'the previous release') {
      const failing = await withFailingMigration(join(home, 'failing'));
      await expect(start(failing)).rejects.toThrow(/sql\/schema\/9999_fails\.sql: division by zero/);
      await start(earlier);
      expect(await hours()).toEqual(before);
      await running?.stop();
    }

    await start();
    expect(await hours()).toEqual(before);
    await send([[2, 107]]);
    expect(await hours()).toEqual([...before, [expect.anything(), 4]]);
    expect(before[0][0].slice(0, 16)).toBe(at(5).slice(0, 16));
    await running?.stop();
  },
  600_000,
);
