import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChannelModel, type ConsumeMessage, connect } from 'amqplib';
import type { AmqpUrl } from '#src/config/addresses.ts';
import type { Logger } from '#src/core/log.ts';
import type { Receive, Source } from '../source.ts';
import { countStrays } from './count-strays.ts';
import { declareTopology, TopologyError } from './declare.ts';
import { consumeShard, priorityOf, type Shard } from './shard.ts';
import { shardQueue } from './topology.ts';
import { controlReads, type ReadControl, watchMajority, watchSilence } from './watch-connection.ts';

/** After two to three of them without a word the broker takes a worker for dead: one that hangs is replaced within 4 to 6 s. */
const HEARTBEAT_SECONDS = 2;
/** After so long without a word a broker is left for the next one: it says something every heartbeat. */
const SILENT_MS = 3_000;
/** After so long without a majority behind it, too: longer than the others need to give up a broker that hangs, and to choose leaders. */
const NO_MAJORITY_MS = 5_000;
const CONNECT_MS = 5_000;
/** How long making everything, once, and asking for all shards may take. */
const DECLARE_MS = 60_000;
const CONSUME_MS = 10_000;
/** Between two attempts to connect. */
const AGAIN_MS = { first: 100, longest: 2_000 };
/** Messages under way over all shards: what a batch and its successor hold. */
const MAX_IN_FLIGHT = 8_192;
const MIN_PREFETCH = 8;
/** How long a worker that leaves waits for what it has begun before it hands its shards over. */
const LEAVE_MS = 800;
/** How long what is said last may take. */
const CLOSE_MS = 1_000;

export interface AmqpOptions {
  url: AmqpUrl;
  /** Queues that there are, of this installation for good. */
  shards: number;
  /** Which routing keys are messages of ours, and the topic that each stands for. */
  routingKeys: readonly string[];
  topicOf: (routingKey: string) => string | null;
  receive: Receive;
  log: Logger;
}

export interface AmqpSource extends Source {
  /** Messages at the broker that nobody asked for; null while that cannot be told. */
  strays(): number | null;
}

/**
 * Takes the messages of a RabbitMQ cluster, which got them from devices by MQTT: from as many queues (shards) as there are, each with one
 * owner at a time. Every worker asks for every shard; the broker gives each to the one that wants it most (`priorityOf` in shard.ts), and to the next
 * one when that is gone. Acknowledged after the commit. Reconnects for ever, to whichever host answers.
 *
 * Resolves once everything that messages need on their way stands and this worker has asked for all shards, however long the broker is
 * away. Throws a TopologyError where what is there is something else.
 */
export async function startAmqp(options: AmqpOptions): Promise<AmqpSource> {
  const worker = new AmqpWorker(options);
  await worker.start();
  return worker;
}

