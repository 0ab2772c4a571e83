import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import mqtt from 'mqtt';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startMqttClient } from '#ingest/source/mqtt-client.ts';
import { startMosquitto } from '#test/support/mosquitto.ts';

const PINGRESP = Buffer.from([0xd0, 0x00]);

/**
 * Starts a proxy to the broker that drops PINGRESP packets. To the client, this looks like a backlog of messages that delays these packets
 * for too long.
 */
async function wayWithoutPingResponses(brokerPort: number) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect(brokerPort, '127.0.0.1');
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        broker.destroy();
      });
    }
    client.pipe(broker);
    broker.on('data', (data: Buffer) => {
      if (!data.equals(PINGRESP)) client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('keeps a connection with messages, however late a ping’s response is, and gives up a silent one', async () => {
  const mosquitto = await startMosquitto();
  const way = await wayWithoutPingResponses(Number(new URL(mosquitto.url).port));
  const warnings: string[] = [];
  let received = 0;
  const source = await startMqttClient({
    url: way.url,
    clientId: 'patient',
    topics: ['energy/v1/+/readings'],
    subscription: 'all',
    keepaliveSeconds: 2,
    receive: (_, receipt) => {
      received++;
      setImmediate(() => receipt.done());
      return true;
    },
    log: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) }),
  });
  const device = await mqtt.connectAsync(mosquitto.url);
  // mqtt.js ends the connection 3 s after the last PINGRESP. On a busy machine it may do so later, so publish for longer.
  const until = Date.now() + 5_000;
  let sent = 0;
  for (; Date.now() < until; sent++) {
    await device.publishAsync('energy/v1/x/readings', '{}', { qos: 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await expect.poll(() => received).toBe(sent);
  expect(warnings).toEqual([]);
  await expect.poll(() => warnings).toContain('broker connection closed');
  await device.endAsync();
  await source.close();
  way.close();
  await mosquitto.stop();
});
