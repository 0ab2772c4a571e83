import { setTimeout } from 'node:timers/promises';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { splitCredentials } from '#src/config/addresses.ts';
import type { Logger } from '#src/core/log.ts';
import type { MessageReceipt, MessageReceiver, MessageSource } from './source.ts';
import { interceptPublishes } from './take-publishes.ts';

/** Name of the shared subscription that earlier versions used. A session at the broker may still have it. */
const EARLIER_SHARE = 'energy';
/**
 * Maximum number of messages that the broker sends before they are acknowledged. They wait for their commit (pipeline.ts), or for the
 * acknowledgement of an earlier message (ack-order.ts).
 */
const RECEIVE_MAXIMUM = 30_000;
/**
 * Maximum packet size in bytes. The broker does not send longer packets to this client, and treats them as sent (MQTT 5, 3.1.2.11.4). If a
 * message is longer than 1 MiB and shorter than this size, it is rejected, and only the rejection is stored. Without this limit, a message
 * of 200 MB, which a broker without limits accepts from any device, took 750 MiB of memory here. It would be redelivered after a worker had
 * run out of memory.
 */
const MAX_PACKET_BYTES = 8 * 2 ** 20;
const KEEPALIVE_SECONDS = 60;
/** The keepalive time is divided into this number of parts. In each part, an acknowledgement postpones the next ping at most once. */
const PING_PARTS = 10;
/** Reason code (MQTT 5, 4.13): another client connected with the same client id. */
const SESSION_TAKEN_OVER = 0x8e;
const WEEK_SECONDS = 7 * 86_400;
/** Maximum time in ms that a start waits for its subscription. Afterwards the client continues to connect in the background. */
const FIRST_SUBSCRIPTION_MS = 5_000;
/**
 * Maximum time in ms for the broker to end the connection. Under load, the broker sends all pending messages before it processes the
 * DISCONNECT.
 */
const CLOSE_MS = 700;
/**
 * Times for emptying a session, in ms. `quiet`: the session counts as empty if nothing arrives for this time. `longest`: maximum total
 * time.
 */
const EMPTY_MS = { quiet: 300, longest: 1_500 };

export interface MqttClientOptions {
  url: string;
  /** Client id, under which the broker stores undelivered messages. Two clients must never use the same id at the same time. */
  clientId: string;
  /** Topic filters of the subscription. */
  topics: readonly string[];
  receive: MessageReceiver;
  log: Logger;
  /**
   * Subscription of the client. `all`: to all topics. It is not a shared subscription: every broker restores other subscriptions together
   * with the session, but mosquitto 2.0 loses shared ones at a restart. `none`: the client receives only the remaining messages of the
   * session.
   */
  subscription: Subscription;
  /** If the broker sends nothing for this number of seconds, the client sends a ping. Default: 60. */
  keepaliveSeconds?: number;
  /**
   * Called when another client has connected with the same client id. This client must not reconnect, because it would take the session
   * away from the other client.
   */
  onTakenOver?: () => void;
  /**
   * Called with the source before the source connects. A session may deliver messages before the client is subscribed, so the source may
   * have to be paused and resumed that early.
   */
  onMade?: (source: MqttSource) => void;
}

type Subscription = 'all' | 'none';

export interface MqttSource extends Omit<MessageSource, 'leave'> {
  /**
   * Ends the subscriptions, and receives the messages that the broker still has for the session. Returns whether all of them are received
   * and committed. Waits at most a few seconds.
   */
  empty(): Promise<boolean>;
}

/**
 * Subscribes to an external broker with MQTT 5, a persistent session and QoS 1. Messages are acknowledged after the commit. Reconnects
 * without limit. Resolves when it is subscribed, or after a few seconds if the broker is unavailable.
 */
export async function startMqttClient(options: MqttClientOptions): Promise<MqttSource> {
  const source = new MqttClientSource(options);
  options.onMade?.(source);
  await source.connect();
  return source;
}

const settingsOf = (clientId: string, keepaliveSeconds: number): IClientOptions => ({
  protocolVersion: 5,
  clientId,
  clean: false,
  keepalive: keepaliveSeconds,
  reconnectPeriod: 200,
  connectTimeout: 10_000,
  // This service itself subscribes at each connection, so mqtt.js must not do it.
  resubscribe: false,
  properties: {
    sessionExpiryInterval: WEEK_SECONDS,
    receiveMaximum: RECEIVE_MAXIMUM,
    maximumPacketSize: MAX_PACKET_BYTES,
  },
  // The default log of mqtt.js creates an array for each of a dozen lines per packet, even if nobody reads the log.
  log: () => {},
  // The client must connect only after the handlers are set, because a persistent session delivers messages at once.
  manualConnect: true,
});

class MqttClientSource implements MqttSource {
  readonly #options: MqttClientOptions;
  readonly #client: MqttClient;
  readonly #keepaliveMs: number;
  #subscription: Subscription;
  /** Callbacks that resume reading. There is one for each connection that waits for room in the pipeline. */
  readonly #held: (() => void)[] = [];
  #isPaused = false;
  #isClosing = false;
  /** Number of accepted messages that are not acknowledged yet. */
  #inFlight = 0;
  /** Times of the last message and of the last postponed ping, in ms of the monotonic clock. */
  #lastAtMs = performance.now();
  #pingedAtMs = this.#lastAtMs;
  /** The running change of the subscription. Changes run one after the other, so that each change sees the result of the previous one. */
  #settling: Promise<void> = Promise.resolve();
  readonly #subscribed = Promise.withResolvers<void>();

