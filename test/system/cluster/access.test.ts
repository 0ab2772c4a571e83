import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectAmqp } from 'amqplib';
import type { FastifyInstance } from 'fastify';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AmqpSource, startAmqpSource } from '#ingest/source/amqp/amqp-source.ts';
import type { MessageReceiver, RawMessage } from '#ingest/source/source.ts';
import { storeShardCountOnce } from '#ingest/start.ts';
import { type AmqpUrl, parseAmqpUrl } from '#src/config/addresses.ts';
import { createId } from '#src/core/ids.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { createDevice, deleteDevice } from '#src/devices/store.ts';
import { findTopicOfRoutingKey, getReadingsTopic, ROUTING_KEYS } from '#src/devices/topics.ts';
import { createUser } from '#src/users/store.ts';
import { startBrokerAuthEndpoint } from '#test/support/cluster/broker-calls.ts';
import { type RabbitCluster, type RabbitNode, startRabbitMq } from '#test/support/cluster/rabbitmq.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTemporaryFolder, startRole } from '#test/support/service.ts';

const SHARDS = 4;
let database: TestDatabase;
let calls: { app: FastifyInstance; url: string };
let cluster: RabbitCluster;
let node: RabbitNode;
let userId: string;
const clients: MqttClient[] = [];
let source: AmqpSource;
let taken: RawMessage[] = [];
const log = pino({ level: 'silent' });

const start = (receive: MessageReceiver, shards = SHARDS) =>
  startAmqpSource({
    url: parseAmqpUrl(cluster.url()) as AmqpUrl,
    shards,
    routingKeys: ROUTING_KEYS,
    topicOf: findTopicOfRoutingKey,
    receive,
    log,
  });
const takeAll: MessageReceiver = (message, receipt) => {
  taken.push(message);
  receipt.done();
  return true;
};

beforeAll(async () => {
  database = await createTestDatabase();
  const db = createDatabase(database.pool);
  ({ user_id: userId } = await createUser(db, { email: 'home@example.com', role: 'homeowner' }));
  calls = await startBrokerAuthEndpoint(db);
  cluster = await startRabbitMq({ count: 1, operator: calls.url });
  node = cluster.nodes[0] as RabbitNode;
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.end(true);
  taken = [];
});
afterAll(async () => {
  await source?.close();
  await cluster.stop();
  await calls.app.close();
  await database.drop();
});

const device = async () => {
  const made = await createDevice(createDatabase(database.pool), { userId, type: 'smart_meter', location: 'x' });
  return { id: made.device.device_id, secret: made.secret };
};
/** Connects as a device. Throws with the CONNACK code if the login is refused. */
async function login(username: string, password: string, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await mqtt.connectAsync({
    host: '127.0.0.1',
    port: node.ports.mqtt,
    username,
    password,
    clientId: username,
    reconnectPeriod: 0,
    ...options,
  });
  client.on('error', () => {});
  // Each message adds a listener for the end of the connection, so more listeners than Node.js expects are normal.
  client.setMaxListeners(100);
  clients.push(client);
  return client;
}
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 0,
    (error: { code?: number }) => error.code,
  );
/** Returns whether the broker acknowledges a PUBLISH. A broker that refuses a PUBLISH ends the connection instead. */
async function publishes(client: MqttClient, topic: string, payload = '1'): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => client.once('close', () => resolve(false)));
  return Promise.race([
    client.publishAsync(topic, payload, { qos: 1 }).then(
      () => true,
      () => false,
    ),
    closed,
  ]);
}

