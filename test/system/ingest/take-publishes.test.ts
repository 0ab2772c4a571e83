import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { connect, connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MessageReceipt } from '#ingest/source/source.ts';
import { interceptPublishes } from '#ingest/source/take-publishes.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';

let broker: Mosquitto;
let sender: MqttClient;
beforeAll(async () => {
  broker = await startMosquitto();
  sender = await connectAsync(broker.url);
});
afterAll(async () => {
  await sender.endAsync();
  await broker.stop();
});

interface Taken {
  topic: string;
  payload: Buffer;
  isRetained: boolean;
  receipt: MessageReceipt;
}

function taking(url: string, settings: IClientOptions = {}, hold: (readOn: () => void) => boolean = () => false) {
  const client = connect(url, { protocolVersion: 5, manualConnect: true, reconnectPeriod: 20, ...settings });
  const taken: Taken[] = [];
  interceptPublishes(client, {
    take: (topic, payload, isRetained, receipt) => taken.push({ topic, payload, isRetained, receipt }),
    acknowledged() {},
    hold,
  });
  client.connect();
  return { client, taken };
}

test('the pinned mqtt.js still allows messages to be intercepted before it processes them, and acknowledged later, many at a time', async () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(dependencies.mqtt, 'take-publishes.ts wraps a private field: pin the version').toMatch(/^\d/);
  // With `receiveMaximum`, the broker sends at most five messages that are not acknowledged.
  const { client, taken } = taking(broker.url, { properties: { receiveMaximum: 5 } });
  const seenByMqttJs: string[] = [];
  client.on('message', (topic) => seenByMqttJs.push(topic));
  await client.subscribeAsync('t', { qos: 1 });
  for (let index = 0; index < 12; index++) await sender.publishAsync('t', String(index), { qos: 1 });
  const takenTexts = () => taken.map(({ topic, payload }) => `${topic} ${payload}`);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => `t ${index}`);
  await expect.poll(takenTexts).toEqual(upTo(5));
  // When the broker responds to this subscription, it has already sent all messages that it may send without further acknowledgements.
  await client.subscribeAsync('u', { qos: 1 });
  expect(takenTexts()).toEqual(upTo(5));
  for (const { receipt } of taken) receipt.done();
  await expect.poll(() => takenTexts().length).toBeGreaterThanOrEqual(10);
  for (const { receipt } of taken.slice(5)) receipt.done();
  await expect.poll(takenTexts).toEqual(upTo(12));
  // mqtt.js still handles the client's own PUBLISH and PINGREQ packets.
  await client.publishAsync('u', 'own', { qos: 1 });
  await expect.poll(() => taken.at(-1)?.topic).toBe('u');
  const answered = new Promise((resolve) => client.once('packetreceive', ({ cmd }) => resolve(cmd)));
  client.sendPing();
  expect(await answered).toBe('pingresp');
  expect(seenByMqttJs).toEqual([]);
  await client.endAsync();
});

test('messages without an acknowledgement are sent again after a reconnection, and acknowledged ones are not', async () => {
  const { client, taken } = taking(broker.url, {
    clientId: 'comes-again',
    clean: false,
    properties: { sessionExpiryInterval: 60 },
  });
  await client.subscribeAsync('again', { qos: 1 });
  for (const text of ['a', 'b', 'c']) await sender.publishAsync('again', text, { qos: 1 });
  await expect.poll(() => taken.length).toBe(3);
  taken[0]?.receipt.done();
  // The broker handles packets in order. When it responds to this packet, it has handled the acknowledgement before it.
  await client.subscribeAsync('something else', { qos: 1 });
  const back = new Promise((resolve) => client.once('connect', resolve));
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  client.stream.destroy();
  await back;
  await expect.poll(() => taken.map(({ payload }) => String(payload))).toEqual(['a', 'b', 'c', 'b', 'c']);
  // These acknowledgements belong to messages of the lost connection, so they are not sent on the new one.
  for (const { receipt } of taken.slice(1)) receipt.done();
  await client.subscribeAsync('something else', { qos: 1 });
  expect([client.connected, errors]).toEqual([true, []]);
  await client.endAsync();
});

test('stops reading while it is paused, and then reads everything', async () => {
  const held: (() => void)[] = [];
  let isOpen = true;
  const { client, taken } = taking(broker.url, {}, (readOn) => {
    if (!isOpen) held.push(readOn);
    return !isOpen;
  });
  await client.subscribeAsync('much', { qos: 1 });
  isOpen = false;
  const COUNT = 300;
  const payload = Buffer.alloc(100_000, 'x');
  await Promise.all(Array.from({ length: COUNT }, () => sender.publishAsync('much', payload, { qos: 1 })));
  await expect.poll(() => held.length).toBe(1);
  const before = taken.length;
  expect(before).toBeLessThan(COUNT / 2);
  isOpen = true;
  for (const readOn of held) readOn();
  await expect.poll(() => taken.length).toBe(COUNT);
  expect(taken.every((one) => one.payload.equals(payload))).toBe(true);
  await client.endAsync(true);
});

test('a broker that violates the protocol is disconnected, reported with the reason, and connected to again', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    // The stub broker sends a CONNACK of MQTT 5, and a QoS 2 message to which the client has not subscribed.
    socket.once('data', () => socket.write(Buffer.from([0x20, 3, 0, 0, 0, 0x34, 6, 0, 1, 116, 0, 1, 0])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { client, taken } = taking(`mqtt://127.0.0.1:${port}`);
  const errors: string[] = [];
  client.on('error', ({ message }) => errors.push(message));
  await expect.poll(() => connections).toBeGreaterThan(1);
  expect(errors[0]).toContain('QoS 2');
  expect(taken).toEqual([]);
  await client.endAsync(true);
  server.close();
});

test('reconnects to a broker that ended the connection, after processing its last messages', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    // The stub broker sends a CONNACK, a message, and a DISCONNECT. The reason code is that another client has taken over the session.
    const packets = [0x20, 3, 0, 0, 0, 0x30, 5, 0, 1, 116, 0, 120, 0xe0, 2, 0x8e, 0];
    socket.once('data', () => socket.end(Buffer.from(packets)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { client, taken } = taking(`mqtt://127.0.0.1:${port}`);
  const [reasons, errors]: unknown[][] = [[], []];
  client.on('error', (error) => errors?.push(error));
  client.on('disconnect', ({ reasonCode }) => reasons?.push(reasonCode));
  await expect.poll(() => connections).toBeGreaterThan(2);
  expect(taken.map(({ topic, payload }) => `${topic} ${payload}`).slice(0, 2)).toEqual(['t x', 't x']);
  expect(reasons?.slice(0, 2)).toEqual([0x8e, 0x8e]);
  expect(errors).toEqual([]);
  await client.endAsync(true);
  server.close();
});

test('reports an unreachable broker as mqtt.js does', async () => {
  const { client } = taking('mqtt://127.0.0.1:1');
  const code = await new Promise((resolve) =>
    client.once('error', (error) => resolve((error as { code?: string }).code)),
  );
  expect(code).toBe('ECONNREFUSED');
  await client.endAsync(true);
});
