import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { generate } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { createDatabase } from '#src/database/connect.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { type IngestProcess, setUpIngestProcess } from '#test/support/ingest-process.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

let made: IngestProcess;
setUpIngestProcess((process) => {
  made = process;
});

interface Login {
  username: string;
  password: string;
}
let people = 0;
const homeowner = async (enrolledBy?: string) => {
  const email = `bounds${++people}@x.example`;
  const user = await createUser(createDatabase(made.database.pool), {
    email,
    role: 'homeowner',
    ...(enrolledBy && { enrolledBy }),
  });
  return user.user_id;
};
async function gatewayOf(userId: string): Promise<Login> {
  const { gateway, secret } = await createGateway(createDatabase(made.database.pool), { userId, name: 'bridge' });
  return { username: gateway.gateway_id, password: secret };
}
async function meter(): Promise<Login & { topic: string }> {
  const db = createDatabase(made.database.pool);
  const { device, secret } = await createDevice(db, { userId: await homeowner(), type: 'meter', location: 'cellar' });
  return { username: device.device_id, password: secret, topic: `energy/v1/${device.device_id}/readings` };
}
async function connect({ username, password }: Login, more: IClientOptions = {}): Promise<MqttClient> {
  const url = `mqtt://127.0.0.1:${made.ingest.ready.port}`;
  const client = await mqtt.connectAsync(url, { username, password, reconnectPeriod: 0, ...more });
  client.on('error', () => {});
  return client;
}
/** Resident memory of the worker in MiB (proc(5), statm: second field, in pages of 4 KiB). */
const residentMib = () => Number(readFileSync(`/proc/${made.ingest.process.pid}/statm`, 'utf8').split(' ')[1]) / 256;
/** Time within which the broker must end a connection, in ms. The time-out of the keepalive is much longer. */
const SOON_MS = 10_000;
const usageTopic = (userId: string) => `energy/v1/homes/${userId}/usage`;

/** Logs in and sends raw packets. Returns whether the broker ended the connection. */
async function sendRaw({ username, password }: Login, clientId: string, packets: readonly Buffer[], clean = true) {
  const socket = connectTcp(Number(made.ingest.ready.port), '127.0.0.1');
  const login = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean, clientId, keepalive: 60 } as const;
  socket.on('error', () => {});
  const isEnded = new Promise<boolean>((resolve) => {
    socket.once('close', () => resolve(true));
    setTimeout(resolve, SOON_MS, false).unref();
  });
  socket.write(generate({ ...login, username, password: Buffer.from(password) }));
  await new Promise((resolve) => socket.once('data', resolve));
  let bytes = 0;
  socket.on('data', (data) => {
    bytes += data.length;
  });
  for (const packet of packets) socket.write(packet);
  /** Resolves when the broker has sent `count` PUBREC packets (four bytes each), or when the connection has ended. */
  const acknowledged = (count: number) => Promise.race([isEnded, expect.poll(() => bytes).toBe(4 * count)]);
  return { socket, isEnded, acknowledged };
}
const subscribePacket = (topics: readonly string[]) =>
  generate({
    cmd: 'subscribe',
    messageId: 1,
    qos: 1,
    dup: false,
    retain: false,
    length: 0,
    payload: '',
    topic: '',
    subscriptions: topics.map((topic) => ({ topic, qos: 1 as const })),
  } as Parameters<typeof generate>[0]);

/** Publishes readings of another device. Returns the longest time until one of them is acknowledged, in ms. */
async function slowestPuback(client: MqttClient, topic: string, times: number): Promise<number> {
  let slowest = 0;
  for (let turn = 0; turn < times; turn++) {
    const fromMs = performance.now();
    await client.publishAsync(topic, JSON.stringify({ power_w: turn }), { qos: 1 });
    slowest = Math.max(slowest, performance.now() - fromMs);
  }
  return slowest;
}

test('SUBSCRIBEs with many thousand filters end their connections, and a neighbour’s PUBACK comes within a second', async () => {
  const neighbour = await meter();
  const client = await connect(neighbour);
  await slowestPuback(client, neighbour.topic, 1);
  const gateway = await gatewayOf(await homeowner());
  const topics = Array.from({ length: 30_000 }, (_, index) => usageTopic(`usr_${String(index).padStart(26, '0')}`));
  const short = topics.slice(0, 10_000).map((_, index) => `a${index}`);
  const attacks = [subscribePacket(topics), subscribePacket(short), subscribePacket(topics.slice(0, 101))];
  const sent = await Promise.all(attacks.map((packet, index) => sendRaw(gateway, `hog${index}`, [packet])));
  const slowest = await slowestPuback(client, neighbour.topic, 20);
  expect(slowest).toBeLessThan(scaleTimeLimitMs(1_000));
  for (const { isEnded } of sent) expect(await isEnded).toBe(true);
  await client.endAsync(true);
});