describe('topology at the broker', () => {
  const onBroker = async (
    act: (channel: Awaited<ReturnType<Awaited<ReturnType<typeof connectAmqp>>['createChannel']>>) => Promise<unknown>,
  ) => {
    const { hosts, username, password } = parseAmqpUrl(cluster.url()) as AmqpUrl;
    const connection = await connectAmqp({ hostname: '127.0.0.1', port: hosts[0]?.port ?? 0, username, password });
    await act(await connection.createChannel());
    await connection.close();
  };

  test('accepts no message before a worker has created it', async () => {
    const { id, secret } = await device();
    expect(await publishes(await login(id, secret), getReadingsTopic(id))).toBe(false);
  });

  test('with other arguments is reported, with the difference and a remedy', async () => {
    await onBroker((channel) =>
      channel.assertQueue('energy.shard.1', { durable: true, arguments: { 'x-queue-type': 'quorum' } }),
    );
    await expect(start(takeAll)).rejects.toThrow(
      /^energy\.shard\.1 is at the broker, and not as this version needs it: inequivalent arg 'x-[a-z-]+' .*delete it \(rabbitmqctl delete_queue energy\.shard\.1/,
    );
    await onBroker((channel) => channel.deleteQueue('energy.shard.1'));
  });

  test('is created once by concurrent workers; another number of shards is rejected', async () => {
    const sources = await Promise.all([start(takeAll), start(takeAll), start(takeAll)]);
    await expect(start(takeAll, SHARDS - 1)).rejects.toThrow(`The broker has the queue energy.shard.${SHARDS - 1}`);
    expect(await Promise.all([4, 4, undefined].map((wanted) => storeShardCountOnce(database.pool, wanted)))).toEqual([
      4, 4, 4,
    ]);
    await expect(storeShardCountOnce(database.pool, 5)).rejects.toThrow(
      'SHARDS is 5, and this installation began with 4',
    );
    source = sources[0] as AmqpSource;
    await Promise.all(sources.slice(1).map((one) => one.close()));
  });
});

describe.each([4, 5] as const)('with protocol version %i', (protocolVersion) => {
  test('a device logs in and publishes readings and status, with any quality of service and retain flag', async () => {
    const { id, secret } = await device();
    const client = await login(id, secret, { protocolVersion });
    // RabbitMQ delivers messages with QoS 2 as QoS 1. Its CONNACK announces this limit to MQTT 5 clients, which therefore do not publish
    // with QoS 2.
    for (const qos of protocolVersion === 5 ? ([0, 1] as const) : ([0, 1, 2] as const))
      await client.publishAsync(getReadingsTopic(id), `${qos}`, { qos, retain: qos === 1 });
    await client.publishAsync(`energy/v1/${id}/status`, 'online', { qos: 1, retain: true });
    await expect
      .poll(() => taken.map(({ payload }) => String(payload)).sort())
      .toEqual(protocolVersion === 5 ? ['0', '1', 'online'] : ['0', '1', '2', 'online']);
    expect(new Set(taken.map(({ topic }) => topic))).toEqual(new Set([getReadingsTopic(id), `energy/v1/${id}/status`]));
    expect(taken.some(({ replayed }) => replayed)).toBe(false);
  });

  test('a device’s will is published when its connection is lost, but not to another device’s topic; a persistent session belongs to one device', async () => {
    const [own, other] = [await device(), await device()];
    const will = (of: string) => ({
      topic: `energy/v1/${of}/status`,
      payload: Buffer.from('offline'),
      qos: 1 as const,
      retain: true,
    });
    const sessionOptions = {
      protocolVersion,
      clean: false,
      ...(protocolVersion === 5 ? { properties: { sessionExpiryInterval: 60 } } : {}),
    };
    const forged = await login(own.id, own.secret, { ...sessionOptions, will: will(other.id) });
    forged.stream.destroy();
    const honest = await login(own.id, own.secret, { ...sessionOptions, will: will(own.id) });
    honest.stream.destroy();
    await expect.poll(() => taken.map(({ topic }) => topic)).toEqual([`energy/v1/${own.id}/status`]);
    const again = await login(own.id, own.secret, sessionOptions);
    expect(await publishes(again, getReadingsTopic(own.id))).toBe(true);
    expect(taken.map(({ topic }) => topic)).not.toContain(`energy/v1/${other.id}/status`);
  });

  test('rejects a wrong secret, a deleted device and an unknown one; does not authorise a gateway', async () => {
    const db = createDatabase(database.pool);
    const [one, other, ended] = [await device(), await device(), await device()];
    await deleteDevice(db, ALL_ACCOUNTS, ended.id);
    const gateway = await createGateway(db, { userId, name: 'home' });
    const bad = protocolVersion === 5 ? 0x86 : 4;
    const notAuthorized = protocolVersion === 5 ? 0x87 : 5;
    const code = (username: string, password: string, clientId = username) =>
      codeOf(login(username, password, { protocolVersion, clientId }));
    // RabbitMQ delays each refusal of a login by three seconds, so the logins run concurrently.
    const codes = await Promise.all([
      code(one.id, other.secret),
      code(ended.id, ended.secret),
      code(createId('dev'), one.secret),
      code('energy-ingest', one.secret),
      code(gateway.gateway.gateway_id, 'x'),
      code(gateway.gateway.gateway_id, gateway.secret),
    ]);
    expect(codes).toEqual([bad, bad, bad, bad, bad, notAuthorized]);
  });

  test('a client id must begin with its login, so no session can be taken over', async () => {
    const [victim, other] = [await device(), await device()];
    const client = await login(victim.id, victim.secret, { protocolVersion });
    const notAuthorized = protocolVersion === 5 ? 0x87 : 5;
    const code = (clientId: string) => codeOf(login(other.id, other.secret, { protocolVersion, clientId }));
    const bad = protocolVersion === 5 ? 0x86 : 4;
    const codes = await Promise.all([victim.id, `${victim.id}-1`, 'homeassistant', ''].map(code));
    expect(codes).toEqual([bad, bad, notAuthorized, notAuthorized]);
    expect(await code(other.id)).toBe(0);
    expect(await code(`${other.id}-1`)).toBe(0);
    expect(client.connected && (await publishes(client, getReadingsTopic(victim.id)))).toBe(true);
  });

  test('a device cannot read any message', async () => {
    const { id, secret } = await device();
    for (const filter of ['#', 'energy/v1/#', getReadingsTopic(id), `$share/energy/${getReadingsTopic(id)}`]) {
      const client = await login(id, secret, { protocolVersion });
      const granted = await client.subscribeAsync(filter, { qos: 1 }).then(
        (all) => all.map(({ qos }) => qos as number),
        () => [128],
      );
      expect([filter, granted.every((qos) => qos >= 128)]).toEqual([filter, true]);
      client.end(true);
    }
  });
});

test('a message for another device or topic is refused whatever its name, and not stored', async () => {
  const [one, other] = [await device(), await device()];
  const strange = [
    getReadingsTopic(other.id),
    `energy.v1.${other.id}.readings`,
    `energy/v1.${other.id}/readings`,
    `energy.v1/${other.id}.status`,
    `energy/v1/${one.id}/readings/${other.id}`,
    `energy/v1/${one.id}.${other.id}/readings`,
    `energy/v1/${one.id}/readings.more`,
    `energy/v1/${one.id}/Readings`,
    `energy/v1/${one.id} /readings`,
    `energy/v1//readings`,
    `/energy/v1/${one.id}/readings`,
    'energy/v1/*/readings',
    'energy/v1/größe/readings',
    'spBv1.0/group/DDATA/node/device',
    'zigbee2mqtt/kitchen.plug',
    `gw/${one.id}/kitchen.plug/state`,
    `gw/${one.id}/tele/plug/SENSOR`,
    'amq.topic',
    '$SYS/broker/connection/x/state',
    'a b/c\td',
    '😀/😀',
  ];
  for (const topic of strange) {
    const client = await login(one.id, one.secret);
    expect([topic, await publishes(client, topic)]).toEqual([topic, false]);
    client.end(true);
  }
  // RabbitMQ replaces the slashes of a topic by dots, so the topic with dots is also the device's own topic.
  const client = await login(one.id, one.secret);
  expect(await publishes(client, `energy.v1.${one.id}.readings`, 'dots')).toBe(true);
  expect(await publishes(client, getReadingsTopic(one.id), 'last')).toBe(true);
  await expect
    .poll(() => taken.map(({ topic, payload }) => [topic, String(payload)]))
    .toEqual([
      [getReadingsTopic(one.id), 'dots'],
      [getReadingsTopic(one.id), 'last'],
    ]);
});

test('a message of the service’s own user on a topic of no device is stored with the strays, and reported', async () => {
  const { username, password } = parseAmqpUrl(cluster.url()) as AmqpUrl;
  const own = await login(username, password);
  const before = source.strays() ?? 0;
  // The broker puts this message into a queue because the topic's form is valid. The worker must reject it.
  for (const topic of ['gw/x/plug.1/state', 'energy/v1/größe/readings']) expect(await publishes(own, topic)).toBe(true);
  await expect.poll(() => source.strays()).toBe(before + 2);
  expect(taken).toEqual([]);
});

test('a full worker stops reading for longer than a heartbeat, and later processes the remaining messages', async () => {
  const { id, secret } = await device();
  await source.close();
  let isFull = true;
  const waiting: (() => void)[] = [];
  let disconnected = 0;
  source = await startAmqpSource({
    url: parseAmqpUrl(cluster.url()) as AmqpUrl,
    shards: SHARDS,
    routingKeys: ROUTING_KEYS,
    topicOf: findTopicOfRoutingKey,
    log: { ...log, warn: () => disconnected++, info() {}, error() {}, debug() {} } as unknown as typeof log,
    receive(message, receipt) {
      taken.push(message);
      waiting.push(() => receipt.done());
      return !isFull;
    },
  });
  const client = await login(id, secret);
  const MESSAGES = 40;
  const payload = 'x'.repeat(1_000_000);
  for (let index = 0; index < MESSAGES; index++)
    expect(await publishes(client, getReadingsTopic(id), payload)).toBe(true);
  const sentMs = Date.now();
  await pause(10_000);
  // The worker, whose buffers are full, has taken only the first message and, at most, a few more that it had already received.
  expect(taken.length).toBeLessThan(4);
  expect(disconnected).toBe(0);
  isFull = false;
  source.resume();
  await expect.poll(() => taken.length).toBe(MESSAGES);
  // The broker adds its time of receipt to each message. This becomes the time of a reading without a timestamp.
  expect(Math.max(...taken.map(({ receivedAtMs }) => receivedAtMs))).toBeLessThan(sentMs + 9_000);
  for (const done of waiting) done();
});

test('a full queue refuses further messages: every acknowledged message is stored, and no stored message is dropped', async () => {
  const { id, secret } = await device();
  await source.close();
  taken = [];
  cluster.ctl('set_policy', 'few', '^energy.shard', '{"max-length": 5}', '--apply-to', 'queues');
  const acknowledged: string[] = [];
  const client = await login(id, secret);
  // The cluster's nodes detect with a delay that a queue is full. Messages that arrive in the meantime are stored.
  for (let index = 0; index < 100; index++) {
    client.publish(getReadingsTopic(id), `${index}`, { qos: 1 }, (error) => {
      if (!error) acknowledged.push(`${index}`);
    });
    await pause(10);
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(5);
  expect(acknowledged.length).toBeLessThan(100);
  // A client of MQTT 5 gets a reason code for the refusal.
  const version5Client = await login(id, secret, { protocolVersion: 5, clientId: `${id}-5` });
  await expect(version5Client.publishAsync(getReadingsTopic(id), 'told', { qos: 1 })).rejects.toThrow();
  source = await start(takeAll);
  await expect.poll(() => acknowledged.every((one) => taken.some(({ payload }) => String(payload) === one))).toBe(true);
  expect(taken.map(({ payload }) => String(payload))).not.toContain('told');
  cluster.ctl('clear_policy', 'few');
});

test('with TLS, devices connect by MQTTS and the service by AMQPS if they trust the authority', async () => {
  const { id, secret } = await device();
  await source.close();
  const secure = { protocol: 'mqtts', port: node.ports.mqtts } as const;
  expect(await codeOf(login(id, secret, secure))).toBe('SELF_SIGNED_CERT_IN_CHAIN');
  const client = await login(id, secret, { ...secure, ca: readFileSync(cluster.caFile) });
  const folder = await createTemporaryFolder();
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    MQTT_URL: cluster.url({ secure: true }),
    NODE_EXTRA_CA_CERTS: cluster.caFile,
    LOG_LEVEL: 'fatal',
  };
  const worker = await startRole('ingest', env);
  const payload = JSON.stringify({ ts: Date.now() - 60_000, energy_total_kwh: 5 });
  expect(await publishes(client, getReadingsTopic(id), payload)).toBe(true);
  const stored = async () =>
    (
      await database.pool.query(
        'SELECT count(*)::int AS count FROM readings JOIN series USING (series_id) WHERE device_id = $1',
        [id],
      )
    ).rows[0].count;
  await expect.poll(stored).toBe(1);
  expect(await worker.stop()).toBe(0);
  await folder.remove();
});
