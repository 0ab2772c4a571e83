import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import mqtt from 'mqtt';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { decodeNativeMessage } from '#ingest/decoders/native/decode.ts';
import { type AmqpSource, startAmqpSource } from '#ingest/source/amqp/amqp-source.ts';
import type { MessageReceiver } from '#ingest/source/source.ts';
import { type AmqpUrl, parseAmqpUrl } from '#src/config/addresses.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { findTopicOfRoutingKey, getReadingsTopic, ROUTING_KEYS } from '#src/devices/topics.ts';
import { createUser } from '#src/users/store.ts';
import { computeReferenceConsumption, getStartOfHour } from '#test/reference/consumption.ts';
import { startBrokerAuthEndpoint } from '#test/support/cluster/broker-calls.ts';
import { startRetryingPublisher } from '#test/support/cluster/publisher.ts';
import { type RabbitCluster, startRabbitMq } from '#test/support/cluster/rabbitmq.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

let database: TestDatabase;
let calls: { app: FastifyInstance; url: string };
let cluster: RabbitCluster;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
const workers: RoleProcess[] = [];
const sources: AmqpSource[] = [];
let publishers: ReturnType<typeof startRetryingPublisher>[] = [];
const log = pino({ level: process.env.TEST_LOG ?? 'silent' });

beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
  calls = await startBrokerAuthEndpoint(createDatabase(database.pool));
  cluster = await startRabbitMq({ operator: calls.url });
});
afterAll(async () => {
  await Promise.all(publishers.map((publisher) => publisher.close()));
  await Promise.all(workers.map((worker) => worker.kill()));
  await cluster.stop();
  await calls.app.close();
  await database.drop();
  await folder.remove();
});

afterEach(async () => {
  await Promise.all(sources.splice(0).map((one) => one.close()));
});

const urlOf = (url: string) => parseAmqpUrl(url) as AmqpUrl;
const source = (receive: Parameters<typeof startAmqpSource>[0]['receive'], own = log) =>
  startAmqpSource({
    url: urlOf(cluster.url()),
    shards: 64,
    routingKeys: ROUTING_KEYS,
    topicOf: findTopicOfRoutingKey,
    receive,
    log: own,
  });

async function meters(count: number): Promise<{ userId: string; devices: { id: string; secret: string }[] }> {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const devices = [];
  for (let index = 0; index < count; index++) {
    const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'x' });
    devices.push({ id: device.device_id, secret });
  }
  return { userId, devices };
}

test('without faults each device’s messages arrive in order, at one worker at a time, as workers come and go', async () => {
  const DEVICES = 50;
  const { devices } = await meters(DEVICES);
  const client = await mqtt
    .connectAsync({
      host: '127.0.0.1',
      port: cluster.nodes[0]?.ports.mqtt as number,
      ...credentials(),
      clientId: 'test',
    })
    .catch((error) => error);
  // Before a worker has created the shard's queue (the queue for a part of the devices), the broker must acknowledge no message.
  const early = await Promise.race([
    client.publishAsync(getReadingsTopic('x'), '1', { qos: 1 }).then(
      () => 'acknowledged',
      () => 'refused',
    ),
    pause(500, 'nothing'),
  ]);
  expect(early).not.toBe('acknowledged');
  await client.endAsync(true);

  const last = new Map<string, number>();
  const byWorker = new Map<number, number>();
  let outOfOrder = 0;
  let repeated = 0;
  let taken = 0;
  const open = new Map<string, number>();
  let atTwo = 0;
  const worker = (number: number) =>
    source(({ topic, payload }, receipt) => {
      const sequence = Number(payload);
      const expected = (last.get(topic) ?? -1) + 1;
      if (sequence > expected) outOfOrder++;
      // A stopped worker may lose its last acknowledgements. The broker then sends these messages again.
      if (sequence < expected) repeated++;
      else last.set(topic, sequence);
      if ((open.get(topic) ?? number) !== number) atTwo++;
      open.set(topic, number);
      byWorker.set(number, (byWorker.get(number) ?? 0) + 1);
      taken++;
      setTimeout(
        () => {
          open.delete(topic);
          receipt.done();
        },
        1 + Math.random() * 20,
      );
      return true;
    });
  sources.push(await worker(1));
  const connections = await Promise.all(
    cluster.nodes.map(({ ports }, index) =>
      mqtt.connectAsync({ host: '127.0.0.1', port: ports.mqtt, ...credentials(), clientId: `test-${index}` }),
    ),
  );
  let sent = 0;
  const publishUntil = async (isOver: () => boolean) => {
    for (; !isOver(); sent++) {
      const sequence = sent;
      await Promise.all(
        devices.map(({ id }, index) =>
          connections[index % 3]?.publishAsync(getReadingsTopic(id), String(sequence), { qos: 1 }),
        ),
      );
      // Pause, because the cluster's three nodes share two processor cores with all other processes.
      await pause(50);
    }
  };
  let isOver = false;
  const publishing = publishUntil(() => isOver);
  await expect.poll(() => taken).toBeGreaterThan(200);
  // A second worker joins while messages arrive, and takes over its share of the shards (queues of messages).
  sources.push(await worker(2));
  await expect.poll(() => byWorker.get(2) ?? 0).toBeGreaterThan(200);
  const [atFirst, atSecond] = [byWorker.get(1) ?? 0, byWorker.get(2) ?? 0];
  await expect.poll(() => taken - atFirst - atSecond).toBeGreaterThan(500);
  const share = ((byWorker.get(2) ?? 0) - atSecond) / (taken - atFirst - atSecond);
  expect(share).toBeGreaterThan(0.15);
  expect(share).toBeLessThan(0.85);
  expect(repeated).toBe(0);
  // A worker that is stopped hands over its shards within a second. The order of messages does not change.
  const from = Date.now();
  await sources[1]?.leave();
  const leftMs = Date.now() - from;
  await sources[1]?.close();
  const atLeave = taken;
  await expect.poll(() => taken - atLeave).toBeGreaterThan(500);
  isOver = true;
  await publishing;
  await expect.poll(() => taken - repeated).toBe(DEVICES * sent);
  expect({ outOfOrder, atTwo }).toEqual({ outOfOrder: 0, atTwo: 0 });
  expect(leftMs).toBeLessThan(scaleTimeLimitMs(1_000));
  await Promise.all(connections.map((connection) => connection.endAsync(true)));
});

