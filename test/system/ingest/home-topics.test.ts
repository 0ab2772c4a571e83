import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createGateway, deleteGateway } from '#src/devices/gateways.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { type IngestProcess, setUpIngestProcess } from '#test/support/ingest-process.ts';

let made: IngestProcess;
let db: Database;
setUpIngestProcess((process) => {
  made = process;
});
beforeAll(() => {
  db = createDatabase(made.database.pool);
});
const clients: MqttClient[] = [];
afterAll(async () => {
  for (const client of clients) await client.endAsync(true);
});

const topicOf = (userId: string) => `energy/v1/homes/${userId}/usage`;
const soon = { interval: 50 };

async function home() {
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const { gateway, secret } = await createGateway(db, { userId, name: 'reader' });
  const paired = await createDevice(db, { userId, type: 'smart_meter', location: 'cellar' });
  return {
    userId,
    gateway: { username: gateway.gateway_id, password: secret },
    device: { username: paired.device.device_id, password: paired.secret },
  };
}

async function connect(login: { username: string; password: string }, more: mqtt.IClientOptions = {}) {
  const client = mqtt.connect(`mqtt://127.0.0.1:${made.ingest.ready.port}`, { ...login, reconnectPeriod: 0, ...more });
  const received: { topic: string; text: string; retain: boolean }[] = [];
  client.on('error', () => {});
  client.on('message', (topic, payload, { retain }) => void received.push({ topic, text: payload.toString(), retain }));
  await new Promise((resolve) => client.once('connect', resolve));
  clients.push(client);
  /** Subscribes, and returns the QoS that the broker granted; 128 means that the broker refused the subscription. */
  const subscribe = async (...topics: string[]) => {
    const granted = await client.subscribeAsync(topics, { qos: 1 }).catch(() => null);
    return granted === null ? 128 : granted.map(({ qos }) => qos as number);
  };
  return { client, heard: received, subscribe };
}

test('a home receives its usage at once and after each reading, retained for later subscribers', async () => {
  const mine = await home();
  const reader = await connect(mine.gateway);
  await reader.subscribe(topicOf(mine.userId));
  await expect.poll(() => reader.heard.length, soon).toBe(1);
  expect(JSON.parse(reader.heard[0]?.text ?? '')).toMatchObject({
    user_id: mine.userId,
    as_of: null,
    timezone: 'UTC',
    power_w: null,
    currency: null,
    today: { kwh_used: null, cost: null },
  });
  const meter = await connect(mine.device);
  const now = Date.now();
  const readings = [
    { ts: now - 60_000, energy_total_kwh: 10 },
    { ts: now - 1_000, energy_total_kwh: 10.5 },
  ];
  await meter.client.publishAsync(`energy/v1/${mine.device.username}/readings`, JSON.stringify(readings), { qos: 1 });
  await expect.poll(() => JSON.parse(reader.heard.at(-1)?.text ?? '').this_month.kwh_used, soon).toBeCloseTo(0.5, 3);
  const publishedUsage = JSON.parse(reader.heard.at(-1)?.text ?? '');
  expect(Date.parse(publishedUsage.as_of)).toBeGreaterThan(now - 60_000);
  // Before, the meter had sent no power, so the published power was an average computed from its register. A measured power replaces this
  // average.
  const usage = () => JSON.parse(reader.heard.at(-1)?.text ?? '');
  await meter.client.publishAsync(`energy/v1/${mine.device.username}/readings`, '{"power_w": 2500}', { qos: 1 });
  await expect.poll(() => [usage().power_w, usage().power_mean_minutes], soon).toEqual([2_500, null]);
  const second = await createGateway(db, { userId: mine.userId, name: 'another' });
  const late = await connect({ username: second.gateway.gateway_id, password: second.secret });
  await late.subscribe(topicOf(mine.userId));
  await expect.poll(() => late.heard[0], soon).toMatchObject({ retain: true, text: reader.heard.at(-1)?.text });
});

test('no client can read another home’s topics, or any other topic', async () => {
  const [mine, other] = [await home(), await home()];
  const owner = await connect(other.gateway);
  await owner.subscribe(topicOf(other.userId));
  await expect.poll(() => owner.heard.length, soon).toBeGreaterThan(0);
  const intruder = await connect(mine.gateway);
  const foreign = [topicOf(other.userId), topicOf('+'), 'energy/v1/homes/#', '#', 'energy/v1/+/readings', '$SYS/#'];
  for (const topic of foreign) expect(await intruder.subscribe(topic), topic).toBe(128);
  const meter = await connect(mine.device);
  expect(await meter.subscribe(topicOf(mine.userId))).toBe(128);
  // A client cannot publish to a home's usage topic. The broker ends the connection.
  const closed = new Promise<void>((resolve) => intruder.client.once('close', () => resolve()));
  intruder.client.publish(topicOf(other.userId), '{"today":{"kwh_used":99}}', { qos: 1, retain: true });
  await closed;
  expect(owner.heard.filter(({ text }) => text.includes('"kwh_used":99'))).toEqual([]);
  expect([...intruder.heard, ...meter.heard]).toEqual([]);
});

test('a refused subscription among granted ones collects no messages for an absent session', async () => {
  const [mine, other] = [await home(), await home()];
  const session = { clean: false, clientId: 'lasting' };
  const spy = await connect(mine.gateway, session);
  await spy.client
    .subscribeAsync([topicOf(mine.userId), `energy/v1/${other.device.username}/readings`], { qos: 2 })
    .catch(() => {});
  await expect.poll(() => spy.heard.length, soon).toBeGreaterThan(0);
  await spy.client.endAsync(true);
  const meter = await connect(other.device);
  const topic = `energy/v1/${other.device.username}/readings`;
  await meter.client.publishAsync(topic, JSON.stringify({ energy_total_kwh: 7 }), { qos: 2 });
  const back = await connect(mine.gateway, session);
  await back.subscribe(topicOf(mine.userId));
  await expect.poll(() => back.heard.length, soon).toBeGreaterThan(0);
  expect(back.heard.filter((one) => one.topic === topic)).toEqual([]);
});

test('a deleted gateway receives no more messages', async () => {
  const mine = await home();
  const reader = await connect(mine.gateway);
  await reader.subscribe(topicOf(mine.userId));
  await expect.poll(() => reader.heard.length, soon).toBe(1);
  const closed = new Promise<void>((resolve) => reader.client.once('close', () => resolve()));
  expect(await deleteGateway(db, ALL_ACCOUNTS, mine.gateway.username)).toBe(true);
  await closed;
});
