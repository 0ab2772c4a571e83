import { connectAsync, type MqttClient } from 'mqtt';

/** A device that stores its messages: it publishes in order, and repeats each until it is acknowledged, at whichever node responds. */
export interface RepeatingPublisher {
  /** Indices of the payloads acknowledged so far, with the times (ms). */
  acknowledged: Map<number, number>;
  /** Times (ms) at which it connected. */
  connectedAtMs: number[];
  /** Attempts to connect, in order. */
  attempts: ConnectionAttempt[];
  /** Longest time without an acknowledgement while a message was pending, in ms. */
  longestSilenceMs(): number;
  /** Resolves when all given payloads are acknowledged. */
  flush(): Promise<void>;
  publish(payload: string): void;
  /** Reconnects to the node of this index. */
  moveTo(index: number): void;
  close(): Promise<void>;
}

/** An attempt to connect: its start, its CONNACK and the end of the connection as times (ms), and why it ended. */
interface ConnectionAttempt {
  fromMs: number;
  connackMs: number | null;
  toMs: number | null;
  why: string;
}

/** Maximum number of attempts of a wait that are listed. */
const LISTED_ATTEMPTS = 10;

/**
 * Describes a time without PUBACK and each attempt to connect during it: seconds from its start, how long it waited for a CONNACK, and how
 * it ended.
 */
export function describeWait({ attempts }: Pick<RepeatingPublisher, 'attempts'>, fromMs: number, toMs: number): string {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  const during = attempts.filter((one) => one.fromMs <= toMs && (one.toMs ?? toMs) >= fromMs);
  const listed = during.slice(0, LISTED_ATTEMPTS).map(({ fromMs: atMs, connackMs, toMs: endMs, why }) => {
    const connack = connackMs === null ? 'no CONNACK' : `CONNACK after ${seconds(connackMs - atMs)} s`;
    const end = endMs === null || endMs > toMs ? 'open' : `ended at ${seconds(endMs - fromMs)} s: ${why}`;
    return `connected at ${seconds(atMs - fromMs)} s, ${connack}, ${end}`;
  });
  if (during.length > listed.length) listed.push(`${during.length - listed.length} more attempts`);
  return `${seconds(toMs - fromMs)} s without PUBACK since ${new Date(fromMs).toISOString()}: ${listed.join('; ') || 'no connection'}`;
}

const SILENCE_MS = 3_000;
/**
 * Maximum number of unacknowledged messages of a connection, as mosquitto's bridges have. A device that sends its whole backlog on each new
 * connection overloads a busy service for good: repeated messages wait before its newer ones, so that it gives up each connection before
 * the first PUBACK, and repeats all again.
 */
const MAX_IN_FLIGHT = 20;

/** Connects as a device by MQTT 3.1.1 with a persistent session, to the nodes in turn. */
export function repeatingPublisher(options: {
  /** May change; the new value is used from the next connection on. */
  nodes: readonly { host?: string; ports: { mqtt: number } }[];
  deviceId: string;
  secret: string;
  topic: string;
  /** Index of the first node to connect to. */
  first: number;
  /** Maximum time to wait for a CONNACK. */
  connectTimeoutMs?: number;
  /** Maximum time to wait for a PUBACK before it reconnects. */
  silenceMs?: number;
}): RepeatingPublisher {
  const { nodes, deviceId, secret, topic, connectTimeoutMs: connectTimeout = 2_000, silenceMs = SILENCE_MS } = options;
  const payloads: string[] = [];
  const acknowledged = new Map<number, number>();
  const connections: number[] = [];
  const attempts: ConnectionAttempt[] = [];
  let client: MqttClient | undefined;
  let node = options.first;
  /** Index of the next message that the connection sends, and the number of those without a PUBACK. */
  let next = 0;
  let inFlight = 0;
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
      inFlight--;
      sendPending();
    });
  };
  const sendPending = () => {
    for (; client && inFlight < MAX_IN_FLIGHT && next < payloads.length; next++) {
      if (acknowledged.has(next)) continue;
      inFlight++;
      send(client, next);
    }
  };
  const run = async () => {
    for (; !isClosing; node++) {
      const at = nodes[node % nodes.length] as (typeof nodes)[number];
      const login = { username: deviceId, password: secret, clientId: deviceId, clean: false };
      const attempt: ConnectionAttempt = { fromMs: Date.now(), connackMs: null, toMs: null, why: '' };
      attempts.push(attempt);
      try {
        // Without retries, so that it also rejects if the connection ends before the CONNACK without an error, as behind a proxy.
        const made = await connectAsync(
          `mqtt://${at.host ?? '127.0.0.1'}:${at.ports.mqtt}`,
          { reconnectPeriod: 0, connectTimeout, keepalive: 5, ...login },
          false,
        );
        const ended = new Promise<void>((resolve) => made.once('close', () => resolve()));
        let why = 'closed by the other side';
        made.on('error', ({ message }) => {
          why = message;
        });
        client = made;
        const connectedAtMs = Date.now();
        connections.push(connectedAtMs);
        attempt.connackMs = connectedAtMs;
        next = 0;
        inFlight = 0;
        sendPending();
        // A frozen node does not respond; another one may.
        const watch = setInterval(() => {
          const sinceMs = Date.now() - Math.max(lastAtMs, connectedAtMs);
          if (!isWaiting() || sinceMs <= silenceMs) return;
          why = `no PUBACK for ${sinceMs} ms`;
          made.stream.destroy();
        }, silenceMs / 6);
        await ended;
        Object.assign(attempt, { toMs: Date.now(), why });
        clearInterval(watch);
        made.end(true);
      } catch (error) {
        Object.assign(attempt, { toMs: Date.now(), why: (error as Error).message });
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      client = undefined;
    }
  };
  const running = run();
  return {
    acknowledged,
    connectedAtMs: connections,
    attempts,
    longestSilenceMs: () => longestMs,
    publish(payload) {
      if (!isWaiting()) lastAtMs = Date.now();
      payloads.push(payload);
      sendPending();
    },
    moveTo(index) {
      // Incremented with each connection that ends.
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
