import { setTimeout } from 'node:timers/promises';
import { connect, type IClientOptions } from 'mqtt';
import type { Logger } from '#src/core/log.ts';
import { NATIVE_FILTERS } from '../decoders/native/topic.ts';
import { holdPubacks } from './held-puback.ts';
import type { Receive, Source } from './source.ts';

/** Workers of one service share their subscription under this name. */
const SHARE = 'energy';
/** Unacknowledged messages that the broker may send: what a batch and its successor hold. */
const RECEIVE_MAXIMUM = 10_000;
const WEEK_SECONDS = 7 * 86_400;
/** A start waits this long for its subscription; a broker that is away then is waited for in the background. */
const FIRST_SUBSCRIPTION_MS = 5_000;
/** One that leaves goes when nothing has come for so long, or after so long at all. */
const LEAVE_MS = { quiet: 300, longest: 3_000 };

export interface ClientOptions {
  url: string;
  /** Stable for this worker's place, so that the broker keeps what it could not deliver (never shared by two at once). */
  clientId: string;
  receive: Receive;
  log: Logger;
  /** Without: takes what the session has, and asks for nothing new. */
  subscribes?: boolean;
}

/**
 * Subscribes to an external broker: MQTT 5, shared subscription, persistent session, QoS 1, acknowledged after the
 * commit. Reconnects for ever. Resolves once it is subscribed, or after a few seconds where the broker is away.
 */
export async function startMqttClient(options: ClientOptions): Promise<Source> {
  const { url, clientId, receive, log, subscribes = true } = options;
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
    reconnectPeriod: 1_000,
    connectTimeout: 10_000,
    resubscribe: true,
    properties: { sessionExpiryInterval: WEEK_SECONDS, receiveMaximum: RECEIVE_MAXIMUM },
    // Before the first packet can arrive: a persistent session delivers at once.
    manualConnect: true,
  };
  const client = connect(url, settings);
  const filters = NATIVE_FILTERS.map((filter) => `$share/${SHARE}/${filter}`);
  let lastAtMs = Date.now();
  let closing = false;
  holdPubacks(client, (packet, acknowledge, goOn) => {
    lastAtMs = Date.now();
    // Neither taken nor acknowledged: it comes again, to whoever has this session next.
    if (closing) return goOn();
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    const message = { topic: packet.topic, payload, receivedAtMs: Date.now(), replayed: packet.retain === true };
    if (!receive(message, acknowledge)) paused = true;
    if (paused) held.push(goOn);
    else goOn();
  });
  client.on('error', (error) => log.warn({ err: error }, 'broker'));
  client.on('close', () => log.warn({ url: withoutSecret(url) }, 'broker connection closed'));
  client.on('connect', () => {
    log.info({ url: withoutSecret(url), client_id: clientId }, 'broker connected');
    if (!subscribes) return subscribed();
    client.subscribe(filters, { qos: 1 }, (error, granted) => {
      const refused = granted?.filter(({ qos }) => (qos as number) >= 128) ?? [];
      if (error || refused.length > 0) log.error({ err: error, refused }, 'broker refused the subscription');
      else subscribed();
    });
  });
  client.connect();
  await Promise.race([firstSubscription, setTimeout(FIRST_SUBSCRIPTION_MS, undefined, { ref: false })]);
  return {
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      for (const goOn of held.splice(0)) goOn();
    },
    async leave() {
      const until = Date.now() + LEAVE_MS.longest;
      await client.unsubscribeAsync(filters);
      // What the broker had queued for this session still comes; what does not, waits for whoever takes its name.
      while (Date.now() < until && Date.now() - lastAtMs < LEAVE_MS.quiet) await setTimeout(50);
    },
    async close() {
      closing = true;
      // A connection that is not read does not end.
      for (const goOn of held.splice(0)) goOn();
      await client.endAsync();
    },
  };
}

function withoutSecret(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  parsed.username = '';
  return parsed.href;
}
