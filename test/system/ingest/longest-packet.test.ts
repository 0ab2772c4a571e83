import mqtt from 'mqtt';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startMqttClient } from '#ingest/source/mqtt-client.ts';
import { startMosquitto } from '#test/support/mosquitto.ts';

test('a broker without size limits does not send a worker oversized messages, and continues with others', async () => {
  const mosquitto = await startMosquitto();
  const lengths: number[] = [];
  const source = await startMqttClient({
    url: mosquitto.url,
    clientId: 'bounded',
    topics: ['energy/v1/+/readings'],
    subscription: 'all',
    receive: ({ payload }, receipt) => {
      lengths.push(payload.length);
      receipt.done();
      return true;
    },
    log: pino({ level: 'silent' }),
  });
  const device = await mqtt.connectAsync(mosquitto.url);
  const send = (bytes: number) => device.publishAsync('energy/v1/dev_x/readings', Buffer.alloc(bytes, 'x'), { qos: 1 });
  // The broker itself has no size limit. It must not send the worker the message of 9 MiB, which exceeds the worker's maximum. The other
  // messages arrive.
  for (const bytes of [1, 2 * 2 ** 20, 9 * 2 ** 20, 2]) await send(bytes);
  await expect.poll(() => lengths).toEqual([1, 2 * 2 ** 20, 2]);
  expect(source.isConnected()).toBe(true);
  await device.endAsync();
  await source.close();
  await mosquitto.stop();
});
