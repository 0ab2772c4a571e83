import { connectAsync, type MqttClient } from 'mqtt';

/** What a device with a memory does: it repeats each message until it is acknowledged, at whichever node answers, in order. */
export interface RepeatingPublisher {
  /** Payloads that were acknowledged so far, as counted from the first, and when (ms). */
  acknowledged: Map<number, number>;
  /** Longest time without an acknowledgement while something waited for one. */
  longestSilenceMs(): number;
  /** Resolves when all that were given are acknowledged. */
  flush(): Promise<void>;
  publish(payload: string): void;
  /** Connects anew, to the node of this index. */
  moveTo(index: number): void;
  close(): Promise<void>;
}

const SILENCE_MS = 3_000;

/** Connects as a device by MQTT 3.1.1 with a persistent session, to the nodes in turn. */
export function repeatingPublisher(options: {
  /** May change: it holds from the next connection on. */
  nodes: readonly { host?: string; ports: { mqtt: number } }[];
  deviceId: string;
  secret: string;
  topic: string;
  /** Which node is asked first. */
  first: number;
}): RepeatingPublisher {
  const { nodes, deviceId, secret, topic } = options;
  const payloads: string[] = [];
  const acknowledged = new Map<number, number>();
  let client: MqttClient | undefined;
  let node = options.first;
  let isClosing = false;
  let lastAtMs = Date.now();
  let longestMs = 0;
  const isWaiting = () => acknowledged.size < payloads.length;
  const send = (on: MqttClient, index: number) => {
    on.publish(topic, payloads[index] as string, { qos: 1 }, (error) => {
      if (error || on !== client) return;
      const nowMs = Date.now();
      acknowledged.set(index, nowMs);
      longestMs = Math.max(longestMs, nowMs - lastAtMs);
      lastAtMs = nowMs;
    });
  };
  const run = async () => {
    for (; !isClosing; node++) {
      const at = nodes[node % nodes.length] as (typeof nodes)[number];
      const login = { username: deviceId, password: secret, clientId: deviceId, clean: false };
      try {
        const made = await connectAsync({
          host: at.host ?? '127.0.0.1',
          port: at.ports.mqtt,
          reconnectPeriod: 0,
          connectTimeout: 2_000,
          keepalive: 5,
          ...login,
        });
        const ended = new Promise<void>((resolve) => made.once('close', () => resolve()));
        made.on('error', () => {});
        client = made;
        const connectedAtMs = Date.now();
        payloads.forEach((_, index) => {
          if (!acknowledged.has(index)) send(made, index);
        });
        // A node that was frozen says nothing: another one may answer.
        const watch = setInterval(() => {
          const sinceMs = Date.now() - Math.max(lastAtMs, connectedAtMs);
          if (isWaiting() && sinceMs > SILENCE_MS) made.stream.destroy();
        }, 500);
        await ended;
        clearInterval(watch);
        made.end(true);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      client = undefined;
    }
  };
  const running = run();
  return {
    acknowledged,
    longestSilenceMs: () => longestMs,
    publish(payload) {
      if (!isWaiting()) lastAtMs = Date.now();
      payloads.push(payload);
      if (client) send(client, payloads.length - 1);
    },
    moveTo(index) {
      // One more with each connection that ends.
      node = index - 1;
      client?.stream.destroy();
    },
    async flush() {
      while (isWaiting()) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    async close() {
      isClosing = true;
      client?.end(true);
      await running;
    },
  };
}
