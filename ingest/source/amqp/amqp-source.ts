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
  const { url, shards, routingKeys, log } = options;
  const workerId = randomUUID();
  const prefetch = Math.max(MIN_PREFETCH, Math.floor(MAX_IN_FLIGHT / shards));
  let session: Session | undefined;
  let isClosing = false;
  let isLeaving = false;
  let isPaused = false;
  let inFlight = 0;

  const take = (message: ConsumeMessage, done: () => void): 'taken' | 'refuse' | 'leave' => {
    // Neither taken nor acknowledged: it comes again, to whoever owns the shard next.
    if (isLeaving) return 'leave';
    const topic = options.topicOf(message.fields.routingKey);
    if (topic === null) return 'refuse';
    inFlight++;
    const raw = { topic, payload: message.content, receivedAtMs: cameAtMs(message), replayed: false };
    const hasRoom = options.receive(raw, {
      done() {
        inFlight--;
        done();
      },
    });
    if (!hasRoom) stopReading();
    return 'taken';
  };
  const stopReading = () => {
    isPaused = true;
    session?.reading.stop();
  };

  async function connectTo({ host, port }: AmqpUrl['hosts'][number]): Promise<Session> {
    const { username, password, vhost, isSecure } = url;
    const protocol = isSecure ? 'amqps' : 'amqp';
    const address = { protocol, hostname: host, port, username, password, vhost, heartbeat: HEARTBEAT_SECONDS };
    const connection = await connect(address, { noDelay: true, timeout: CONNECT_MS });
    let end: (why: Error) => void = () => {};
    const ended = new Promise<Error>((resolve) => {
      end = resolve;
    });
    connection.on('error', end);
    connection.on('close', () => end(new Error('connection closed')));
    const reading = controlReads(connection, HEARTBEAT_SECONDS);
    const isRead = () => !reading.isStopped();
    watchSilence(connection, SILENT_MS, isRead, () =>
      end(new Error(`the broker has said nothing for ${SILENT_MS / 1_000} s`)),
    );
    try {
      await within(declareTopology(connection, shards, routingKeys), Promise.race([ended, late(DECLARE_MS)]));
      const made: Session = { connection, ended, shards: [], reading };
      session = made;
      // All at once: a shard whose leader is just being elected does not keep this worker from the others.
      const asked = Array.from({ length: shards }, async (_, shard) => {
        const queue = shardQueue(shard);
        const priority = priorityOf(workerId, shard);
        made.shards.push(await consumeShard(connection, { queue, priority, prefetch, onMessage: take, onEnd: end }));
      });
      await within(Promise.all(asked), Promise.race([ended, late(CONSUME_MS)]));
      const isLost = () => end(new Error(`the broker has reached no majority for ${NO_MAJORITY_MS / 1_000} s`));
      await within(watchMajority(connection, NO_MAJORITY_MS, isRead, isLost), ended);
      if (isPaused) made.reading.stop();
      return made;
    } catch (error) {
      session = undefined;
      abandon(connection);
      throw error;
    }
  }

  async function run(onReady: () => void, onWrong: (error: Error) => void): Promise<void> {
    let againMs = AGAIN_MS.first;
    // Workers do not all begin with the same one.
    let turn = Math.floor(Math.random() * url.hosts.length);
    let isReady = false;
    // One that leaves asks for nothing any more: the shards are the others'.
    for (; !isClosing && !isLeaving; turn++) {
      const host = url.hosts[turn % url.hosts.length] as AmqpUrl['hosts'][number];
      try {
        const { connection, ended } = await connectTo(host);
        log.info({ ...host, shards }, 'broker connected');
        againMs = AGAIN_MS.first;
        isReady = true;
        onReady();
        const why = await ended;
        session = undefined;
        abandon(connection);
        if (!isClosing) log.warn({ ...host, err: why }, 'broker connection ended');
      } catch (error) {
        if (error instanceof TopologyError && !isReady) return onWrong(error);
        log[error instanceof TopologyError ? 'error' : 'warn']({ ...host, err: error }, 'broker not reached yet');
      }
      // What is under way when a connection ends is committed, and comes again to somebody: there is room for it.
      if (!isClosing) await pause(againMs, undefined, { ref: false });
      againMs = Math.min(againMs * 2, AGAIN_MS.longest);
    }
  }

  const counting = countStrays(() => (isPaused ? null : session?.connection), log);

  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    running = run(resolve, reject);
  });

  return {
    strays: counting.strays,
    isConnected: () => session !== undefined,
    pause: stopReading,
    resume() {
      isPaused = false;
      session?.reading.goOn();
    },
    async leave() {
      isLeaving = true;
      // What was read meanwhile is left where it is; the broker's answers are to be read.
      session?.reading.goOn();
      for (const untilMs = performance.now() + LEAVE_MS; inFlight > 0 && performance.now() < untilMs; ) await pause(10);
      // With the connection the shards go to their next owners, and what was left to them first, so that order holds. What cannot be
      // acknowledged yet, as the database is away, keeps the connection: then they get what comes from now on.
      if (inFlight === 0) return close();
      await withTimeout(Promise.all((session?.shards ?? []).map((shard) => shard.cancel())));
    },
    close,
  };

  async function close(): Promise<void> {
    isClosing = true;
    isLeaving = true;
    // The broker's answer is to be read.
    session?.reading.goOn();
    counting.stop();
    if (session) await withTimeout(session.connection.close());
    await withTimeout(running);
  }
}

/** A connection with what was asked for on it. */
interface Session {
  connection: ChannelModel;
  /** Resolves with the reason when it has ended. */
  ended: Promise<Error>;
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
