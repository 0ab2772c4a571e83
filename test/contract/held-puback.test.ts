import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { Aedes } from 'aedes';
import { connectAsync } from 'mqtt';
import { expect, test } from 'vitest';
import { holdPubacks } from '#ingest/source/held-puback.ts';

test('the pinned mqtt.js still lets PUBACKs be held back, and sent later, many at a time', async () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(dependencies.mqtt, 'held-puback.ts wraps a private method: pin the version').toMatch(/^\d/);
  const broker = await Aedes.createBroker();
  const acknowledged: unknown[] = [];
  broker.on('ack', (packet) => acknowledged.push(packet));
  const server = createServer(broker.handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
  const held: (() => void)[] = [];
  holdPubacks(client, (_packet, acknowledge, goOn) => {
    held.push(acknowledge);
    goOn();
  });
  await client.subscribeAsync('t', { qos: 1 });
  const sender = await connectAsync(`mqtt://127.0.0.1:${port}`);
  for (let index = 0; index < 20; index++) await sender.publishAsync('t', String(index), { qos: 1 });
  await expect.poll(() => held.length).toBe(20);
  expect(acknowledged).toHaveLength(0);
  for (const acknowledge of held) acknowledge();
  await expect.poll(() => acknowledged.length).toBe(20);
  await sender.endAsync();
  await client.endAsync();
  await new Promise<void>((resolve) => broker.close(() => resolve()));
  server.close();
});
