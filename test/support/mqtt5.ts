import { connect as connectTcp } from 'node:net';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';
import { afterEach } from 'vitest';
import type { BrokerOptions, EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import type { Receipt } from '#ingest/source/source.ts';
import { startBroker } from './broker.ts';

export const DEVICE = 'dev_00000000000000000000000000';
export const TOPIC = `energy/v1/${DEVICE}/readings`;
export const STATUS = `energy/v1/${DEVICE}/status`;
export const GATEWAY = 'gwy_00000000000000000000000000';
export const USAGE = `energy/v1/homes/usr_${GATEWAY}/usage`;
/** Much shorter than a keep-alive would take to end a connection. */
const SOON_MS = 5_000;
export const V5 = { protocolVersion: 5 } as const;

/** Ended after each test. */
const brokers: EmbeddedBroker[] = [];
const clients: MqttClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
  for (const broker of brokers.splice(0)) await broker.close();
});

/** Starts a broker that commits each message at once, unless its test holds the receipts. */
export async function startCommittingBroker(given: Partial<BrokerOptions> = {}) {
  const received: { topic: string; text: string }[] = [];
  const held: Receipt[] = [];
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
/** Connects with mqtt.js. `ended`: reason codes of the broker's DISCONNECT. */
export async function connectVersion5(broker: EmbeddedBroker, more: IClientOptions = {}) {
  const client = mqtt.connect(`mqtt://127.0.0.1:${broker.port}`, {
    username: DEVICE,
    password: 'x',
    reconnectPeriod: 0,
    ...V5,
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

/** Connects with these bytes. `replies`: the packets of the broker. */
export async function connectRaw(
  broker: EmbeddedBroker,
  connectBytes: Buffer,
  version: { protocolVersion: number } = V5,
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
/** The fields of a CONNECT. */
export const CONNECT = {
  cmd: 'connect',
  protocolId: 'MQTT',
  clean: true,
  clientId: 'raw',
  keepalive: 60,
  username: DEVICE,
  password: Buffer.from('x'),
} as const;
export const connectPacket = (more: object = {}) => generate({ ...CONNECT, ...V5, ...more } as Packet, V5);

export const publishPacket = (more: object) =>
  generate(
    { cmd: 'publish', topic: TOPIC, payload: 'x', qos: 1, messageId: 1, dup: false, retain: false, ...more } as Packet,
    V5,
  );