/** A worker of the cluster: its connection, and how far it is with starting, pausing and leaving. */
class AmqpWorker implements AmqpSource {
  readonly #options: AmqpOptions;
  readonly #workerId = randomUUID();
  readonly #counting: ReturnType<typeof countStrays>;
  #session: Session | undefined;
  #isClosing = false;
  #isLeaving = false;
  #isPaused = false;
  #inFlight = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(options: AmqpOptions) {
    this.#options = options;
    this.#counting = countStrays(() => (this.#isPaused ? null : this.#session?.connection), options.log);
  }

  /** Resolves once the worker has asked for all shards for the first time. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#running = this.#run(resolve, reject);
    });
  }

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
    // Messages that are read meanwhile stay at the broker; its answers must be read.
    this.#session?.reading.goOn();
    const untilMs = performance.now() + LEAVE_MS;
    while (this.#inFlight > 0 && performance.now() < untilMs) await pause(10);
    // With the connection the shards go to their next owners, and the messages that stayed first, so that order holds. If some cannot be
    // acknowledged yet, as the database is away, the connection is kept: then the next owners get what comes from now on.
    if (this.#inFlight === 0) return this.close();
    await withTimeout(Promise.all((this.#session?.shards ?? []).map((shard) => shard.cancel())));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#isLeaving = true;
    // The broker's answer must be read.
    this.#session?.reading.goOn();
    this.#counting.stop();
    if (this.#session) await withTimeout(this.#session.connection.close());
    await withTimeout(this.#running);
  }

  /** Takes a message of a shard, as `ShardOptions.onMessage`. */
  readonly #take = (message: ConsumeMessage, done: () => void): 'taken' | 'refuse' | 'leave' => {
    // Neither taken nor acknowledged: it comes again, to whoever owns the shard next.
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

  /** Connects again and again, to one host after the other, until the worker leaves. */
  async #run(onReady: () => void, onWrong: (error: Error) => void): Promise<void> {
    const { url, shards, log } = this.#options;
    let againMs = AGAIN_MS.first;
    // Workers do not all begin with the same one.
    let turn = Math.floor(Math.random() * url.hosts.length);
    let isReady = false;
    // A worker that leaves asks for nothing any more: the shards are the others'.
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
      // Messages under way when a connection ends are committed, and come again to some worker: there is room for them.
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
      await within(watchMajority(connection, NO_MAJORITY_MS, isRead, isLost), ended);
      if (this.#isPaused) reading.stop();
      return made;
    } catch (error) {
      this.#session = undefined;
      abandon(connection);
      throw error;
    }
  }

  /** All at once: a shard whose leader is just being elected does not keep this worker from the others. */
  async #askForShards({ connection, shards, end }: Session): Promise<void> {
    const count = this.#options.shards;
    const prefetch = Math.max(MIN_PREFETCH, Math.floor(MAX_IN_FLIGHT / count));
    const ask = async (_: unknown, shard: number) => {
      const [queue, priority] = [shardQueue(shard), priorityOf(this.#workerId, shard)];
      shards.push(await consumeShard(connection, { queue, priority, prefetch, onMessage: this.#take, onEnd: end }));
    };
    await Promise.all(Array.from({ length: count }, ask));
  }
}

type Host = AmqpUrl['hosts'][number];

/** Connects to a host, and watches whether it falls silent. */
async function openSession({ username, password, vhost, isSecure }: AmqpUrl, { host, port }: Host): Promise<Session> {
  const protocol = isSecure ? 'amqps' : 'amqp';
  const address = { protocol, hostname: host, port, username, password, vhost, heartbeat: HEARTBEAT_SECONDS };
  const connection = await connect(address, { noDelay: true, timeout: CONNECT_MS });
  const { promise: ended, resolve: end } = Promise.withResolvers<Error>();
  connection.on('error', end);
  connection.on('close', () => end(new Error('connection closed')));
  const reading = controlReads(connection, HEARTBEAT_SECONDS);
  const isRead = () => !reading.isStopped();
  watchSilence(connection, SILENT_MS, isRead, () =>
    end(new Error(`the broker has said nothing for ${SILENT_MS / 1_000} s`)),
  );
  return { connection, ended, end, shards: [], reading };
}

/** A connection with what was asked for on it. */
interface Session {
  connection: ChannelModel;
  /** Resolves with the reason when it has ended. */
  ended: Promise<Error>;
  /** Gives it up, for a reason. */
  end(why: Error): void;
  shards: Shard[];
  reading: ReadControl;
}

/** When the broker took the message: it may have waited for hours. Not the device's word: RabbitMQ writes over it. */
function cameAtMs({ properties }: ConsumeMessage): number {
  const nowMs = Date.now();
  const given: unknown = properties.headers?.timestamp_in_ms;
  return typeof given === 'number' && given > 0 ? Math.min(given, nowMs) : nowMs;
}

/** What is asked of a connection fails when that ends: amqplib leaves some of it waiting. */
async function within<T>(asked: Promise<T>, ended: Promise<Error>): Promise<T> {
  return Promise.race([asked, ended.then((why) => Promise.reject(why))]);
}

/** What a node that lost its leader meanwhile is asked may stay unanswered for half a minute: it is asked anew. */
const late = (ms: number) => pause(ms, new Error(`the broker did not answer within ${ms / 1_000} s`), { ref: false });

const withTimeout = (what: Promise<unknown>) =>
  Promise.race([what.catch(() => {}), pause(CLOSE_MS, undefined, { ref: false })]);

/** Ends a connection at once, whatever it still waits for. */
function abandon(connection: ChannelModel): void {
  connection.on('error', () => {});
  const { stream } = connection.connection as unknown as { stream: Duplex };
  stream.destroy(new Error('given up'));
}
