import { connect as connectTcp } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { createDevice, deleteDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createUser } from '#src/users/store.ts';
import { createCertificateAuthority } from '#test/support/certificates.ts';
import { killProcessesAlternately } from '#test/support/cluster/ingest-kills.ts';
import { type IngestPair, startIngestPair } from '#test/support/cluster/ingest-pair.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { pairDevices } from '../../../bench/support.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

const DEVICES = 60;
/**
 * Maximum time until a process ends a connection if the same login has meanwhile connected to another process. Each process checks this
 * every second.
 */
const SOON = { timeout: 5_000, interval: 50 };
/** This address is not in TRUST_PROXY, so the service treats connections from it as direct connections of clients. */
const DIRECT = '127.0.0.2';

let database: TestDatabase;
let db: Database;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let authority: Awaited<ReturnType<typeof createCertificateAuthority>>;
let pair: IngestPair;
const clients: MqttClient[] = [];
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
  db = createDatabase(database.pool);
  authority = await createCertificateAuthority(folder.path, 'ours');
  pair = await startIngestPair({ url: database.url, clientCa: authority.file });
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.endAsync(true))));
afterAll(async () => {
  await pair.remove();
  await database.drop();
  await folder.remove();
});

type Which = 0 | 1;
const portOf = (which: Which) => pair.processes[which].ports.mqtt;

/**
 * Connects to one process directly, not through the proxy. `ended` contains the reason codes of the DISCONNECT packets that the client
 * received.
 */
async function connectTo(which: Which, options: IClientOptions) {
  const open = () => connectTcp({ port: portOf(which), host: '127.0.0.1', localAddress: DIRECT });
  const client = new mqtt.MqttClient(open, { reconnectPeriod: 0, clientId: 'same', ...options });
  const ended: number[] = [];
  client.on('error', () => {});
  client.on('disconnect', ({ reasonCode = 0 }) => void ended.push(reasonCode));
  clients.push(client);
  const { sessionPresent } = await new Promise<mqtt.IConnackPacket>((resolve, reject) => {
    client.once('connect', resolve);
    client.once('close', () => reject(new Error('closed')));
  });
  return { client, ended, sessionPresent };
}

async function makeMeter() {
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const { device, secret } = await createDevice(db, { userId, type: 'meter', location: 'cellar' });
  const deviceId = device.device_id;
  const column = async (name: string, from: string) =>
    (await database.pool.query(`SELECT ${name} AS value FROM ${from} WHERE device_id = $1`, [deviceId])).rows[0].value;
  return {
    userId,
    deviceId,
    topic: getReadingsTopic(deviceId),
    statusTopic: `energy/v1/${deviceId}/status`,
    login: { username: deviceId, password: secret },
    stored: (): Promise<number> => column('count(*)::int', 'readings JOIN series USING (series_id)'),
    isFaulty: (): Promise<boolean> => column('is_faulty', 'devices'),
  };
}
const reading = (index: number) =>
  JSON.stringify({ ts: Date.UTC(2026, 10, 1) / 1_000 + index, energy_total_kwh: index });

test.each([4, 5] as const)(
  'version %i: a client id is connected to one process at a time: the previous one ends its connection without publishing its will',
  async (protocolVersion) => {
    const { login, topic, statusTopic, stored, isFaulty } = await makeMeter();
    const will = { topic: statusTopic, payload: Buffer.from('faulty'), qos: 1 as const, retain: false };
    const options = { ...login, protocolVersion, will };
    const first = await connectTo(0, options);
    const second = await connectTo(1, options);
    await second.client.publishAsync(topic, reading(1), { qos: 1 });
    await expect.poll(() => first.client.connected, SOON).toBe(false);
    if (protocolVersion === 5) expect(first.ended).toEqual([0x8e]);
    // The client reconnects to the first process while the second process is stopped (SIGSTOP). The second process detects the end of its
    // connection only later.
    pair.processes[1].signal('SIGSTOP');
    second.client.stream.destroy();
    const third = await connectTo(0, options);
    await third.client.publishAsync(topic, reading(2), { qos: 1 });
    pair.processes[1].signal('SIGCONT');
    await pause(4_000);
    expect([third.client.connected, await stored(), await isFaulty()]).toEqual([true, 2, false]);
    // The client's will (last message) is published if the client does not reconnect.
    third.client.stream.destroy();
    await expect.poll(isFaulty).toBe(true);
  },
);

test('a will is not published if its client connects to another process before the will is due', async () => {
  const { login, topic, statusTopic, stored, isFaulty } = await makeMeter();
  const will = { topic: statusTopic, payload: Buffer.from('faulty'), qos: 1 as const, retain: false };
  const first = await connectTo(0, { ...login, will });
  first.client.stream.destroy();
  const second = await connectTo(1, { ...login, will });
  await second.client.publishAsync(topic, reading(1), { qos: 1 });
  // Wait longer than the will's delay interval.
  await pause(4_000);
  expect([second.client.connected, await stored(), await isFaulty()]).toEqual([true, 1, false]);
});

