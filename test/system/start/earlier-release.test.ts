import { spawnSync } from 'node:child_process';
import { cp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, expect, test } from 'vitest';
import { extractCommit, FIRST_COMMIT_WITH_BACKUPS, listEarlierVersions } from '#test/support/earlier-release.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { type HttpResponse, sendRequest } from '../../../bench/attack/client.ts';
import { findFreePorts, type StartedService, startService } from '../../../bench/service.ts';

const KEY = `eus_live_${'k'.repeat(32)}`;
const ROOT = resolve(import.meta.dirname, '../../..');
const folder = await createTemporaryFolder();
let running: StartedService | undefined;
afterAll(async () => {
  await running?.stop();
  await folder.remove();
});

/** Copies this version of the service into a folder, and adds a migration that fails. */
async function withFailingMigration(to: string): Promise<string> {
  for (const name of ['bin', 'src', 'ingest', 'simulators', 'sql', 'package.json'])
    await cp(join(ROOT, name), join(to, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(to, 'node_modules'));
  await writeFile(join(to, 'sql/schema/9999_fails.sql'), 'DROP TABLE readings CASCADE; SELECT 1 / 0;');
  return to;
}

/** Creates a home with a meter, in a data directory of its own. Both this version and earlier versions can be started on it. */
async function createHome(name: string) {
  const home = join(folder.path, name.replaceAll(' ', '-'));
  const ports = await findFreePorts();
  const dataDir = join(home, 'data');
  const env = { ...ports, DATA_DIR: dataDir, BOOTSTRAP_ADMIN_KEY: KEY, PATH: process.env.PATH ?? '' };
  const log = join(home, 'log');
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  let userId = '';
  let meter: { username: string; password: string; topic: string };
  const ask = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    sendRequest({ host: '127.0.0.1', port: Number(ports.API_PORT) }, method, path, {
      key: KEY,
      ...(body === undefined ? {} : { body }),
    });
  return {
    home,
    dataDir,
    hourAgo: (ago: number) => new Date(hour - ago * 3_600_000).toISOString(),
    /** Starts this version of the service, or the version in a checkout. */
    async start(checkout?: string) {
      const options = checkout === undefined ? { log } : { log, checkout };
      running = await startService(env, options);
    },
    /** Runs a command of this version, or of the version in a checkout. */
    command(args: string[], checkout?: string): { status: number | null; stderr: string } {
      const program = checkout === undefined ? TESTED_PROGRAM : join(checkout, 'bin/energy.js');
      return spawnSync(process.execPath, [program, ...args], { env, cwd: home, encoding: 'utf8' });
    },
    async createMeter() {
      const { json: user } = await ask('POST', '/v1/users', { email: 'home@example.com', role: 'homeowner' });
      userId = user.user_id;
      const device = { user_id: userId, type: 'smart_meter', location: 'cellar' };
      meter = (await ask('POST', '/v1/devices', device)).json.mqtt;
    },
    /** Publishes values of the meter's register. Each reading is a pair: its age in hours, and the register's value in kWh. */
    async send(readings: [ago: number, kwh: number][]) {
      const { username, password, topic } = meter;
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${ports.MQTT_PORT}`, { username, password });
      const sent = readings.map(([ago, kwh]) => ({ ts: hour - ago * 3_600_000, energy_total_kwh: kwh }));
      await client.publishAsync(topic, JSON.stringify(sent), { qos: 1 });
      await client.endAsync();
    },
    /** Returns the start and the energy in kWh of each hour with usage. */
    async hours(): Promise<[startsAt: string, kwh: number][]> {
      const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      const range = `start=${day(hour - 86_400_000)}&end=${day(hour)}&group_by=hour`;
      const { json } = await ask('GET', `/v1/energy-insights?user_id=${userId}&${range}`);
      return json.data.map((row: { starts_at: string; kwh_used: number }) => [row.starts_at, row.kwh_used]);
    },
  };
}

const READINGS: [number, number][] = [
  [5, 100],
  [4, 101],
  [3, 103],
];

test.each(listEarlierVersions())(
  'the data of %s remain after an update, and continue; a failed update changes nothing',
  async (name, commit) => {
    const { home, start, createMeter, send, hours, hourAgo } = await createHome(name);
    const earlier = join(home, 'earlier');
    await extractCommit(commit, earlier);
    await start(earlier);
    await createMeter();
    await send(READINGS);
    const before = await hours();
    expect(before.map(([, kwh]) => kwh)).toEqual([1, 2]);
    await running?.stop();

    // Only one earlier release is tested this way, because it takes two more starts of the service.
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
    expect(before[0]?.[0].slice(0, 16)).toBe(hourAgo(5).slice(0, 16));
    await running?.stop();
  },
  600_000,
);

test('a copy of the first version that makes copies is restored and updated by this version; that version refuses a copy of this one', async () => {
  const { home, dataDir, start, command, createMeter, send, hours } = await createHome('copied');
  const earlier = join(home, 'earlier');
  await extractCommit(FIRST_COMMIT_WITH_BACKUPS, earlier);
  const [copies, later] = [join(home, 'copies'), join(home, 'later')];
  const passphrase = join(home, 'passphrase');
  await writeFile(passphrase, 'correct horse battery staple\n');
  const sealed = ['--passphrase-file', passphrase];
  await start(earlier);
  await createMeter();
  await send(READINGS);
  const before = await hours();
  expect(command(['backup', '--to', copies, ...sealed], earlier)).toMatchObject({ status: 0, stderr: '' });
  // The backup was made before this reading, so it does not contain it.
  await send([[2, 999]]);
  await running?.stop();
  await rm(dataDir, { recursive: true });

  const from = ['--from', copies, ...sealed];
  expect(command(['backup', 'verify', ...from])).toMatchObject({ status: 0, stderr: '' });
  expect(command(['restore', ...from, '--data-dir', dataDir])).toMatchObject({ status: 0, stderr: '' });
  await start();
  expect(await hours()).toEqual(before);
  // The restored service accepts the meter's password from the backup.
  await send([[2, 107]]);
  expect(await hours()).toEqual([...before, [expect.anything(), 4]]);
  expect(command(['backup', '--to', later, ...sealed])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`energy backup verify --from ${later} ${sealed.join(' ')}`),
  });
  await running?.stop();

  const refused = join(home, 'refused');
  const { status, stderr } = command(['restore', '--from', later, ...sealed, '--data-dir', refused], earlier);
  expect([status, await readdir(refused).catch(() => 'none')]).toEqual([1, 'none']);
  expect(stderr).toContain('is newer than this one');
});
