import { setTimeout } from 'node:timers/promises';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { splitCredentials } from '#src/config/addresses.ts';
import type { Logger } from '#src/core/log.ts';
import type { MessageReceipt, MessageReceiver, MessageSource } from './source.ts';
import { interceptPublishes } from './take-publishes.ts';

/** Name of the shared subscription of earlier versions. A session at the broker may still contain it. */
const EARLIER_SHARE = 'energy';
/** Maximum number of unacknowledged messages. */
const RECEIVE_MAXIMUM = 30_000;
/**
 * Maximum packet size in bytes. The broker drops longer packets for this client (MQTT 5, 3.1.2.11.4). Without this limit, one message of
 * 200 MB took 750 MiB of memory.
 */
const MAX_PACKET_BYTES = 8 * 2 ** 20;
const KEEPALIVE_SECONDS = 60;
/** Number of parts of the keepalive time. In each part, acknowledgements postpone the next ping at most once. */
const PING_PARTS = 10;
/** MQTT 5, 4.13: another client has connected with the same client id. */
const SESSION_TAKEN_OVER = 0x8e;
const WEEK_SECONDS = 7 * 86_400;
/** Maximum time in ms that a start waits for the subscription. Afterwards the client connects in the background. */
const FIRST_SUBSCRIPTION_MS = 5_000;
/** Maximum time in ms for the broker to end the connection: it first sends all pending messages. */
const CLOSE_MS = 700;
/** A session counts as empty if nothing arrives for `quiet` ms. `longest`: maximum total time in ms. */
const EMPTY_MS = { quiet: 300, longest: 1_500 };

export interface MqttClientOptions {
  url: string;
  /** The broker stores undelivered messages under this id. Only one client at a time may use it. */
  clientId: string;
  topics: readonly string[];
  receive: MessageReceiver;
  log: Logger;
  /**
   * `all`: subscribes to all topics, without a shared subscription, because mosquitto 2.0 loses those at a restart. `none`: only receives
   * the messages that are left in the session.
   */
  subscription: Subscription;
  /** Seconds of silence after which the client sends a ping. Default: 60. */
  keepaliveSeconds?: number;
  /** Called when another client has connected with the same client id. This client then must not reconnect. */
  onTakenOver?: () => void;
  /** Called with the source before it connects, so that it can be paused when the first messages arrive. */
  onMade?: (source: MqttSource) => void;
}

type Subscription = 'all' | 'none';

export interface MqttSource extends Omit<MessageSource, 'leave'> {
  /** Ends the subscriptions, and receives the messages that are left in the session. Returns whether all of them are committed. */
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
  // mqtt.js need not subscribe again after a reconnect, because this service subscribes at each connection.
  resubscribe: false,
  properties: {
    sessionExpiryInterval: WEEK_SECONDS,
    receiveMaximum: RECEIVE_MAXIMUM,
    maximumPacketSize: MAX_PACKET_BYTES,
  },
  // The default log of mqtt.js costs time for each packet, even if nobody reads it.
  log: () => {},
  // A persistent session delivers messages at once, so the handlers must be set first.
  manualConnect: true,
});

class MqttClientSource implements MqttSource {
  readonly #options: MqttClientOptions;
  readonly #client: MqttClient;
  readonly #keepaliveMs: number;
  #subscription: Subscription;
  /** Callbacks that resume reading from paused connections. */
  readonly #held: (() => void)[] = [];
  #isPaused = false;
  #isClosing = false;
  #inFlight = 0;
  #lastAtMs = performance.now();
  #pingedAtMs = this.#lastAtMs;
  /** The running change of the subscription. Changes run one after the other. */
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
    // A broker may also be silent because too many messages are unacknowledged.
    const isEmpty = () => this.#inFlight === 0 && performance.now() - this.#lastAtMs >= EMPTY_MS.quiet;
    while (performance.now() < untilMs && !isEmpty()) await setTimeout(50);
    return isEmpty();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    // Resumes reading, because the end of a paused connection would not be detected.
    for (const readOn of this.#held.splice(0)) readOn();
    await Promise.race([this.#client.endAsync(), setTimeout(CLOSE_MS, undefined, { ref: false })]);
    this.#client.stream.destroy();
  }

  #take(topic: string, payload: Buffer, isRetained: boolean, receipt: MessageReceipt): void {
    this.#lastAtMs = performance.now();
    // The broker redelivers the message to the next client of the session.
    if (this.#isClosing) return;
    this.#inFlight++;
    const message = { topic, payload, receivedAtMs: Date.now(), replayed: isRetained };
    if (!this.#options.receive(message, receipt)) this.#isPaused = true;
  }

  /**
   * Postpones the next ping, because a message also shows that the broker is alive. While a long backlog is delivered, the answer to a ping
   * may take longer than mqtt.js allows.
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

  /** Subscribes to the needed topics and ends all other subscriptions. The session may have subscriptions of an earlier version. */
  async #settleNow(): Promise<void> {
    const { topics } = this.#options;
    const isWanted = this.#subscription === 'all';
    if (isWanted) {
      // With retain handling 1, the broker sends retained messages only for a new subscription (MQTT 5, 3.8.3.1).
      const granted = await this.#client.subscribeAsync([...topics], { qos: 1, rh: 1 });
      const refused = granted.filter(({ qos }) => (qos as number) >= 128);
      if (refused.length > 0) throw new Error(`refused: ${refused.map(({ topic }) => topic).join(', ')}`);
    }
    const shared = topics.map((filter) => `$share/${EARLIER_SHARE}/${filter}`);
    await this.#client.unsubscribeAsync(isWanted ? shared : [...topics, ...shared]);
  }

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
        // If the connection is broken, the client subscribes again at the next one.
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