test('messages beyond a worker’s prefetch wait for it, and go to no other worker meanwhile', async () => {
  const [TOPICS, MESSAGES] = [10, 300];
  const owners = new Map<string, Set<number>>();
  const last = new Map<string, number>();
  const held: (() => void)[] = [];
  let isSlow = true;
  let outOfOrder = 0;
  let taken = 0;
  const worker = (number: number) =>
    source(({ topic, payload }, receipt) => {
      // Ignores other topics, whose messages the previous test left unacknowledged.
      if (!topic.includes('burst-')) {
        receipt.done();
        return true;
      }
      taken++;
      owners.set(topic, (owners.get(topic) ?? new Set()).add(number));
      if (Number(payload) !== (last.get(topic) ?? -1) + 1) outOfOrder++;
      last.set(topic, Number(payload));
      if (isSlow) held.push(() => receipt.done());
      else receipt.done();
      return true;
    });
  sources.push(await worker(1), await worker(2));
  const { username, password } = credentials();
  const port = cluster.nodes[0]?.ports.mqtt as number;
  const client = await mqtt.connectAsync({ host: '127.0.0.1', port, username, password, clientId: 'burst' });
  const publishing = Array.from({ length: TOPICS * MESSAGES }, (_, index) =>
    client.publishAsync(getReadingsTopic(`burst-${index % TOPICS}`), String(Math.floor(index / TOPICS)), { qos: 1 }),
  );
  await Promise.all(publishing);
  // Wait until the workers hold as many unacknowledged messages as they may.
  await expect.poll(() => taken).toBeGreaterThan(128);
  await pause(300);
  expect(taken).toBeLessThan(TOPICS * MESSAGES);
  isSlow = false;
  for (const done of held.splice(0)) done();
  await expect.poll(() => taken).toBe(TOPICS * MESSAGES);
  expect(outOfOrder).toBe(0);
  expect([...owners.values()].map((numbers) => numbers.size)).toEqual(Array(TOPICS).fill(1));
  await client.endAsync(true);
});

const credentials = () => {
  const { username, password } = urlOf(cluster.url());
  return { username, password };
};

