import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeNativeMessage } from '#ingest/decoders/native/decode.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createUser } from '#src/users/store.ts';
import { computeReferenceConsumption, getStartOfHour } from '#test/reference/consumption.ts';
import { startBrokerAuthEndpoint } from '#test/support/cluster/broker-calls.ts';
import { type RetryingPublisher, startRetryingPublisher } from '#test/support/cluster/publisher.ts';
import { type RabbitCluster, startRabbitMq } from '#test/support/cluster/rabbitmq.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

/**
 * Tests the steps of the section "Moving up" in docs/several-machines.md: from the embedded broker to mosquitto, and from there to a
 * RabbitMQ cluster. `energy migrate` moves the database.
 */
const DEVICES = 12;
const ROUND_MS = 100;
/** Number of rounds of messages (one per device) that are published to each broker. */
const ROUNDS = 15;

let database: TestDatabase;
let calls: { app: FastifyInstance; url: string };
let cluster: RabbitCluster;
let mosquitto: Mosquitto;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
const workers: RoleProcess[] = [];
const publishers: RetryingPublisher[] = [];

beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
  calls = await startBrokerAuthEndpoint(createDatabase(database.pool));
  [cluster, mosquitto] = await Promise.all([startRabbitMq({ count: 1, operator: calls.url }), startMosquitto()]);
});
afterAll(async () => {
  await Promise.all(publishers.map((publisher) => publisher.close()));
  process.kill(mosquitto.pid, 'SIGCONT');
  await Promise.all(workers.map((worker) => worker.kill()));
  await Promise.all([cluster.stop(), mosquitto.stop()]);
  await calls.app.close();
  await database.drop();
  await folder.remove();
});

async function ingest(env: Record<string, string> = {}): Promise<RoleProcess> {
  const common = { DATABASE_URL: database.url, DATA_DIR: folder.path, LOG_LEVEL: process.env.TEST_LOG ?? 'fatal' };
  const worker = await startRole('ingest', { ...common, ...env });
  workers.push(worker);
  return worker;
}

test('an installation moves from the embedded broker to mosquitto and on to RabbitMQ without losing a reading or counting one twice', async () => {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: 'moving@example.com', role: 'homeowner' });
  const embedded = await ingest();
  // Address that the broker's host name resolves to. A change of its only item moves the devices to another broker.
  const address = [{ ports: { mqtt: embedded.ready.port as number } }];
  const ids: string[] = [];
  for (let index = 0; index < DEVICES; index++) {
    const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'x' });
    const deviceId = device.device_id;
    ids.push(deviceId);
    publishers.push(
      startRetryingPublisher({ nodes: address, deviceId, secret, topic: getReadingsTopic(deviceId), first: 0 }),
    );
  }
  const base = Date.now() - 20 * 3_600_000;
  const payloadOf = (device: number, sequence: number) =>
    JSON.stringify({
      ts: base + sequence * 30_000,
      energy_total_kwh: 100 + device + (sequence * 7 + (sequence % 5)) / 1_000,
    });
  let rounds = 0;
  let isOver = false;
  const publishing = (async () => {
    for (; !isOver; rounds++) {
      for (const [device, publisher] of publishers.entries()) publisher.publish(payloadOf(device, rounds));
      await pause(ROUND_MS);
    }
  })();
  const acknowledged = () => publishers.reduce((sum, publisher) => sum + publisher.acknowledged.size, 0);
  const stored = async () => (await database.pool.query('SELECT count(*)::int AS count FROM readings')).rows[0].count;
  /** Waits until the broker has acknowledged some more rounds of messages. */
  const waitForMoreRounds = async () => {
    const from = acknowledged();
    await expect.poll(acknowledged).toBeGreaterThan(from + ROUNDS * DEVICES);
  };
  await waitForMoreRounds();

  // Move to mosquitto: start a worker for mosquitto, change the host name's address, then stop the embedded broker.
  const previous = await ingest({ MQTT_URL: mosquitto.url });
  address[0] = { ports: { mqtt: Number(new URL(mosquitto.url).port) } };
  expect(await embedded.stop()).toBe(0);
  await waitForMoreRounds();
  await expect.poll(stored).toBeGreaterThan(ROUNDS * DEVICES * 2);

  // Move to RabbitMQ while mosquitto's worker is down. Acknowledged messages wait in mosquitto's queue.
  await previous.kill();
  await waitForMoreRounds();
  const before = await stored();
  expect(acknowledged() - before).toBeGreaterThan(ROUNDS * DEVICES);
  await ingest({ MQTT_URL: cluster.url(), SHARDS: '8' });
  address[0] = { ports: { mqtt: cluster.nodes[0]?.ports.mqtt as number } };
  // Stop mosquitto with SIGSTOP: devices cannot reach it, but it still has its queued messages.
  process.kill(mosquitto.pid, 'SIGSTOP');
  await waitForMoreRounds();
  await expect.poll(stored).toBeGreaterThan(before + ROUNDS * DEVICES);
  process.kill(mosquitto.pid, 'SIGCONT');
  await ingest({ MQTT_URL: mosquitto.url });
  isOver = true;
  await publishing;
  await Promise.all(publishers.map((publisher) => publisher.flush()));

  expect(acknowledged()).toBe(DEVICES * rounds);
  await expect.poll(stored).toBe(DEVICES * rounds);
  const settings = { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 60 };
  const expected = ids.flatMap((id, device) => {
    const readings = Array.from({ length: rounds }, (_, sequence) => {
      const payload = Buffer.from(payloadOf(device, sequence));
      const message = { topic: getReadingsTopic(id), payload, receivedAtMs: Date.now(), replayed: false };
      return decodeNativeMessage(message)?.readings ?? [];
    });
    return [...computeReferenceConsumption(readings.flat(), settings, getStartOfHour).values()];
  });
  const { rows } = await database.pool.query(
    'SELECT sum(energy_milliwatt_hours)::text AS energy FROM user_hourly WHERE user_id = $1',
    [userId],
  );
  expect(rows[0].energy).toBe(String(expected.reduce((sum, row) => sum + row.energy, 0n)));
  expect((await database.pool.query('SELECT FROM rejected_messages')).rows).toHaveLength(0);
});
