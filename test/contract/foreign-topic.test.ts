import { connectAsync } from 'mqtt';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startBroker } from '#test/support/broker.ts';

test('a device that publishes to a topic of another’s, again and again, is disconnected, and logged once a minute', async () => {
  const lines: { username: string; topic: string }[] = [];
  const broker = await startBroker({
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  });
  try {
    for (const username of ['dev_1', 'dev_1', 'dev_2', 'dev_1']) {
      const client = await connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
        username,
        password: 'x',
        reconnectPeriod: 0,
      });
      client.on('error', () => {});
      const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
      client.publish('energy/v1/dev_9/readings', '{}', { qos: 1 }, () => {});
      await closed;
    }
    expect(lines.map(({ username, topic }) => [username, topic])).toEqual([
      ['dev_1', 'energy/v1/dev_9/readings'],
      ['dev_2', 'energy/v1/dev_9/readings'],
    ]);
  } finally {
    await broker.close();
  }
});
