import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { inSpan } from '#src/core/tracing.ts';
import { createFairQueue, type Queued } from './fair-queue.ts';
import { countOfBytes, countOfElements, createFloodLimit, type FloodLimit } from './flood-limit.ts';
import { senderOf, toIncoming, unread } from './incoming.ts';
import { halvesOf, isOfTheMessages, refused } from './refusal.ts';
import type { RawMessage, Receive } from './source/source.ts';
import type { IncomingMessage, Writer } from './write/writer.ts';

/** Messages that may wait for a commit, in number and in bytes of memory, before the source is asked to pause. */
const MAX_WAITING = 20_000;
const MAX_WAITING_BYTES = 64 * 2 ** 20;
/** What a reading or a rejection that was read out of a message takes in memory, about: a message of 20 KB may have 10,000. */
const ELEMENT_BYTES = 150;
/** So many times its length a message of a gateway may take, which is read when it is written. */
const UNREAD_TIMES = 8;
/** Length of an element of such a message, about. */
const UNREAD_ELEMENT_BYTES = 200;
/** A flooding device is logged once per this many refused messages. */
const WARN_EVERY = 100_000;
/** Messages for accounts that are elsewhere are logged once per this many. */
const TELL_DEPARTED_EVERY = 10_000;
const RETRY_MS = { first: 100, longest: 5_000 };
/**
 * So many times as long as a batch of a device that is behind took nothing more of it is written while others send: it keeps a quarter of a
 * lane. Where many are behind, as after an outage, each is a small part of the batch, and the rest is as much shorter.
 */
const REST = 3;

interface Waiting extends Queued {
  message: IncomingMessage;
  done: () => void;
  /** It could not be written, and waits to be kept as a rejection. */
  isRefused?: boolean;
}

/** Counts since the start, for logs and metrics. */
export interface PipelineCounts {
  received: number;
  committed: number;
  stored: number;
  duplicates: number;
  rejected: number;
  /** Messages of devices that sent more than a device may; they are among the rejected. */
  overLimit: number;
  /** Messages for accounts that moved into another installation. */
  departed: number;
  /** Devices of batches whose heads were read from the database. */
  loaded: number;
}

export interface Pipeline {
  receive: Receive;
  counts: PipelineCounts;
  /** Messages that are to be written and are not committed yet. */
  waiting(): number;
  /** Writes what waits, for at most `timeoutMs`; what is left was never acknowledged. */
  drain(timeoutMs: number): Promise<void>;
}

/**
 * From message to commit. Devices are spread over lanes (one transaction at a time each, and one lane more for devices that are
 * behind: fair-queue.ts), so that two batches never wait for the same device; a lane writes as soon as it is free, and what arrives
 * meanwhile makes its next batch.
 * `onRoom` is called when the source may go on after `receive` answered false.
 */