/** Opens a connection on which single MQTT packets are sent. `next` returns the next packet from the broker. */
function rawClient(which: Which, protocolVersion: 4 | 5) {
  const socket = connectTcp({ port: portOf(which), host: '127.0.0.1', localAddress: DIRECT });
  const [replies, waiting]: [Packet[], ((packet: Packet) => void)[]] = [[], []];
  const reading = parser({ protocolVersion }).on('packet', (packet) => {
    const wanted = waiting.shift();
    if (wanted) wanted(packet);
    else replies.push(packet);
  });
  socket.on('data', (data) => reading.parse(data));
  socket.on('error', () => {});
  return {
    socket,
    send: (packet: object) => void socket.write(generate(packet as Packet, { protocolVersion })),
    next: () =>
      new Promise<Packet>((resolve) => {
        const reply = replies.shift();
        if (reply) resolve(reply);
        else waiting.push(resolve);
      }),
  };
}

test.each([
  { protocolVersion: 4, ending: 'has broken' },
  { protocolVersion: 5, ending: 'has broken' },
  // When the client reconnects to the first process, this process detects that the login has been connected to the second process.
  { protocolVersion: 4, ending: 'is still open' },
  { protocolVersion: 5, ending: 'is still open' },
] as const)(
  'version $protocolVersion: if its connection $ending, an open QoS 2 exchange is completed at another process, and its id is free again at the first',
  async ({ protocolVersion, ending }) => {
    const { login, topic, stored } = await makeMeter();
    const begin = async (which: Which) => {
      const client = rawClient(which, protocolVersion);
      const properties = protocolVersion === 5 ? { properties: { sessionExpiryInterval: 3_600 } } : {};
      const connect = {
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion,
        clean: false,
        clientId: 'raw',
        keepalive: 60,
      };
      client.send({ ...connect, ...login, password: Buffer.from(login.password), ...properties });
      expect(await client.next()).toMatchObject({ cmd: 'connack', sessionPresent: false });
      return client;
    };
    const publish = (index: number, dup: boolean) => ({
      ...{ cmd: 'publish', topic, payload: reading(index), qos: 2, messageId: 5, dup, retain: false },
    });
    const first = await begin(0);
    first.send(publish(1, false));
    expect(await first.next()).toMatchObject({ cmd: 'pubrec', messageId: 5 });
    if (ending === 'has broken') first.socket.destroy();
    // The client has not received the PUBREC, so it sends the same message again, to the second process.
    const second = await begin(1);
    second.send(publish(1, true));
    expect(await second.next()).toMatchObject({ cmd: 'pubrec', messageId: 5 });
    second.send({ cmd: 'pubrel', messageId: 5, qos: 1 });
    expect(await second.next()).toMatchObject({ cmd: 'pubcomp', messageId: 5 });
    second.socket.destroy();
    // The exchange of the message with id 5 is complete, so another message with this id is a new one.
    const third = await begin(0);
    third.send(publish(2, false));
    expect(await third.next()).toMatchObject({ cmd: 'pubrec', messageId: 5 });
    expect(await stored()).toBe(2);
    first.socket.destroy();
    // A process must answer a PUBREL even if the other process received the message.
    third.socket.destroy();
    const fourth = await begin(1);
    fourth.send({ cmd: 'pubrel', messageId: 5, qos: 1 });
    expect(await fourth.next()).toMatchObject({ cmd: 'pubcomp', messageId: 5 });
    fourth.socket.destroy();
  },
);

test('a gateway receives its home’s usage at each process, and announcements at one process are known at the other', async () => {
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const { gateway, secret } = await createGateway(db, { userId, name: 'home' });
  const login = { username: gateway.gateway_id, password: secret };
  const below = (topic: string) => `gw/${gateway.gateway_id}/${topic}`;
  const config = { stat_t: 'meter/total', dev_cla: 'energy', stat_cla: 'total_increasing', unit_of_meas: 'kWh' };
  const announcement = { ...config, uniq_id: 'meter_total', dev: { ids: ['meter'], name: 'Meter' } };
  for (const which of [0, 1] as const) {
    const { client } = await connectTo(which, login);
    const received: string[] = [];
    client.on('message', (_topic, payload) => void received.push(String(payload)));
    await client.subscribeAsync(`energy/v1/homes/${userId}/usage`, { qos: 1 });
    await expect.poll(() => received.length, SOON).toBeGreaterThan(0);
    expect(JSON.parse(received[0] ?? '')).toMatchObject({ user_id: userId });
    const [topic, text] =
      which === 0 ? ['homeassistant/sensor/total/config', JSON.stringify(announcement)] : ['meter/total', '12.5'];
    await client.publishAsync(below(topic), text, { qos: 1 });
  }
  const { rows } = await database.pool.query('SELECT family, channels FROM discovered_devices WHERE gateway_id = $1', [
    gateway.gateway_id,
  ]);
  expect(rows).toEqual([{ family: 'homeassistant', channels: [expect.objectContaining({ channel: 'import' })] }]);
});

