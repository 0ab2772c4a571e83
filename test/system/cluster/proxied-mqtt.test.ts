import { setTimeout } from 'node:timers/promises';
import mqtt from 'mqtt';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HAProxy, startHAProxy } from '#test/support/cluster/haproxy.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';

/** Maximum time until a device is connected to another node, in ms. */
const ELSEWHERE_MS = 12_000;

let brokers: [Mosquitto, Mosquitto];
let proxy: HAProxy;
beforeAll(async () => {
  // Brokers behind the proxy. Any MQTT broker serves for this test. The third node is down.
  brokers = [await startMosquitto(), await startMosquitto()];
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
  proxy = await startHAProxy({
    tls: { cert: pair.cert, key: pair.private },
    api: [1, 1],
    brokers: brokers.map(({ url }) => ({ mqtt: Number(new URL(url).port) })),
  });
});
afterAll(async () => {
  await proxy.stop();
  for (const { pid } of brokers) process.kill(pid, 'SIGCONT');
  await Promise.all(brokers.map((broker) => broker.stop()));
});

test('a device stays at its node, and moves to another one soon after that node hangs', async () => {
  const url = `mqtt://127.0.0.1:${proxy.ports.mqtt}`;
  const device = await mqtt.connectAsync(url, { reconnectPeriod: 100, keepalive: 60 });
  let [reconnected, asked] = [0, 0];
  device.on('connect', () => reconnected++);
  await device.subscribeAsync('here', { qos: 1 });
  /** Returns the node that the device is connected to: the only node on which messages to the device arrive. */
  const at = async () => {
    for (const broker of brokers) {
      const requestText = `${++asked}`;
      const answered = new Promise<boolean>((resolve) =>
        device.on('message', (_topic, payload) => {
          if (String(payload) === requestText) resolve(true);
        }),
      );
      const other = await mqtt
        .connectAsync(broker.url, { connectTimeout: 2_000, reconnectPeriod: 0 })
        .catch(() => null);
      if (!other) continue;
      await other.publishAsync('here', requestText, { qos: 1 });
      await other.endAsync();
      if (await Promise.race([answered, setTimeout(2_000, false)])) return broker;
    }
    return undefined;
  };
  const first = (await at()) as Mosquitto;
  await setTimeout(3_000);
  expect([reconnected, await at()]).toEqual([0, first]);
  const from = performance.now();
  process.kill(first.pid, 'SIGSTOP');
  await expect.poll(() => reconnected, { interval: 50 }).toBeGreaterThan(0);
  expect(performance.now() - from).toBeLessThan(ELSEWHERE_MS);
  await expect.poll(at).toBe(brokers.find((one) => one !== first));
  await device.endAsync(true);
});