export function createPipeline(options: {
  writer: Writer;
  log: Logger;
  onRoom: () => void;
  lanes?: number;
  floodLimit?: FloodLimit;
}): Pipeline {
  const { writer, log, onRoom, lanes: laneCount = 2, floodLimit = createFloodLimit() } = options;
  const counts: PipelineCounts = {
    received: 0,
    committed: 0,
    stored: 0,
    duplicates: 0,
    rejected: 0,
    overLimit: 0,
    departed: 0,
    loaded: 0,
  };
  const queue = createFairQueue<Waiting>(laneCount);
  const isRunning = Array.from({ length: laneCount + 1 }, () => false);
  let waiting = 0;
  let waitingBytes = 0;
  let paused = false;
  /** What waits is still written, and nothing more is asked for. */
  let stopping = false;
  let stopped = false;
  let drained: (() => void) | undefined;

  function settle(batch: Waiting[]): void {
    for (const { bytes, done } of batch) {
      waiting--;
      waitingBytes -= bytes;
      done();
    }
    counts.committed += batch.length;
    if (paused && !stopping && waiting < MAX_WAITING / 2 && waitingBytes < MAX_WAITING_BYTES / 2) {
      paused = false;
      onRoom();
    }
    if (waiting === 0) drained?.();
  }

  function tellOfDeparted(count: number): void {
    const told = Math.floor(counts.departed / TELL_DEPARTED_EVERY);
    const isFirst = counts.departed === 0;
    counts.departed += count;
    if (isFirst || Math.floor(counts.departed / TELL_DEPARTED_EVERY) > told)
      log.warn(
        { departed: counts.departed },
        'devices of accounts that moved into another installation still publish here: kept, energy migrate --users writes it there',
      );
  }

  /** Writes the batch, however long the database is away; a message that breaks its batch is refused by itself. */
  async function write(batch: Waiting[]): Promise<void> {
    for (let delayMs = RETRY_MS.first; !stopped; delayMs = Math.min(delayMs * 2, RETRY_MS.longest)) {
      try {
        const result = await inSpan('ingest batch', { 'energy.messages': batch.length }, () =>
          writer.write(batch.map(({ message }) => message)),
        );
        counts.stored += result.stored;
        counts.duplicates += result.duplicates;
        counts.rejected += result.rejected;
        counts.loaded += result.loaded ?? 0;
        for (const deviceId of result.large ?? []) queue.setApart(deviceId);
        if (result.departed !== undefined) tellOfDeparted(result.departed);
        settle(batch);
        return;
      } catch (error) {
        // A refusal that cannot be kept either is tried for ever, as nothing may be lost silently.
        const isRefusal = batch.length === 1 && batch[0]?.isRefused === true;
        if (!isRefusal && (await isOfTheMessages(writer, error))) return isolate(batch, error as Error);
        log.warn({ err: error, messages: batch.length, retry_in_ms: delayMs }, 'batch not committed, retrying');
        await pause(delayMs);
      }
    }
  }

  /** Finds the messages that break their batch, by halves, and refuses each of them by itself. */
  async function isolate(batch: Waiting[], error: Error): Promise<void> {
    const [only] = batch;
    if (batch.length > 1) for (const half of halvesOf(batch)) await write(half);
    else if (only) {
      log.error({ err: error, topic: only.message.topic }, 'message refused: it cannot be written');
      only.message = refused(only.message, error);
      only.isRefused = true;
      await write(batch);
    }
  }

  async function run(lane: number): Promise<void> {
    for (let batch = queue.take(lane); batch.messages.length > 0 && !stopped; batch = queue.take(lane)) {
      const { messages, isOfBehind } = batch;
      const fromMs = performance.now();
      await write(messages);
      queue.finish(messages);
      wake();
      if (lane === laneCount && isOfBehind && queue.areOthers() && !stopping) {
        const devices = new Set(messages.map(({ deviceId }) => deviceId)).size;
        await pause((REST * (performance.now() - fromMs)) / devices);
      }
    }
    isRunning[lane] = false;
  }

  /** In the next turn of the event loop, so that what was read from the socket together is written together. */
  function wake(): void {
    for (let lane = 0; lane < isRunning.length; lane++) {
      if (isRunning[lane]) continue;
      isRunning[lane] = true;
      setImmediate(() => run(lane));
    }
  }

  /** What is to be written of a message; null: it is somebody else's. Of a device beyond its limit all are refused, and none is read. */
  function taken(raw: RawMessage): IncomingMessage | null {
    const deviceId = senderOf(raw.topic);
    if (deviceId === null) return null;
    let reason = floodLimit.refuse(deviceId, countOfBytes(raw.payload.length));
    if (reason === null) {
      const message = toIncoming(raw);
      if (!message) return null;
      const { readings, rejections } = message.decoded;
      const further = countOfElements(readings.length, rejections.length);
      if (further > 0) reason = floodLimit.refuse(deviceId, further);
      if (reason === null) return message;
    }
    if (counts.overLimit++ % WARN_EVERY === 0)
      log.warn({ device: deviceId, reason }, 'device sends too much: message refused');
    return unread(raw, deviceId, reason);
  }

  return {
    counts,
    waiting: () => waiting,
    receive(raw: RawMessage, done) {
      counts.received++;
      const message = taken(raw);
      if (!message) {
        done();
        return !paused;
      }
      const bytes = bytesOf(message);
      queue.push({ message, done, bytes, deviceId: message.decoded.deviceId, weight: weightOf(message) });
      waiting++;
      waitingBytes += bytes;
      wake();
      if (stopping || waiting >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES) paused = true;
      return !paused;
    },
    async drain(timeoutMs) {
      stopping = true;
      if (waiting > 0) {
        const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
        await Promise.race([new Promise<void>((resolve) => (drained = resolve)), timeout]);
      }
      stopped = true;
    },
  };
}

/** Bytes of memory that a message takes while it waits, with what was read out of it, or (a gateway's) may be. */
function bytesOf({ topic, payload, decoded, gateway }: IncomingMessage): number {
  const elements = decoded.readings.length + decoded.rejections.length;
  return topic.length + payload.length * (gateway ? UNREAD_TIMES : 1) + elements * ELEMENT_BYTES;
}

/** What of a message is to be written, in elements; of one that is not read yet as many as it may have. */
function weightOf({ payload, decoded, gateway }: IncomingMessage): number {
  return (
    1 +
    decoded.readings.length +
    decoded.rejections.length +
    (gateway ? Math.ceil(payload.length / UNREAD_ELEMENT_BYTES) : 0)
  );
}
