import { connectAsync } from 'mqtt';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startBroker } from '#test/support/broker.ts';

test.each([
  ['of another’s', 'energy/v1/dev_9/readings', 'energy/v1/dev_9/readings'],
  // aedes itself rejects this topic because of its many levels. Its error does not contain the topic.
  ['of more levels than there may be', `gw/gwy_1${'/x'.repeat(99)}`, undefined],
])(
  'a device that publishes repeatedly to a topic %s is disconnected, and logged once a minute',
  async (_of, topic, told) => {
    const lines: { username: string; topic?: string; msg: string }[] = [];
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
        client.publish(topic, '{}', { qos: 1 }, () => {});
        await closed;
      }
      expect(lines.map(({ username, topic }) => [username, topic])).toEqual([
        ['dev_1', told],
        ['dev_2', told],
      ]);
      expect(lines[0]?.msg).toContain(told ? 'own topic' : '100 levels');
    } finally {
      await broker.close();
    }
  },
);
