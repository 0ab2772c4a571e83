import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { temporaryFolder } from '#test/support/service.ts';

/** The broker of the compose file, with its own configuration; only its paths are those of this machine. */
const deploy = resolve(import.meta.dirname, '../../../deploy/mosquitto');
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let broker: Mosquitto;
const clients: MqttClient[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  writeFileSync(join(folder.path, 'acl'), readFileSync(join(deploy, 'acl')), { mode: 0o600 });
  const passwords = join(folder.path, 'passwords');
  for (const [user, password] of [
    ['energy-ingest', 'one'],
    ['dev_a', 'two'],
  ] as const) {
    const create = user === 'energy-ingest' ? ['-c'] : [];
    const { status, stderr } = spawnSync('mosquitto_passwd', [...create, '-b', passwords, user, password]);
    if (status !== 0) throw new Error(`mosquitto_passwd: ${stderr}`);
  }
  const configuration = readFileSync(join(deploy, 'mosquitto.conf'), 'utf8')
    .replace('/mosquitto/passwords/passwords', passwords)
    .replace('/mosquitto/config/acl', join(folder.path, 'acl'))
    .replace('/mosquitto/data/', `${folder.path}/`);
  broker = await startMosquitto({ configuration });
});
afterAll(async () => {
  for (const client of clients) await client.endAsync(true);
  await broker.stop();
  await folder.remove();
});

async function connected(username: string, password: string): Promise<MqttClient> {
  const client = await mqtt.connectAsync(broker.url, { username, password, reconnectPeriod: 0 });
  client.on('error', () => {});
  clients.push(client);
  return client;
}

test('lets a device publish below its own topic and nowhere else, and the service read it', async () => {
  const ingest = await connected('energy-ingest', 'one');
  const topics: string[] = [];
  ingest.on('message', (topic) => topics.push(topic));
  await ingest.subscribeAsync('energy/v1/#', { qos: 1 });
  // mosquitto 2.0.11 ends the connection of who publishes elsewhere.
  const intruder = await connected('dev_a', 'two');
  intruder.publish('energy/v1/dev_b/readings', '{}', { qos: 1 });
  const device = await connected('dev_a', 'two');
  await device.publishAsync('energy/v1/dev_a/readings', '{}', { qos: 1 });
  for (let wait = 0; wait < 100 && topics.length === 0; wait++) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(topics).toEqual(['energy/v1/dev_a/readings']);
});

test('refuses who has no password', async () => {
  await expect(connected('dev_a', 'wrong')).rejects.toThrow(/not authorized|bad user/i);
  await expect(mqtt.connectAsync(broker.url, { reconnectPeriod: 0 })).rejects.toThrow(/not authorized/i);
});

test('takes a message of 1 MiB, and disconnects who sends a longer one instead of acknowledging it', async () => {
  const ingest = await connected('energy-ingest', 'one');
  const bytes: number[] = [];
  ingest.on('message', (_topic, payload) => bytes.push(payload.length));
  await ingest.subscribeAsync('energy/v1/#', { qos: 1 });
  const device = await connected('dev_a', 'two');
  await device.publishAsync('energy/v1/dev_a/readings', Buffer.alloc(1_048_576, ' '), { qos: 1 });
  let isAcknowledged = false;
  const closed = new Promise<void>((done) => device.once('close', () => done()));
  device.publish('energy/v1/dev_a/readings', Buffer.alloc(2 * 1_048_576, ' '), { qos: 1 }, (error) => {
    isAcknowledged = !error;
  });
  await closed;
  await expect.poll(() => bytes).toEqual([1_048_576]);
  expect(isAcknowledged).toBe(false);
});
