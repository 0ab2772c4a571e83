import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChannelModel, type ConsumeMessage, connect } from 'amqplib';
import type { AmqpUrl } from '#src/config/addresses.ts';
import type { Logger } from '#src/core/log.ts';
import type { MessageReceiver, MessageSource } from '../source.ts';
import { startCountingStrayMessages } from './count-strays.ts';
import { declareTopology, TopologyError } from './declare.ts';
import { computeShardPriority, consumeShard } from './shard.ts';
import { getShardQueueName } from './topology.ts';
import {
  createReadPauser,
  getInnerConnection,
  watchClusterMajority,
  watchConnectionSilence,
} from './watch-connection.ts';

/** Heartbeat interval in seconds. The broker ends the connection of a hung worker after two to three intervals. */
const HEARTBEAT_SECONDS = 2;
/** If the broker sends nothing for this time (ms), the worker connects to the next host. */
const SILENT_MS = 3_000;
/**
 * If a node cannot reach a majority of its cluster for this time (ms), the worker connects to another node. The time is longer than an
 * election of leaders by the other nodes.
 */
const NO_MAJORITY_MS = 5_000;
const CONNECT_MS = 5_000;
/** Time limit in ms for declaring the queues and exchanges. */
const DECLARE_MS = 60_000;
/** Time limit in ms for subscribing to all queues. */
const CONSUME_MS = 10_000;
const AGAIN_MS = { first: 100, longest: 2_000 };
const MAX_IN_FLIGHT = 8_192;
const MIN_PREFETCH = 8;
/** Time in ms that a stopping worker waits for the commit of its messages, before it hands over its queues. */
const LEAVE_MS = 800;
/** Maximum time in ms for closing a connection or a consumer. */
const CLOSE_MS = 1_000;

interface AmqpOptions {
  url: AmqpUrl;
  /** Number of queues over which messages are distributed. It never changes after the first start. */
  shards: number;
  routingKeys: readonly string[];
  topicOf: (routingKey: string) => string | null;
  receive: MessageReceiver;
  log: Logger;
}

/**
 * Consumes the messages that a RabbitMQ cluster has received from devices. The messages are distributed over several queues (shards), and
 * one worker at a time receives from each queue. Reconnects without limit, to any host that answers. Resolves when the worker is subscribed
 * to all queues, even if this takes hours. Throws a TopologyError if existing queues or exchanges differ from the required ones.
 */
export async function startAmqpSource(options: AmqpOptions): Promise<AmqpSource> {
  const worker = new AmqpSource(options);
  await worker.start();
  return worker;
}