test('limits of requests count at each process, and a deleted device is disconnected from either', async () => {
  const { login } = await makeMeter();
  const attempts = async (which: Which, count: number) => {
    let refused = 0;
    for (let attempt = 0; attempt < count; attempt++)
      await connectTo(which, { ...login, clientId: `${attempt}` }).then(
        ({ client }) => client.end(true),
        () => refused++,
      );
    return refused;
  };
  // An IP address may make 120 attempts a minute. A new minute may begin between the test's attempts.
  expect([await attempts(1, 125), await attempts(0, 1)]).toEqual([expect.any(Number), 0]);
  const deleted = [await makeMeter(), await makeMeter()] as const;
  const connected = [await connectTo(0, deleted[0].login), await connectTo(1, deleted[1].login)];
  for (const one of deleted) await deleteDevice(db, ALL_ACCOUNTS, one.deviceId);
  for (const which of [0, 1] as const) await expect(connectTo(which, deleted[which].login)).rejects.toThrow('closed');
  await expect.poll(() => connected.map(({ client }) => client.connected)).toEqual([false, false]);
});

test('only the proxy can report a client’s address and certificate', async () => {
  const { deviceId, topic, stored } = await makeMeter();
  const { cert, key } = await authority.sign(deviceId);
  const url = `mqtts://127.0.0.1:${pair.proxy.ports.mqtts}`;
  const client = await mqtt.connectAsync(url, { cert, key, rejectUnauthorized: false, reconnectPeriod: 0 });
  clients.push(client);
  await client.publishAsync(topic, reading(1), { qos: 1 });
  expect(await stored()).toBe(1);
  const foreign = await (await createCertificateAuthority(folder.path, 'foreign')).sign(deviceId);
  await expect(mqtt.connectAsync(url, { ...foreign, rejectUnauthorized: false, reconnectPeriod: 0 })).rejects.toThrow();
  // A proxy header from an untrusted address is invalid MQTT. A connection from the proxy's address without a proxy header is refused, too.
  for (const localAddress of [DIRECT, '127.0.0.1']) {
    const socket = connectTcp({ port: portOf(0), host: '127.0.0.1', localAddress });
    const header = Buffer.from('0d0a0d0a000d0a515549540a2111000c7f0000017f00000100010001', 'hex');
    socket.on('error', () => {});
    socket.write(localAddress === DIRECT ? header : Buffer.from([0xc0, 0]));
    await expect(new Promise((resolve) => socket.once('close', () => resolve('closed')))).resolves.toBe('closed');
  }
});

test('each process is killed in turn: acknowledged messages are stored once, and every client reconnects soon', async () => {
  const devices = await pairDevices(database.pool, DEVICES);
  const { rounds, ...counted } = await killProcessesAlternately(pair, { pool: database.pool, devices, rounds: 2 });
  expect(counted).toEqual({ acknowledged: expect.any(Number), lost: 0, doubled: 0 });
  for (const { moved, backS, othersGapS } of rounds) {
    // The clients of a killed process move to the other process. Up to three quarters of all clients therefore move at the second kill.
    expect(moved).toBeGreaterThan(10);
    expect(moved).toBeLessThan(DEVICES);
    expect(backS * 1_000).toBeLessThan(scaleTimeLimitMs(5_000));
    expect(othersGapS * 1_000).toBeLessThan(scaleTimeLimitMs(3_000));
  }
});

test('a process that is stopped ends its connections to the other one at once, and exits within its time limit', async () => {
  const meters = await Promise.all(Array.from({ length: 20 }, makeMeter));
  const url = `mqtt://127.0.0.1:${pair.proxy.ports.mqtt}`;
  const connected = await Promise.all(
    meters.map(async ({ login, statusTopic }) => {
      const will = { topic: statusTopic, payload: Buffer.from('faulty'), qos: 1 as const, retain: false };
      const client = await mqtt.connectAsync(url, { ...login, will, reconnectPeriod: 100 });
      clients.push(client);
      return client;
    }),
  );
  let reconnected = 0;
  for (const client of connected) client.on('connect', () => reconnected++);
  const fromMs = performance.now();
  const stopping = pair.processes[0].stop();
  await expect
    .poll(
      async () =>
        (await fetch(`http://127.0.0.1:${pair.processes[0].ports.operator}/readyz`).catch(() => null))?.status ?? 503,
    )
    .toBe(503);
  expect(await stopping).toBe(0);
  expect(performance.now() - fromMs).toBeLessThan(scaleTimeLimitMs(5_000));
  await expect.poll(() => connected.every((client) => client.connected), SOON).toBe(true);
  expect(reconnected).toBeGreaterThan(2);
  await Promise.all(
    connected.map((client, index) => client.publishAsync(meters[index]?.topic ?? '', reading(1), { qos: 1 })),
  );
  expect(new Set(await Promise.all(meters.map(({ isFaulty }) => isFaulty())))).toEqual(new Set([false]));
});
