import { connect as connectTcp } from 'node:net';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';
import { afterEach } from 'vitest';
import type { BrokerOptions, EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import type { MessageReceipt } from '#ingest/source/source.ts';
import { startBroker } from './broker.ts';

export const DEVICE_ID = 'dev_00000000000000000000000000';
export const READINGS_TOPIC = `energy/v1/${DEVICE_ID}/readings`;
export const STATUS_TOPIC = `energy/v1/${DEVICE_ID}/status`;
export const GATEWAY_ID = 'gwy_00000000000000000000000000';
export const USAGE_TOPIC = `energy/v1/homes/usr_${GATEWAY_ID}/usage`;
/** Time limit within which the broker must end a connection, shorter than a keep-alive timeout. */
const SOON_MS = 5_000;
export const MQTT5_OPTIONS = { protocolVersion: 5 } as const;

/** Ended after each test. */
const brokers: EmbeddedBroker[] = [];
const clients: MqttClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
  for (const broker of brokers.splice(0)) await broker.close();
});

/** Starts a broker that commits each message at once, unless the test delays commits. */
export async function startBrokerWithControlledCommits(given: Partial<BrokerOptions> = {}) {
  const received: { topic: string; text: string }[] = [];
  const held: MessageReceipt[] = [];
  const holding = { isOn: false };
  const broker = await startBroker({
    receive({ topic, payload }, receipt) {
      received.push({ topic, text: payload.toString() });
      if (holding.isOn) held.push(receipt);
      else receipt.done();
      return true;
    },
    homes: { read: async (userId) => `usage of ${userId}`, marks: async () => new Map() },
    ...given,
  });
  brokers.push(broker);
  return { broker, received, held, holding, texts: () => received.map(({ text }) => text) };
}
/** Connects with mqtt.js over MQTT 5. `ended`: reason codes of DISCONNECT packets from the broker. */
export async function connectMqtt5Client(broker: EmbeddedBroker, more: IClientOptions = {}) {
  const client = mqtt.connect(`mqtt://127.0.0.1:${broker.port}`, {
    username: DEVICE_ID,
    password: 'x',
    reconnectPeriod: 0,
    ...MQTT5_OPTIONS,
    ...more,
  });
  clients.push(client);
  const ended: number[] = [];
  client.on('error', () => {});
  client.on('disconnect', ({ reasonCode = 0 }) => ended.push(reasonCode));
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const connack = await new Promise<mqtt.IConnackPacket>((resolve, reject) => {
    client.once('connect', resolve);
    client.once('error', reject);
    client.once('close', () => reject(new Error('closed')));
  });
  return { client, connack, ended, closed };
}

/** Opens a TCP connection to the broker and sends these bytes. `replies`: packets that the broker sends back. */
export async function connectWithRawBytes(
  broker: EmbeddedBroker,
  connectBytes: Buffer,
  version: { protocolVersion: number } = MQTT5_OPTIONS,
) {
  const socket = connectTcp(broker.port, '127.0.0.1');
  const replies: Packet[] = [];
  const reading = parser(version).on('packet', (packet) => replies.push(packet));
  socket.on('error', () => {});
  socket.on('data', (data) => reading.parse(data));
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('close', () => resolve());
    setTimeout(() => reject(new Error(`still open after ${JSON.stringify(replies)}`)), SOON_MS).unref();
  });
  closed.catch(() => {});
  socket.write(connectBytes);
  return { socket, replies, closed };
}
export const CONNECT_FIELDS = {
  cmd: 'connect',
  protocolId: 'MQTT',
  clean: true,
  clientId: 'raw',
  keepalive: 60,
  username: DEVICE_ID,
  password: Buffer.from('x'),
} as const;
export const encodeConnectPacket = (more: object = {}) =>
  generate({ ...CONNECT_FIELDS, ...MQTT5_OPTIONS, ...more } as Packet, MQTT5_OPTIONS);

export const encodePublishPacket = (more: object) =>
  generate(
    {
      cmd: 'publish',
      topic: READINGS_TOPIC,
      payload: 'x',
      qos: 1,
      messageId: 1,
      dup: false,
      retain: false,
      ...more,
    } as Packet,
    MQTT5_OPTIONS,
  );
