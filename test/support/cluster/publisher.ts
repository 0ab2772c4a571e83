import { connectAsync, type MqttClient } from 'mqtt';

/** A device that stores its messages. It publishes its messages in order, and repeats each of them until a node acknowledges it. */
export interface RepeatingPublisher {
  /** Time (ms) of acknowledgement by the index of the payload. */
  acknowledged: Map<number, number>;
  /** Times (ms) at which the device connected. */
  connectedAtMs: number[];
  /** Attempts to connect, in order of time. */
  attempts: ConnectionAttempt[];
  /** Longest time, in ms, without an acknowledgement while a message was pending. */
  longestSilenceMs(): number;
  /** Resolves when all payloads given so far are acknowledged. */
  flush(): Promise<void>;
  publish(payload: string): void;
  /** Disconnects the device and connects it to the node with this index. */
  moveTo(index: number): void;
  close(): Promise<void>;
}

/** An attempt to connect: times (ms) of its start, of its CONNACK and of the connection's end, and why it ended. */
interface ConnectionAttempt {
  fromMs: number;
  connackMs: number | null;
  toMs: number | null;
  why: string;
}

/** Maximum number of attempts to connect that are listed for one wait. */
const LISTED_ATTEMPTS = 10;

/**
 * Describes a time without PUBACK and each attempt to connect during this time: when it started (seconds from the start of the wait), how
 * long it waited for a CONNACK, and how it ended.
 */
export function describePubackWait(
  { attempts }: Pick<RepeatingPublisher, 'attempts'>,
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
 * Maximum number of unacknowledged messages on a connection, as in mosquitto's bridges. Without a limit, a device that sends its whole
 * backlog on each new connection overloads a busy service permanently: the service handles the repeated messages first, so the device gives
 * up each connection before the first PUBACK and repeats everything again.
 */
const MAX_IN_FLIGHT = 20;

/** Connects as a device over MQTT 3.1.1 with a persistent session, to the nodes in turn. */
export function startRepeatingPublisher(options: {
  /** Nodes to connect to, in turn. The list may be changed; the next connection uses the new one. */
  nodes: readonly { host?: string; ports: { mqtt: number } }[];
  deviceId: string;
  secret: string;
  topic: string;
  /** Index of the first node to connect to. */
  first: number;
  /** Maximum time (ms) to wait for a CONNACK. */
  connectTimeoutMs?: number;
  /** Maximum time (ms) to wait for a PUBACK before the device reconnects. */
  silenceMs?: number;
}): RepeatingPublisher {
  const { nodes, deviceId, secret, topic, connectTimeoutMs: connectTimeout = 2_000, silenceMs = SILENCE_MS } = options;
  const payloads: string[] = [];
  const acknowledged = new Map<number, number>();
  const connections: number[] = [];
  const attempts: ConnectionAttempt[] = [];
  let client: MqttClient | undefined;
  let node = options.first;
  /** Index of the next message to send on this connection, and number of sent messages without a PUBACK. */
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
        // Without retries, connectAsync also rejects if the connection ends before the CONNACK without an error, as behind a proxy.
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
        // `close` may have been called before the CONNACK.
        if (isClosing) made.end(true);
        const connectedAtMs = Date.now();
        connections.push(connectedAtMs);
        attempt.connackMs = connectedAtMs;
        next = 0;
        inFlight = 0;
        sendPending();
        // Ends the connection if there is no PUBACK: a frozen node does not respond, but another node may.
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
      // The end of the connection increments the index.
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
