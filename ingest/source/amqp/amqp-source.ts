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

/**
 * Heartbeat interval in seconds. The broker considers a worker dead after two to three intervals without a heartbeat, so a hung worker is
 * replaced within 4 to 6 s.
 */
const HEARTBEAT_SECONDS = 2;
/**
 * If a broker sends nothing for this time (ms), the worker connects to the next broker. A broker sends at least one heartbeat in each
 * interval.
 */
const SILENT_MS = 3_000;
/**
 * If a node of the broker has no majority of its cluster for this time (ms), the worker connects to another node. The time is longer than
 * the other nodes need to detect a hung node and to elect leaders.
 */
const NO_MAJORITY_MS = 5_000;
const CONNECT_MS = 5_000;
/** Time limit in ms for declaring the topology. `CONSUME_MS`: time limit for subscribing to all shards. */
const DECLARE_MS = 60_000;
const CONSUME_MS = 10_000;
const AGAIN_MS = { first: 100, longest: 2_000 };
/** Maximum number of unacknowledged messages of all shards together: enough for one batch and the next. */
const MAX_IN_FLIGHT = 8_192;
const MIN_PREFETCH = 8;
/** Time in ms that a stopping worker waits until its unacknowledged messages are committed, before it hands over its shards. */
const LEAVE_MS = 800;
/** Maximum time in ms for closing a connection or a consumer. */
const CLOSE_MS = 1_000;

export interface AmqpOptions {
  url: AmqpUrl;
  /** Number of shards (queues). It never changes after the installation is created. */
  shards: number;
  /** Routing keys of device and gateway messages. */
  routingKeys: readonly string[];
  topicOf: (routingKey: string) => string | null;
  receive: MessageReceiver;
  log: Logger;
}

/**
 * Consumes the messages that a RabbitMQ cluster received from devices over MQTT. The cluster distributes them over several queues (shards).
 * Every worker subscribes to every shard, but each shard has only one active consumer at a time: the broker delivers to the worker with the
 * highest priority (`computeShardPriority` in shard.ts), and to the next one if that worker disappears. Messages are acknowledged after the
 * commit. Reconnects without limit, to any host that answers. Resolves when the topology is declared and this worker has subscribed to all
 * shards, even if the broker is unavailable for a long time. Throws a TopologyError if queues or exchanges at the broker differ from the
 * required ones.
 */
export async function startAmqpSource(options: AmqpOptions): Promise<AmqpSource> {
  const worker = new AmqpSource(options);
  await worker.start();
  return worker;
}

/** Consumes the messages of a RabbitMQ cluster: keeps a connection to one of its hosts, and can be paused and stopped. */
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

  /** Resolves once the worker has subscribed to all shards for the first time. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#running = this.#run(resolve, reject);
    });
  }

  /** Returns the number of stray messages at the broker; null if unknown. */
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
    // The connection is still read, so that replies of the broker arrive. Messages that arrive too are not acknowledged, so they remain at
    // the broker.
    this.#session?.reading.goOn();
    const untilMs = performance.now() + LEAVE_MS;
    while (this.#inFlight > 0 && performance.now() < untilMs) await pause(10);
    // When the connection closes, the shards pass to their next owners, which first receive the unacknowledged messages, so the order is
    // preserved. If messages cannot be acknowledged yet because the database is unavailable, the connection remains open, and the next
    // owners receive only new messages.
    if (this.#inFlight === 0) return this.close();
    await withTimeout(Promise.all((this.#session?.shards ?? []).map((cancel) => cancel())));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#isLeaving = true;
    // The connection is still read, so that the broker's reply to its closing arrives.
    this.#session?.reading.goOn();
    this.#counting.stop();
    if (this.#session) await withTimeout(this.#session.connection.close());
    await withTimeout(this.#running);
  }

  /** Handles a message of a shard; see `ShardOptions.onMessage`. */
  readonly #take = (message: ConsumeMessage, done: () => void): 'taken' | 'refuse' | 'leave' => {
    // The message is neither accepted nor acknowledged, so that the broker redelivers it to the next owner of the shard.
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

  /** Connects repeatedly, to one host after the other, until the worker stops. */
  async #run(onReady: () => void, onWrong: (error: Error) => void): Promise<void> {
    const { url, shards, log } = this.#options;
    let againMs = AGAIN_MS.first;
    // Each worker starts with a random host, so that the workers are distributed over the cluster.
    let turn = Math.floor(Math.random() * url.hosts.length);
    let isReady = false;
    // A stopping worker does not connect again, because its shards now belong to other workers.
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
      // Messages that were in flight when the connection ended are still committed. The broker also redelivers them, and the receiving
      // worker must have room for them.
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

  /** Subscribes to all shards concurrently: a shard whose leader is being elected does not delay the others. */
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

/** Connects to a host. Starts to check whether the broker becomes silent. */
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

/** A broker connection with its consumers. */
interface Session {
  connection: ChannelModel;
  /** Resolves when the connection has ended. The result is the reason. */
  ended: Promise<Error>;
  /** Closes the connection and records the reason. */
  end(why: Error): void;
  /** Functions, one per shard, that hand over the shard to another worker. */
  shards: (() => Promise<void>)[];
  reading: ReturnType<typeof createReadPauser>;
}

/**
 * Returns the time at which the broker received a message, because the message may have waited at the broker for hours. A device cannot
 * forge this header, because RabbitMQ overwrites it.
 */
function cameAtMs({ properties }: ConsumeMessage): number {
  const nowMs = Date.now();
  const timestamp: unknown = properties.headers?.timestamp_in_ms;
  return typeof timestamp === 'number' && timestamp > 0 ? Math.min(timestamp, nowMs) : nowMs;
}

/** Awaits the reply to a request. Rejects if the connection ends, because amqplib then leaves some requests pending forever. */
async function within<T>(asked: Promise<T>, ended: Promise<Error>): Promise<T> {
  return Promise.race([asked, ended.then((why) => Promise.reject(why))]);
}

/**
 * A node that has lost its leader may not answer a request for half a minute. The request therefore has a shorter time limit, after which
 * it is repeated.
 */
const late = (ms: number) => pause(ms, new Error(`the broker did not answer within ${ms / 1_000} s`), { ref: false });

const withTimeout = (what: Promise<unknown>) =>
  Promise.race([what.catch(() => {}), pause(CLOSE_MS, undefined, { ref: false })]);

/** Destroys a connection at once, even if requests are pending. */
function abandon(connection: ChannelModel): void {
  connection.on('error', () => {});
  getInnerConnection(connection).stream.destroy(new Error('given up'));
}
