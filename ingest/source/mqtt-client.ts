import { setTimeout } from 'node:timers/promises';
import { connect, type IClientOptions } from 'mqtt';
import type { Logger } from '#src/core/log.ts';
import type { Receive, Source } from './source.ts';
import { takePublishes } from './take-publishes.ts';

/** Workers of earlier versions shared their subscription under this name; a session may still have it. */
const EARLIER_SHARE = 'energy';
/** Unacknowledged messages that the broker may send: what waits for its commit (pipeline.ts), and what is held behind a late one (ack-order.ts). */
const RECEIVE_MAXIMUM = 30_000;
/**
 * What is longer the broker does not send here, and takes for sent (MQTT 5, 3.1.2.11.4). Of messages beyond 1 MiB no more is kept than that they were refused; 200 MB of one,
 * which a broker without limits of its own takes from any device, took 750 MiB here, and would come again to a worker that died of it.
 */
const MAX_PACKET_BYTES = 8 * 2 ** 20;
const KEEPALIVE_SECONDS = 60;
/** Parts of the keepalive after which an acknowledgement stands for a ping. */
const PING_PARTS = 10;
/** MQTT 5, 4.13: another client connected under the same name. */
const SESSION_TAKEN_OVER = 0x8e;
const WEEK_SECONDS = 7 * 86_400;
/** How long a start waits for its subscription; after that the client goes on connecting in the background. */
const FIRST_SUBSCRIPTION_MS = 5_000;
/** How long the broker may take to end the connection once it was asked to: in a flood it sends all that waits for us before it hears that. */
const CLOSE_MS = 700;
/** A session is empty after this much silence; it is asked for as long as this in all. */
const EMPTY_MS = { quiet: 300, longest: 1_500 };

export interface ClientOptions {
  url: string;
  /** Name of the session, for which the broker keeps what it could not deliver (never used by two at once). */
  clientId: string;
  /** Filters of the topics that are asked for. */
  topics: readonly string[];
  receive: Receive;
  log: Logger;
  /**
   * All: everything, by a subscription of the session's own, which every broker restores with it. (mosquitto 2.0 forgets shared ones
   * when it is started again.) None: what the session has, and nothing new.
   */
  subscription: Subscription;
  /** After so long without a word from the broker it is asked whether it is there; a minute where not said. */
  keepaliveSeconds?: number;
  /** Another client connected under this name. To go on would take the session back from it. */
  onTakenOver?: () => void;
  /** Is given the client before it connects: a session delivers at once, and may be asked to pause, and told to go on, before it is subscribed. */
  onMade?: (source: MqttSource) => void;
}

type Subscription = 'all' | 'none';

export interface MqttSource extends Omit<Source, 'leave'> {
  /**
   * Asks for nothing any more, and takes what the broker still has for the session. Answers whether that is all of it, and
   * committed: after a few seconds it may not be.
   */
  empty(): Promise<boolean>;
}

/**
 * Subscribes to an external broker: MQTT 5, persistent session, QoS 1, acknowledged after the commit. Reconnects for ever.
 * Resolves once it is subscribed, or after a few seconds where the broker is away.
 */