export class AmqpSource implements MessageSource {
  readonly #options: AmqpOptions;
  readonly #workerId = randomUUID();
  readonly #counting: ReturnType<typeof startCountingStrayMessages>;
  #session: Session | undefined;
  #isClosing = false;
  #isLeaving = false;
  #isPaused = false;
  #inFlight = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(options: AmqpOptions) {
    this.#options = options;
    this.#counting = startCountingStrayMessages(() => (this.#isPaused ? null : this.#session?.connection), options.log);
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#running = this.#run(resolve, reject);
    });
  }

  /** Returns the number of messages at the broker that belong to neither a device nor a gateway. Null if unknown. */
  strays(): number | null {
    return this.#counting.strays();
  }

  isConnected(): boolean {
    return this.#session !== undefined;
  }

  pause(): void {
    this.#isPaused = true;
    this.#session?.reading.stop();
  }

  resume(): void {
    this.#isPaused = false;
    this.#session?.reading.goOn();
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    // The connection is still read so that replies arrive. Messages that arrive with them are not acknowledged, so the broker redelivers
    // them.
    this.#session?.reading.goOn();
    const untilMs = performance.now() + LEAVE_MS;
    while (this.#inFlight > 0 && performance.now() < untilMs) await pause(10);
    // If all messages are committed, the connection is closed. Other workers then receive the unacknowledged messages before newer ones, so
    // the order is preserved. Otherwise, for example while the database is down, the connection stays open, and other workers receive only
    // new messages.
    if (this.#inFlight === 0) return this.close();
    await withTimeout(Promise.all((this.#session?.shards ?? []).map((cancel) => cancel())));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#isLeaving = true;
    // The connection is read so that the broker's reply to the close arrives.
    this.#session?.reading.goOn();
    this.#counting.stop();
    if (this.#session) await withTimeout(this.#session.connection.close());
    await withTimeout(this.#running);
  }

  /** Handles a message of a queue; see `ShardOptions.onMessage`. */
  readonly #take = (message: ConsumeMessage, done: () => void): 'taken' | 'refuse' | 'leave' => {
    // The broker redelivers the message to another worker.
    if (this.#isLeaving) return 'leave';
    const topic = this.#options.topicOf(message.fields.routingKey);
    if (topic === null) return 'refuse';
    this.#inFlight++;
    const raw = { topic, payload: message.content, receivedAtMs: cameAtMs(message), replayed: false };
    const receipt = {
      done: () => {
        this.#inFlight--;
        done();
      },
    };
    if (!this.#options.receive(raw, receipt)) this.pause();
    return 'taken';
  };

  async #run(onReady: () => void, onWrong: (error: Error) => void): Promise<void> {
    const { url, shards, log } = this.#options;
    let againMs = AGAIN_MS.first;
    // Starts with a random host, so that workers are distributed over the cluster.
    let turn = Math.floor(Math.random() * url.hosts.length);
    let isReady = false;
    // A stopping worker does not reconnect, because its queues now belong to other workers.
    for (; !this.#isClosing && !this.#isLeaving; turn++) {
      const host = url.hosts[turn % url.hosts.length] as Host;
      try {
        const { connection, ended } = await this.#connectTo(host);
        log.info({ ...host, shards }, 'broker connected');
        againMs = AGAIN_MS.first;
        isReady = true;
        onReady();
        const why = await ended;
        this.#session = undefined;
        abandon(connection);
        if (!this.#isClosing) log.warn({ ...host, err: why }, 'broker connection ended');
      } catch (error) {
        if (error instanceof TopologyError && !isReady) return onWrong(error);
        log[error instanceof TopologyError ? 'error' : 'warn']({ ...host, err: error }, 'broker not reached yet');
      }
      // During the wait, messages in flight are still committed. The broker redelivers them to another worker, because they cannot be
      // acknowledged.
      if (!this.#isClosing) await pause(againMs, undefined, { ref: false });
      againMs = Math.min(againMs * 2, AGAIN_MS.longest);
    }
  }

  async #connectTo(host: Host): Promise<Session> {
    const { url, shards, routingKeys } = this.#options;
    const made = await openSession(url, host);
    const { connection, ended, end, reading } = made;
    try {
      await within(declareTopology(connection, shards, routingKeys), Promise.race([ended, late(DECLARE_MS)]));
      this.#session = made;
      await within(this.#askForShards(made), Promise.race([ended, late(CONSUME_MS)]));
      const isRead = () => !reading.isStopped();
      const isLost = () => end(new Error(`the broker has reached no majority for ${NO_MAJORITY_MS / 1_000} s`));
      await within(watchClusterMajority(connection, NO_MAJORITY_MS, isRead, isLost), ended);
      if (this.#isPaused) reading.stop();
      return made;
    } catch (error) {
      this.#session = undefined;
      abandon(connection);
      throw error;
    }
  }

  /** Subscribes to all queues concurrently: a queue whose leader is being elected does not delay the others. */
  async #askForShards({ connection, shards, end }: Session): Promise<void> {
    const count = this.#options.shards;
    const prefetch = Math.max(MIN_PREFETCH, Math.floor(MAX_IN_FLIGHT / count));
    const ask = async (_: unknown, shard: number) => {
      const [queue, priority] = [getShardQueueName(shard), computeShardPriority(this.#workerId, shard)];
      shards.push(await consumeShard(connection, { queue, priority, prefetch, onMessage: this.#take, onEnd: end }));
    };
    await Promise.all(Array.from({ length: count }, ask));
  }
}

type Host = AmqpUrl['hosts'][number];

/** Connects to a host, and watches for silence of the broker. */
async function openSession({ username, password, vhost, isSecure }: AmqpUrl, { host, port }: Host): Promise<Session> {
  const protocol = isSecure ? 'amqps' : 'amqp';
  const address = { protocol, hostname: host, port, username, password, vhost, heartbeat: HEARTBEAT_SECONDS };
  const connection = await connect(address, { noDelay: true, timeout: CONNECT_MS });
  const { promise: ended, resolve: end } = Promise.withResolvers<Error>();
  connection.on('error', end);
  connection.on('close', () => end(new Error('connection closed')));
  const reading = createReadPauser(connection, HEARTBEAT_SECONDS);
  const isRead = () => !reading.isStopped();
  watchConnectionSilence(connection, SILENT_MS, isRead, () =>
    end(new Error(`the broker has sent nothing for ${SILENT_MS / 1_000} s`)),
  );
  return { connection, ended, end, shards: [], reading };
}

interface Session {
  connection: ChannelModel;
  /** Resolves with the reason when the connection has ended. */
  ended: Promise<Error>;
  end(why: Error): void;
  /** One function per queue, which hands the queue over to another worker. */
  shards: (() => Promise<void>)[];
  reading: ReturnType<typeof createReadPauser>;
}

/** Returns the time at which the broker received a message. Devices cannot forge it: RabbitMQ overwrites this header. */
function cameAtMs({ properties }: ConsumeMessage): number {
  const nowMs = Date.now();
  const timestamp: unknown = properties.headers?.timestamp_in_ms;
  return typeof timestamp === 'number' && timestamp > 0 ? Math.min(timestamp, nowMs) : nowMs;
}

/** Awaits a reply. Rejects if the connection ends, because amqplib would leave the request pending. */
async function within<T>(asked: Promise<T>, ended: Promise<Error>): Promise<T> {
  return Promise.race([asked, ended.then((why) => Promise.reject(why))]);
}

/** A node without a leader may take half a minute to answer. After a shorter time, the request is given up and repeated. */
const late = (ms: number) => pause(ms, new Error(`the broker did not answer within ${ms / 1_000} s`), { ref: false });

const withTimeout = (what: Promise<unknown>) =>
  Promise.race([what.catch(() => {}), pause(CLOSE_MS, undefined, { ref: false })]);

function abandon(connection: ChannelModel): void {
  connection.on('error', () => {});
  getInnerConnection(connection).stream.destroy(new Error('given up'));
}
