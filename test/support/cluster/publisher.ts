import { connectAsync, type MqttClient } from 'mqtt';

/** A device that publishes its messages in order, and repeats each of them until it is acknowledged. */
export interface RetryingPublisher {
  /** Times (ms) at which payloads were acknowledged, by the payload's index. */
  acknowledged: Map<number, number>;
  /** Times (ms) at which the device connected. */
  connectedAtMs: number[];
  /** Attempts to connect, in chronological order. */
  attempts: ConnectionAttempt[];
  /** Longest time in ms during which messages waited and none was acknowledged. */
  longestSilenceMs(): number;
  /** Resolves when all payloads published so far are acknowledged. */
  flush(): Promise<void>;
  publish(payload: string): void;
  /** Disconnects the device, and connects it to the node with this index. */
  moveTo(index: number): void;
  close(): Promise<void>;
}

/** An attempt to connect: when it started, when the CONNACK came, when the connection ended (all in ms), and why it ended. */
interface ConnectionAttempt {
  fromMs: number;
  connackMs: number | null;
  toMs: number | null;
  why: string;
}

/** Maximum number of connection attempts that `describePubackWait` lists. */
const LISTED_ATTEMPTS = 10;

/**
 * Describes a period without a PUBACK, and each connection attempt during it: its start (in seconds), the time until the CONNACK, and how
 * it ended.
 */
export function describePubackWait(
  { attempts }: Pick<RetryingPublisher, 'attempts'>,
  fromMs: number,
  toMs: number,
): string {
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
 * Maximum number of unacknowledged messages on a connection, as in mosquitto's bridges. A device that repeated its whole backlog on each
 * connection could overload the service permanently.
 */
const MAX_IN_FLIGHT = 20;

/** Connects as a device over MQTT 3.1.1 with a persistent session. The device tries the nodes in turn. */
export function startRetryingPublisher(options: {
  /** Nodes to connect to, in turn. The caller may change the list. */
  nodes: readonly { host?: string; ports: { mqtt: number } }[];
  deviceId: string;
  secret: string;
  topic: string;
  /** Index of the first node to connect to. */
  first: number;
  /** Maximum time (ms) to wait for a CONNACK. */
  connectTimeoutMs?: number;
  /** Time (ms) without a PUBACK after which the device reconnects. */
  silenceMs?: number;
}): RetryingPublisher {
  const { nodes, deviceId, secret, topic, connectTimeoutMs: connectTimeout = 2_000, silenceMs = SILENCE_MS } = options;
  const payloads: string[] = [];
  const acknowledged = new Map<number, number>();
  const connections: number[] = [];
  const attempts: ConnectionAttempt[] = [];
  let client: MqttClient | undefined;
  let node = options.first;
  /**
   * `next`: index of the next message to send on this connection. `inFlight`: number of messages that were sent on it and are not
   * acknowledged.
   */
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
        // Without mqtt.js's retries (last argument), connectAsync also rejects if the connection ends before the CONNACK.
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
        // `close` may have been called while the device waited for the CONNACK.
        if (isClosing) made.end(true);
        const connectedAtMs = Date.now();
        connections.push(connectedAtMs);
        attempt.connackMs = connectedAtMs;
        next = 0;
        inFlight = 0;
        sendPending();
        // Ends a connection on which no PUBACK arrives for too long. A frozen node never responds, but its connections stay open.
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
      // One less than `index`, because `node` is incremented when the connection ends.
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