test('acknowledged readings are stored and counted once, equal to the reference, while a node and a worker are killed and a worker is frozen', async () => {
  const DEVICES = 20;
  const { userId, devices } = await meters(DEVICES);
  const start = async () => {
    const worker = await startRole('ingest', {
      DATABASE_URL: database.url,
      DATA_DIR: folder.path,
      MQTT_URL: cluster.url(),
      LOG_LEVEL: process.env.TEST_LOG ?? 'fatal',
    });
    workers.push(worker);
    return worker;
  };
  const [first, second] = [await start(), await start()];
  publishers = devices.map(({ id, secret }, index) =>
    startRetryingPublisher({ nodes: cluster.nodes, deviceId: id, secret, topic: getReadingsTopic(id), first: index }),
  );
  const base = Date.now() - 20 * 3_600_000;
  const payloadOf = (device: number, sequence: number) =>
    JSON.stringify({ ts: base + sequence * 2_000, energy_total_kwh: 100 + device + sequence / 1_000 });
  let rounds = 0;
  let isOver = false;
  const RATE_MS = 100;
  const publishing = (async () => {
    for (let nextMs = Date.now(); !isOver; nextMs += RATE_MS) {
      publishers.forEach((publisher, device) => {
        publisher.publish(payloadOf(device, rounds));
      });
      rounds++;
      await pause(Math.max(0, nextMs + RATE_MS - Date.now()));
    }
  })();
  const acknowledged = () => publishers.reduce((sum, publisher) => sum + publisher.acknowledged.size, 0);
  const stored = async () =>
    (
      await database.pool.query(
        'SELECT count(*)::int AS count FROM readings JOIN series USING (series_id) JOIN devices USING (device_id) WHERE user_id = $1',
        [userId],
      )
    ).rows[0].count as number;
  /**
   * To be called at a fault. Waits until all readings are stored that were acknowledged up to a second later. Returns the time since the
   * fault in ms.
   */
  const until = async () => {
    const fromMs = Date.now();
    await pause(1_000);
    const asked = new Map(devices.map(({ id }, index) => [id, publishers[index]?.acknowledged.size ?? 0]));
    const isThere = async () => {
      const { rows } = await database.pool.query(
        'SELECT device_id AS id, count(*)::int AS count FROM readings JOIN series USING (series_id) WHERE device_id = ANY ($1) GROUP BY 1',
        [[...asked.keys()]],
      );
      return rows.length === asked.size && rows.every(({ id, count }) => count >= (asked.get(id) ?? 0));
    };
    while (!(await isThere())) await pause(50);
    return Date.now() - fromMs;
  };
  await expect.poll(stored).toBeGreaterThan(500);
  /** Sends SIGSTOP to the worker while its transaction is open and holds row locks. */
  const stopAmidTransaction = async (worker: RoleProcess) => {
    for (let attempt = 0; attempt < 200; attempt++) {
      worker.process.kill('SIGSTOP');
      await pause(100);
      const { rows } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'energy ingest'
           AND state = 'idle in transaction' AND state_change < now() - interval '80 ms'`,
      );
      if (rows.length > 0) return;
      worker.process.kill('SIGCONT');
      await pause(20 + Math.random() * 50);
    }
    throw new Error('not seen in a transaction');
  };
  const took: Record<string, number> = {};
  await second.kill();
  took.workerKilled = await until();
  const third = await start();
  await pause(1_000);
  const node = cluster.nodes[1];
  await node?.kill();
  took.nodeKilled = await until();
  await node?.start();
  await stopAmidTransaction(first);
  took.workerFrozen = await until();
  await pause(Math.max(0, 15_000 - took.workerFrozen));
  first.process.kill('SIGCONT');
  await pause(1_000);
  const stopping = third.stop();
  took.workerStopped = await until();
  expect(await stopping).toBe(0);
  isOver = true;
  await publishing;
  await Promise.all(publishers.map((publisher) => publisher.flush()));
  expect(acknowledged()).toBe(DEVICES * rounds);
  await expect.poll(stored).toBe(DEVICES * rounds);
  const silence = Math.max(...publishers.map((publisher) => publisher.longestSilenceMs()));
  const { rows } = await database.pool.query(
    'SELECT sum(energy_milliwatt_hours)::text AS energy FROM user_hourly WHERE user_id = $1',
    [userId],
  );
  const settings = { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 60 };
  const expected = devices.flatMap(({ id }, device) => {
    const readings = Array.from({ length: rounds }, (_, sequence) => {
      const payload = Buffer.from(payloadOf(device, sequence));
      return (
        decodeNativeMessage({ topic: getReadingsTopic(id), payload, receivedAtMs: Date.now(), replayed: false })
          ?.readings ?? []
      );
    });
    return [...computeReferenceConsumption(readings.flat(), settings, getStartOfHour).values()];
  });
  expect(rows[0].energy).toBe(String(expected.reduce((sum, row) => sum + row.energy, 0n)));
  // The election of a queue's leader takes a second on an idle machine, and much longer on a busy one. The high limit detects only an
  // election that never ends.
  for (const ms of [silence, took.workerKilled, took.nodeKilled, took.workerFrozen]) expect(ms).toBeLessThan(120_000);
  // A worker that is stopped hands over its shards (queues of messages) without a time-out.
  expect(took.workerStopped).toBeLessThan(Math.max(3_000, took.workerFrozen));
});

test('a worker leaves a node that hangs, or that has no majority, within seconds', async () => {
  const ports: number[] = [];
  const ends: string[] = [];
  const write = (line: string) => {
    const { msg, port, err } = JSON.parse(line) as { msg: string; port: number; err?: { message: string } };
    if (msg === 'broker connected') ports.push(port);
    if (msg === 'broker connection ended') ends.push(err?.message ?? '');
  };
  const taken: MessageReceiver = (_message, receipt) => {
    receipt.done();
    return true;
  };
  sources.push(await source(taken, pino({ level: 'info' }, { write })));
  const nodeOf = (port: number | undefined) => cluster.nodes.find(({ ports: { amqp } }) => amqp === port);
  const hung = nodeOf(ports.at(-1));
  hung?.freeze();
  await expect.poll(() => ports.length).toBe(2);
  expect(ends).toEqual(['the broker has sent nothing for 3 s']);
  expect(nodeOf(ports.at(-1))).not.toBe(hung);
  // The first of three nodes still hangs. If a second node hangs, too, the cluster has no majority.
  const third = cluster.nodes.find((node) => node !== hung && node !== nodeOf(ports.at(-1)));
  third?.freeze();
  await expect.poll(() => ends).toHaveLength(2);
  expect(ends[1]).toBe('the broker has reached no majority for 5 s');
  for (const node of [hung, third]) node?.thaw();
  await expect.poll(() => ports.length).toBe(3);
});
