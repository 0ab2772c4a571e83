import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

/** Tests an external broker with the configuration in deploy/mosquitto. Only the paths are changed to paths on this machine. */
const deploy = resolve(import.meta.dirname, '../../../deploy/mosquitto');
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let broker: Mosquitto;
const clients: MqttClient[] = [];

beforeAll(async () => {
  folder = await createTemporaryFolder();
  writeFileSync(join(folder.path, 'acl'), readFileSync(join(deploy, 'acl')), { mode: 0o600 });
  const passwords = join(folder.path, 'passwords');
  for (const [user, password] of [
    ['energy-ingest', 'one'],
    ['dev_a', 'two'],
    ['gwy_a', 'three'],
  ] as const) {
    const create = user === 'energy-ingest' ? ['-c'] : [];
    const { status, stderr } = spawnSync('mosquitto_passwd', [...create, '-b', passwords, user, password]);
    if (status !== 0) throw new Error(`mosquitto_passwd: ${stderr}`);
  }
  const configuration = readFileSync(join(deploy, 'mosquitto.conf'), 'utf8')
    .replaceAll('/mosquitto/passwords/passwords', passwords)
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
  // mosquitto 2.0.11 disconnects a client that publishes to a topic of another device.
  const intruder = await connected('dev_a', 'two');
  intruder.publish('energy/v1/dev_b/readings', '{}', { qos: 1 });
  const device = await connected('dev_a', 'two');
  await device.publishAsync('energy/v1/dev_a/readings', '{}', { qos: 1 });
  await expect.poll(() => topics.length).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(topics).toEqual(['energy/v1/dev_a/readings']);
});

test('lets a gateway publish and read below its own prefix, and nowhere else', async () => {
  const ingest = await connected('energy-ingest', 'one');
  const topics: string[] = [];
  ingest.on('message', (topic) => topics.push(topic));
  await ingest.subscribeAsync(['gw/#', 'energy/v1/#'], { qos: 1 });
  for (const topic of ['gw/gwy_b/tele/plug/SENSOR', 'energy/v1/dev_a/readings', 'tele/plug/SENSOR'])
    (await connected('gwy_a', 'three')).publish(topic, '{}', { qos: 1 });
  (await connected('dev_a', 'two')).publish('gw/gwy_a/tele/plug/SENSOR', '{}', { qos: 1 });
  // This gateway has no broker of its own: it connects directly, and subscribes to its own topics.
  const gateway = await connected('gwy_a', 'three');
  const received: string[] = [];
  gateway.on('message', (topic) => received.push(topic));
  await gateway.subscribeAsync(['gw/gwy_a/cmnd/#', 'energy/v1/#', 'gw/#'], { qos: 1 });
  await (await connected('dev_a', 'two')).publishAsync('energy/v1/dev_a/readings', '{}', { qos: 1 });
  await gateway.publishAsync('gw/gwy_a/cmnd/plug/Power', 'on', { qos: 1 });
  await expect.poll(() => received).toContain('gw/gwy_a/cmnd/plug/Power');
  await expect.poll(() => topics.length).toBeGreaterThanOrEqual(2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  // The gateway's subscriptions match topics of other devices, too. It receives only the message on its own topic.
  expect([...new Set(received)]).toEqual(['gw/gwy_a/cmnd/plug/Power']);
  expect(topics.sort()).toEqual(['energy/v1/dev_a/readings', 'gw/gwy_a/cmnd/plug/Power']);
});

test('a household’s mosquitto that is configured with the lines of DEVICES.md forwards its messages to the prefix', async () => {
  const documents = readFileSync(join(deploy, '../DEVICES.md'), 'utf8');
  const [, snippet = ''] = /```conf\n(persistence true\n[\s\S]*?)```/.exec(documents) ?? [];
  const lines = snippet
    .replaceAll('GATEWAY_ID', 'gwy_a')
    .replace('PASSWORD', 'three')
    .replace('energy.example.com:8883', new URL(broker.url).host)
    // Remove the line that requires TLS, because the test's broker has no TLS on this listener.
    .replace('bridge_capath /etc/ssl/certs\n', '');
  const home = await startMosquitto({ configuration: `listener 1883\nallow_anonymous true\n${lines}` });
  try {
    const ingest = await connected('energy-ingest', 'one');
    const arrived: string[] = [];
    ingest.on('message', (topic, payload) => arrived.push(`${topic} ${payload}`));
    await ingest.subscribeAsync('gw/#', { qos: 1 });
    const plug = await mqtt.connectAsync(home.url, { reconnectPeriod: 0 });
    clients.push(plug);
    await plug.publishAsync('tele/plug/SENSOR', '{"ENERGY":{"Total":1}}', { qos: 1 });
    await expect.poll(() => arrived).toEqual(['gw/gwy_a/tele/plug/SENSOR {"ENERGY":{"Total":1}}']);
  } finally {
    await home.stop();
  }
});

test('refuses a client without a password', async () => {
  await expect(connected('dev_a', 'wrong')).rejects.toThrow(/not authorized|bad user/i);
  await expect(mqtt.connectAsync(broker.url, { reconnectPeriod: 0 })).rejects.toThrow(/not authorized/i);
});

test('accepts a message of 1 MiB, and disconnects the sender of a longer one instead of acknowledging it', async () => {
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
