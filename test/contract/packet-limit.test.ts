import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connectAsync } from 'mqtt';
import { generate } from 'mqtt-packet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import { startBroker } from '#test/support/broker.ts';

const DEVICE = 'dev_00000000000000000000000000';
const TOPIC = `energy/v1/${DEVICE}/readings`;
let broker: EmbeddedBroker;
let received = 0;

beforeAll(async () => {
  broker = await startBroker({
    receive(_message, receipt) {
      received++;
      receipt.done();
      return true;
    },
  });
});
afterAll(() => broker.close());

/**
 * Sends `head` and filler bytes until the broker closes the connection, `mostBytes` in total at most. Resolves with the number of sent
 * bytes.
 */
async function flood(head: Buffer, mostBytes: number): Promise<number> {
  const socket: Socket = connect(broker.port, '127.0.0.1');
  let isOver = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    isOver = true;
  });
  socket.write(head);
  const chunk = Buffer.alloc(65_536, 'x');
  while (!isOver && socket.bytesWritten < mostBytes) {
    if (!socket.write(chunk))
      await Promise.race([
        new Promise((done) => socket.once('drain', done)),
        new Promise((done) => socket.once('close', done)),
      ]);
    else await new Promise((done) => setImmediate(done));
  }
  const { bytesWritten } = socket;
  socket.destroy();
  return bytesWritten;
}

/** Maximum remaining length of an MQTT packet: 256 MiB (MQTT 3.1.1, 2.2.3). */
const LONGEST = [0xff, 0xff, 0xff, 0x7f];
const CONNECT = Buffer.from([0x10, 16, 0, 4, ...Buffer.from('MQTT'), 4, 2, 0, 60, 0, 4, ...Buffer.from('name')]);

test('the pinned aedes still has the parser that the limit hooks into', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(dependencies.aedes, 'packet-limit.ts wraps a private method: pin the version').toMatch(/^\d/);
});

const LONG_ID = 'x'.repeat(257);
test.each([
  ['wrong password', { protocolVersion: 4 }, '20020004'],
  ['wrong password', { protocolVersion: 5 }, '2003008600'],
  ['client id that is too long', { protocolVersion: 4, clientId: LONG_ID }, '20020002'],
  ['client id that is too long', { protocolVersion: 5, clientId: LONG_ID }, '2003008500'],
  // MQTT 3.1.1 has no return code for a packet that is too large.
  ['packet that is too large', { protocolVersion: 4, username: 'x'.repeat(16_385) }, ''],
  ['packet that is too large', { protocolVersion: 5, username: 'x'.repeat(16_385) }, '2003009500'],
  ['unknown protocol level', { protocolVersion: 6 }, '20020001'],
])('the CONNECT of a client with a %s is answered before the connection ends: %j', async (_, given, answer) => {
  const refusing = await startBroker({ findLogin: async () => null });
  const { protocolVersion, ...others } = given;
  const login = { clientId: 'name', username: DEVICE, password: Buffer.from('wrong'), ...others };
  const version = protocolVersion === 5 ? 5 : 4;
  const bytes = generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: version, clean: true, ...login });
  bytes[bytes.indexOf('MQTT') + 4] = protocolVersion;
  const socket = connect(refusing.port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  socket.write(bytes);
  await once(socket, 'close');
  expect(Buffer.concat(received).toString('hex')).toBe(answer);
  await refusing.close();
});

test('a packet that announces too great a length ends its connection before its content is read', async () => {
  const maxBytes = 64 * 1_048_576;
  expect(await flood(Buffer.from([0x10, ...LONGEST]), maxBytes)).toBeLessThan(8 * 1_048_576);
  expect(await flood(Buffer.concat([CONNECT, Buffer.from([0x30, ...LONGEST])]), maxBytes)).toBeLessThan(8 * 1_048_576);
});

test.each([4, 5] as const)(
  'version %i: a device’s longest message still arrives, in any number of pieces',
  async (protocolVersion) => {
    const login = { username: DEVICE, password: 'secret', protocolVersion };
    const client = await connectAsync(`mqtt://127.0.0.1:${broker.port}`, login);
    const before = received;
    await client.publishAsync(TOPIC, Buffer.alloc(1_048_576, ' '), { qos: 1 });
    await client.publishAsync(TOPIC, 'x', { qos: 1 });
    expect(received - before).toBe(2);
    client.on('error', () => {});
    const closed = new Promise<void>((done) => client.once('close', () => done()));
    client.publish(TOPIC, Buffer.alloc(2 * 1_048_576, ' '), { qos: 1 }, () => {});
    await closed;
    await client.endAsync(true);
  },
);
