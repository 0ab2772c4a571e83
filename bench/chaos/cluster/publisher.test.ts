import { createServer, type Socket } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';
import { expect, onTestFinished, test } from 'vitest';
import { describePubackWait, startRetryingPublisher } from '../../../test/support/cluster/publisher.ts';
import { findFreePort } from '../../../test/support/free-port.ts';

const TICK_MS = 5;

/**
 * Starts a broker that acknowledges `perSecond` messages per second in the order of arrival, including messages whose connection has ended.
 */
async function startSlowBroker(perSecond: number): Promise<{ port: number; received(): number }> {
  const waiting: { socket: Socket; messageId: number }[] = [];
  let received = 0;
  const take = (socket: Socket) => (packet: Packet) => {
    if (packet.cmd === 'connect') socket.write(generate({ cmd: 'connack', returnCode: 0, sessionPresent: false }));
    if (packet.cmd === 'pingreq') socket.write(generate({ cmd: 'pingresp' }));
    if (packet.cmd !== 'publish') return;
    received++;
    waiting.push({ socket, messageId: packet.messageId as number });
  };
  const server = createServer((socket) => {
    const packets = parser();
    packets.on('packet', take(socket));
    socket.on('data', (bytes) => void packets.parse(bytes));
    socket.on('error', () => {});
  });
  let [atMs, due] = [performance.now(), 0];
  const working = setInterval(() => {
    const nowMs = performance.now();
    due = waiting.length === 0 ? 0 : due + ((nowMs - atMs) * perSecond) / 1_000;
    atMs = nowMs;
    for (; due >= 1 && waiting.length > 0; due--) {
      const { socket, messageId } = waiting.shift() as (typeof waiting)[number];
      if (socket.writable) socket.write(generate({ cmd: 'puback', messageId }));
    }
  }, TICK_MS);
  const port = await findFreePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    clearInterval(working);
    server.close();
  });
  return { port, received: () => received };
}

test('devices with a backlog are all acknowledged by a busy service, without repeating it on new connections', async () => {
  const [devices, messages] = [4, 400];
  const broker = await startSlowBroker(1_000);
  const publishers = Array.from({ length: devices }, (_, index) =>
    startRetryingPublisher({
      nodes: [{ ports: { mqtt: broker.port } }],
      deviceId: `dev_${index}`,
      secret: 'secret',
      topic: 'readings',
      first: 0,
      silenceMs: 600,
    }),
  );
  onTestFinished(async () => void (await Promise.all(publishers.map((one) => one.close()))));
  for (const publisher of publishers) for (let index = 0; index < messages; index++) publisher.publish(String(index));
  await Promise.all(publishers.map((one) => one.flush()));
  expect(publishers.map(({ acknowledged }) => acknowledged.size)).toEqual(publishers.map(() => messages));
  expect(publishers.flatMap(({ attempts }) => attempts.filter(({ toMs }) => toMs !== null))).toEqual([]);
  expect(broker.received()).toBe(devices * messages);
});

test('a connection without a PUBACK is given up, with the reason', async () => {
  const broker = await startSlowBroker(0);
  const publisher = startRetryingPublisher({
    nodes: [{ ports: { mqtt: broker.port } }],
    ...{ deviceId: 'dev_1', secret: 'secret', topic: 'readings', first: 0, silenceMs: 300 },
  });
  publisher.publish('1');
  await expect.poll(() => publisher.attempts[0]?.why, { timeout: 10_000 }).toMatch(/^no PUBACK for \d+ ms$/);
  await publisher.close();
});

test('a wait is described by the attempts to connect during it', () => {
  const attempts = [
    { fromMs: 0, connackMs: 100, toMs: 10_000, why: 'closed by the other side' },
    { fromMs: 10_100, connackMs: null, toMs: 40_100, why: 'connack timeout' },
    { fromMs: 40_200, connackMs: 40_700, toMs: null, why: '' },
    { fromMs: 99_000, connackMs: null, toMs: null, why: '' },
  ];
  expect(describePubackWait({ attempts }, 9_000, 41_000)).toBe(
    '32.0 s without PUBACK since 1970-01-01T00:00:09.000Z: ' +
      'connected at -9.0 s, CONNACK after 0.1 s, ended at 1.0 s: closed by the other side; ' +
      'connected at 1.1 s, no CONNACK, ended at 31.1 s: connack timeout; ' +
      'connected at 31.2 s, CONNACK after 0.5 s, open',
  );
  expect(describePubackWait({ attempts }, 50_000, 60_000)).toMatch(/since .*: connected at -9\.8 s, .*, open$/);
});