export async function startMqttClient(options: ClientOptions): Promise<MqttSource> {
  const { url, clientId, topics, receive, log, keepaliveSeconds = KEEPALIVE_SECONDS } = options;
  let { subscription } = options;
  const held: (() => void)[] = [];
  let subscribed: () => void = () => {};
  const firstSubscription = new Promise<void>((resolve) => {
    subscribed = resolve;
  });
  let paused = false;
  const settings: IClientOptions = {
    protocolVersion: 5,
    clientId,
    clean: false,
    keepalive: keepaliveSeconds,
    reconnectPeriod: 200,
    connectTimeout: 10_000,
    // By ourselves, at each connection: mqtt.js does not ask again for what it has asked for once.
    resubscribe: false,
    properties: {
      sessionExpiryInterval: WEEK_SECONDS,
      receiveMaximum: RECEIVE_MAXIMUM,
      maximumPacketSize: MAX_PACKET_BYTES,
    },
    // Its default costs an array for each of the dozen lines a packet, though nobody reads them.
    log: () => {},
    // Before the first packet can arrive: a persistent session delivers at once.
    manualConnect: true,
  };
  const client = connect(url, settings);
  let lastAtMs = performance.now();
  let heardAtMs = lastAtMs;
  /**
   * What is acknowledged was heard of a broker that is there, and tells it that we are. The answer to a ping waits behind all that the
   * broker has for us, and its reading of the ping behind what we have acknowledged: in a long backlog for longer than mqtt.js does.
   */
  const heard = () => {
    if (lastAtMs - heardAtMs < (keepaliveSeconds * 1_000) / PING_PARTS) return;
    heardAtMs = lastAtMs;
    client.reschedulePing(true);
  };
  let inFlight = 0;
  let closing = false;
  takePublishes(client, {
    take(topic, payload, isRetained, receipt) {
      lastAtMs = performance.now();
      // Neither taken nor acknowledged: it comes again, to whoever has this session next.
      if (closing) return;
      inFlight++;
      if (!receive({ topic, payload, receivedAtMs: Date.now(), replayed: isRetained }, receipt)) paused = true;
    },
    acknowledged() {
      inFlight--;
      heard();
    },
    hold(readOn) {
      if (!paused || closing) return false;
      held.push(readOn);
      return true;
    },
  });
  /** Asks for what is wanted, then gives up what is not: an earlier worker may have left the session with either. */
  const settleNow = async () => {
    const isWanted = subscription === 'all';
    if (isWanted) {
      // Retained messages come once, not at every connection (MQTT 5, 3.8.3.1: retain handling 1).
      const granted = await client.subscribeAsync([...topics], { qos: 1, rh: 1 });
      const refused = granted.filter(({ qos }) => (qos as number) >= 128);
      if (refused.length > 0) throw new Error(`refused: ${refused.map(({ topic }) => topic).join(', ')}`);
    }
    const shared = topics.map((filter) => `$share/${EARLIER_SHARE}/${filter}`);
    await client.unsubscribeAsync(isWanted ? shared : [...topics, ...shared]);
  };
  // One after the other: each ends with what was wanted when it began.
  let settling: Promise<void> = Promise.resolve();
  const settle = () => {
    settling = settling.catch(() => {}).then(settleNow);
    return settling;
  };
  client.on('error', (error) => log.warn({ err: error }, 'broker'));
  client.on('disconnect', ({ reasonCode }) => {
    if (reasonCode !== SESSION_TAKEN_OVER) return;
    log.warn(
      { url: withoutSecret(url), client_id: clientId },
      'another client has taken over the session: the database has ended the lease of this one, or there is a worker whose MQTT_URL names this broker in another way',
    );
    options.onTakenOver?.();
  });
  client.on('close', () => log.warn({ url: withoutSecret(url) }, 'broker connection closed'));
  client.on('connect', () => {
    log.info({ url: withoutSecret(url), client_id: clientId }, 'broker connected');
    settle().then(subscribed, (error: Error) => {
      // One that broke off meanwhile is told as closed, and asked again.
      if (client.connected && !closing) log.error({ err: error }, 'broker refused the subscription');
    });
  });
  const source: MqttSource = {
    isConnected: () => client.connected,
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      for (const goOn of held.splice(0)) goOn();
    },
    async empty() {
      const until = performance.now() + EMPTY_MS.longest;
      subscription = 'none';
      await settle();
      // A broker that waits for acknowledgements (receive maximum) is quiet, too.
      const isEmpty = () => inFlight === 0 && performance.now() - lastAtMs >= EMPTY_MS.quiet;
      while (performance.now() < until && !isEmpty()) await setTimeout(50);
      return isEmpty();
    },
    async close() {
      closing = true;
      // A connection that is not read does not end.
      for (const goOn of held.splice(0)) goOn();
      await Promise.race([client.endAsync(), setTimeout(CLOSE_MS, undefined, { ref: false })]);
      client.stream.destroy();
    },
  };
  options.onMade?.(source);
  client.connect();
  await Promise.race([firstSubscription, setTimeout(FIRST_SUBSCRIPTION_MS, undefined, { ref: false })]);
  return source;
}

function withoutSecret(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  parsed.username = '';
  return parsed.href;
}