test('a hundred filters are granted; more and more filters end the connection, even if spread over many packets', async () => {
  const neighbour = await meter();
  const client = await connect(neighbour);
  const userId = await homeowner();
  const gateway = await gatewayOf(userId);
  const own = await connect(gateway);
  const few = [usageTopic(userId), ...Array.from({ length: 99 }, (_, index) => `x/${index}`)];
  const granted = await own.subscribeAsync(few, { qos: 1 }).catch(() => null);
  expect(granted === null || granted.filter(({ qos }) => qos < 128).length === 1).toBe(true);
  await slowestPuback(own, `gw/${gateway.username}/x`, 1);
  const packet = subscribePacket(Array.from({ length: 100 }, (_, index) => usageTopic(`usr_${index}`)));
  const { isEnded } = await sendRaw(
    gateway,
    'many',
    Array.from({ length: 300 }, () => packet),
  );
  expect(await slowestPuback(client, neighbour.topic, 20)).toBeLessThan(scaleTimeLimitMs(1_000));
  expect(await isEnded).toBe(true);
  await Promise.all([own.endAsync(true), client.endAsync(true)]);
});

test('QoS 2 messages that are never released take no memory, whatever client ids are used', async () => {
  const gateway = await gatewayOf(await homeowner());
  const neighbour = await meter();
  const client = await connect(neighbour);
  await slowestPuback(client, neighbour.topic, 5);
  const before = residentMib();
  const payload = Buffer.alloc(1_000_000, 'x');
  const messages = ['$SYS/broker/connection/x', `gw/${gateway.username}/x`].flatMap((topic) =>
    Array.from({ length: 10 }, (_, index) =>
      generate({
        cmd: 'publish',
        topic,
        payload,
        qos: 2,
        messageId: topic.length * 100 + index,
        dup: false,
        retain: true,
      }),
    ),
  );
  for (let session = 0; session < 20; session++) {
    const { socket, acknowledged } = await sendRaw(gateway, `session${session}`, messages, false);
    await acknowledged(messages.length);
    await slowestPuback(client, neighbour.topic, 1);
    socket.destroy();
  }
  await slowestPuback(client, neighbour.topic, 20);
  // The clients sent 400 MB of messages. The growth of less than 200 MiB shows that the process does not store them in memory.
  await expect.poll(() => residentMib() - before).toBeLessThan(200);
  await client.endAsync(true);
});

test('a repeated QoS 2 message counts once, on the same connection and on a later one of its session', async () => {
  const device = await meter();
  const message = (messageId: number, dup: boolean) =>
    generate({
      cmd: 'publish',
      topic: device.topic,
      payload: Buffer.from('{"power_w":5}'),
      qos: 2,
      messageId,
      dup,
      retain: false,
    });
  const stored = async () =>
    (
      await made.database.pool.query(
        'SELECT count(*)::int AS n FROM readings JOIN series USING (series_id) WHERE device_id = $1',
        [device.username],
      )
    ).rows[0].n;
  const first = await sendRaw(device, 'lasting', [message(7, false), message(7, true)], false);
  await expect.poll(stored).toBe(1);
  first.socket.destroy();
  const second = await sendRaw(device, 'lasting', [message(7, true), message(8, false)], false);
  await expect.poll(stored).toBe(2);
  second.socket.destroy();
  const third = await sendRaw(device, 'lasting', [message(8, true), message(9, false)], false);
  await expect.poll(stored).toBe(3);
  third.socket.destroy();
});

test('a login that reconnects continuously is refused for the rest of the minute, without affecting other logins', async () => {
  const [hog, neighbour] = [await gatewayOf(await homeowner()), await meter()];
  let refusedAt = 0;
  for (let turn = 1; turn <= 200 && refusedAt === 0; turn++)
    await connect(hog, { clientId: `flood${turn}` }).then(
      (client) => client.endAsync(true),
      (error: { code?: number }) => {
        expect(error.code).toBe(3);
        refusedAt = turn;
      },
    );
  expect(refusedAt).toBeGreaterThan(100);
  const client = await connect(neighbour);
  expect(await slowestPuback(client, neighbour.topic, 5)).toBeLessThan(scaleTimeLimitMs(1_000));
  await client.endAsync(true);
});

test('the twenty-first connection of a login ends its oldest one', async () => {
  const device = await meter();
  const clients: MqttClient[] = [];
  for (let index = 0; index < 25; index++) clients.push(await connect(device, { clientId: `many${index}` }));
  await expect.poll(() => clients.filter(({ connected }) => connected).length).toBe(20);
  expect(clients.slice(5).every(({ connected }) => connected)).toBe(true);
  await Promise.all(clients.map((client) => client.endAsync(true)));
});

test('a hundred gateways of a utility’s homes do not prevent another home from receiving its usage', async () => {
  const db = createDatabase(made.database.pool);
  const utility = await createUser(db, { email: `utility${++people}@x.example`, role: 'utility' });
  const listen = async (userId: string) => {
    const client = await connect(await gatewayOf(userId));
    const granted = await client.subscribeAsync(usageTopic(userId), { qos: 0 }).catch(() => null);
    return { client, isGranted: granted !== null && (granted[0]?.qos ?? 128) < 128 };
  };
  const fleet = [];
  for (let home = 0; home < 110; home++) fleet.push(await listen(await homeowner(utility.user_id)));
  const other = await listen(await homeowner());
  expect(other.isGranted).toBe(true);
  const grantedCount = fleet.filter(({ isGranted }) => isGranted).length;
  expect(grantedCount).toBeGreaterThan(50);
  expect(grantedCount).toBeLessThan(100);
  await Promise.all([other, ...fleet].map(({ client }) => client.endAsync(true)));
});