  constructor(options: MqttClientOptions) {
    const { url, clientId, keepaliveSeconds = KEEPALIVE_SECONDS } = options;
    this.#options = options;
    this.#subscription = options.subscription;
    this.#keepaliveMs = keepaliveSeconds * 1_000;
    const { address, login } = splitCredentials(url);
    this.#client = connect(address, { ...settingsOf(clientId, keepaliveSeconds), ...login });
    interceptPublishes(this.#client, {
      take: (topic, payload, isRetained, receipt) => this.#take(topic, payload, isRetained, receipt),
      acknowledged: () => {
        this.#inFlight--;
        this.#postponePing();
      },
      hold: (readOn) => {
        if (!this.#isPaused || this.#isClosing) return false;
        this.#held.push(readOn);
        return true;
      },
    });
    this.#report();
  }

  /** Connects. Waits for the subscription, but at most some seconds. */
  async connect(): Promise<void> {
    this.#client.connect();
    await Promise.race([this.#subscribed.promise, setTimeout(FIRST_SUBSCRIPTION_MS, undefined, { ref: false })]);
  }

  isConnected(): boolean {
    return this.#client.connected;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const readOn of this.#held.splice(0)) readOn();
  }

  async empty(): Promise<boolean> {
    const untilMs = performance.now() + EMPTY_MS.longest;
    this.#subscription = 'none';
    await this.#settle();
    // A broker may also be silent because its messages in flight have reached the receive maximum, so silence alone does not show that the
    // session is empty.
    const isEmpty = () => this.#inFlight === 0 && performance.now() - this.#lastAtMs >= EMPTY_MS.quiet;
    while (performance.now() < untilMs && !isEmpty()) await setTimeout(50);
    return isEmpty();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    // Resumes reading, because a connection from which nothing is read does not detect its end.
    for (const readOn of this.#held.splice(0)) readOn();
    await Promise.race([this.#client.endAsync(), setTimeout(CLOSE_MS, undefined, { ref: false })]);
    this.#client.stream.destroy();
  }

  #take(topic: string, payload: Buffer, isRetained: boolean, receipt: MessageReceipt): void {
    this.#lastAtMs = performance.now();
    // The message is neither accepted nor acknowledged, so that the broker redelivers it to the next client of the session.
    if (this.#isClosing) return;
    this.#inFlight++;
    const message = { topic, payload, receivedAtMs: Date.now(), replayed: isRetained };
    if (!this.#options.receive(message, receipt)) this.#isPaused = true;
  }

  /**
   * Postpones the next ping, because an acknowledged message shows that client and broker are alive. In a long backlog, the answer to a
   * ping may take longer than mqtt.js allows: the ping is sent after all acknowledgements, and the answer after all pending messages.
   */
  #postponePing(): void {
    if (this.#lastAtMs - this.#pingedAtMs < this.#keepaliveMs / PING_PARTS) return;
    this.#pingedAtMs = this.#lastAtMs;
    this.#client.reschedulePing(true);
  }

  #settle(): Promise<void> {
    this.#settling = this.#settling.catch(() => {}).then(() => this.#settleNow());
    return this.#settling;
  }

  /** Adds the subscriptions that are needed, then removes all others. The session may have subscriptions of an earlier worker. */
  async #settleNow(): Promise<void> {
    const { topics } = this.#options;
    const isWanted = this.#subscription === 'all';
    if (isWanted) {
      // With retain handling 1, the broker sends retained messages only at the first subscription and not at every connection (MQTT 5,
      // 3.8.3.1).
      const granted = await this.#client.subscribeAsync([...topics], { qos: 1, rh: 1 });
      const refused = granted.filter(({ qos }) => (qos as number) >= 128);
      if (refused.length > 0) throw new Error(`refused: ${refused.map(({ topic }) => topic).join(', ')}`);
    }
    const shared = topics.map((filter) => `$share/${EARLIER_SHARE}/${filter}`);
    await this.#client.unsubscribeAsync(isWanted ? shared : [...topics, ...shared]);
  }

  /** Logs the events of the connection, and subscribes after each connect. */
  #report(): void {
    const { clientId, log, onTakenOver } = this.#options;
    const url = withoutSecret(this.#options.url);
    const client = this.#client;
    client.on('error', (error) => log.warn({ err: error }, 'broker'));
    client.on('disconnect', ({ reasonCode }) => {
      if (reasonCode !== SESSION_TAKEN_OVER) return;
      log.warn(
        { url, client_id: clientId },
        'another client has taken over the session: the database has ended the lease of this one, or there is a worker whose MQTT_URL names this broker in another way',
      );
      onTakenOver?.();
    });
    client.on('close', () => log.warn({ url }, 'broker connection closed'));
    client.on('connect', () => {
      log.info({ url, client_id: clientId }, 'broker connected');
      this.#settle().then(this.#subscribed.resolve, (error: Error) => {
        // If the connection has broken in the meantime, `close` reports this, and the client subscribes again at the next connection.
        if (client.connected && !this.#isClosing) log.error({ err: error }, 'broker refused the subscription');
      });
    });
  }
}

function withoutSecret(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  parsed.username = '';
  return parsed.href;
}
