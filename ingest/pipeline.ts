import type { Logger } from '#src/core/log.ts';
import { inSpan } from '#src/core/tracing.ts';
import { faultOf } from './fault.ts';
import { createFloodLimit, type FloodLimit, hashOf } from './flood-limit.ts';
import { toIncoming } from './incoming.ts';
import type { RawMessage, Receive } from './source/source.ts';
import type { IncomingMessage, Writer } from './write/writer.ts';

/** Most messages of a batch, and about how many bytes of memory. */
const MAX_BATCH = 5_000;
const MAX_BATCH_BYTES = 16 * 2 ** 20;
/** Messages that may wait for a commit, in number and in bytes of memory, before the source is asked to pause. */
const MAX_WAITING = 20_000;
const MAX_WAITING_BYTES = 64 * 2 ** 20;
/** What a reading or a rejection that was read out of a message takes in memory, about: a message of 20 KB may have 10,000. */
const ELEMENT_BYTES = 150;
/** So many times its length a message of a gateway may take, which is read when it is written. */
const UNREAD_TIMES = 8;
/** A flooding device is logged once per this many refused messages. */
const WARN_EVERY = 100_000;
const RETRY_MS = { first: 100, longest: 5_000 };
/** Longest text of an error that is kept with a message. */
const MAX_ERROR_CHARACTERS = 300;

interface Waiting {
  message: IncomingMessage;
  done: () => void;
  bytes: number;
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
}

export interface Pipeline {
  receive: Receive;
  counts: PipelineCounts;
  /** Writes what waits, for at most `timeoutMs`; what is left was never acknowledged. */
  drain(timeoutMs: number): Promise<void>;
}

/**
 * From message to commit. Devices are spread over lanes (one transaction at a time each), so that two batches never
 * wait for the same device; a lane writes as soon as it is free, and what arrives meanwhile makes its next batch.
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
  const counts: PipelineCounts = { received: 0, committed: 0, stored: 0, duplicates: 0, rejected: 0, overLimit: 0 };
  const lanes = Array.from({ length: laneCount }, () => ({ queue: [] as Waiting[], running: false }));
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
        settle(batch);
        return;
      } catch (error) {
        if (await isOfTheMessages(batch, error)) return isolate(batch, error as Error);
        log.warn({ err: error, messages: batch.length, retry_in_ms: delayMs }, 'batch not committed, retrying');
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  /**
   * Whether messages of the batch are to blame, and not the database's state. What our own code threw counts only while the
   * database answers an empty batch.
   */
  async function isOfTheMessages(batch: Waiting[], error: unknown): Promise<boolean> {
    // A refusal that cannot be kept either is tried for ever, as nothing may be lost silently.
    if (batch.length === 1 && batch[0]?.isRefused) return false;
    const fault = faultOf(error);
    if (fault !== 'code') return fault === 'data';
    return writer.write([]).then(
      () => true,
      () => false,
    );
  }

  /** Finds the messages that break their batch, by halves, and refuses each of them by itself. */
  async function isolate(batch: Waiting[], error: Error): Promise<void> {
    const [only] = batch;
    if (batch.length > 1) {
      const middle = batch.length >> 1;
      await write(batch.slice(0, middle));
      await write(batch.slice(middle));
    } else if (only) {
      log.error({ err: error, topic: only.message.topic }, 'message refused: it cannot be written');
      only.message = refused(only.message, `cannot be written: ${error.message.slice(0, MAX_ERROR_CHARACTERS)}`);
      only.isRefused = true;
      await write(batch);
    }
  }

  async function run(lane: (typeof lanes)[number]): Promise<void> {
    lane.running = true;
    while (lane.queue.length > 0 && !stopped) await write(lane.queue.splice(0, batchLength(lane.queue)));
    lane.running = false;
  }

  /** Refuses all messages of a device beyond its limit. */
  function withinLimit(message: IncomingMessage): IncomingMessage {
    const { deviceId } = message.decoded;
    const reason = floodLimit.refuse(deviceId, message.receivedAtMs, 1 + message.decoded.rejections.length);
    if (reason === null) return message;
    if (counts.overLimit++ % WARN_EVERY === 0)
      log.warn({ device: deviceId, reason }, 'device sends too much: message refused');
    return refused(message, reason);
  }

  return {
    counts,
    receive(raw: RawMessage, done) {
      counts.received++;
      const message = toIncoming(raw);
      if (!message) {
        done();
        return !paused;
      }
      // A device, or a gateway, always goes through the same lane.
      const lane = lanes[hashOf(message.decoded.deviceId) % lanes.length] as (typeof lanes)[number];
      const taken = withinLimit(message);
      const bytes = bytesOf(taken);
      lane.queue.push({ message: taken, done, bytes });
      waiting++;
      waitingBytes += bytes;
      // In the next turn of the event loop, so that what was read from the socket together is written together.
      if (!lane.running) {
        lane.running = true;
        setImmediate(() => run(lane));
      }
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

/** How many messages from the front of a queue make a batch: one at least. */
function batchLength(queue: readonly Waiting[]): number {
  let [length, bytes] = [0, 0];
  for (const one of queue) {
    bytes += one.bytes;
    if (length === MAX_BATCH || (length > 0 && bytes > MAX_BATCH_BYTES)) break;
    length++;
  }
  return length;
}

/** The message as a whole, refused. */
function refused({ gateway: _gateway, ...message }: IncomingMessage, reason: string): IncomingMessage {
  const { deviceId } = message.decoded;
  return { ...message, decoded: { deviceId, readings: [], rejections: [{ element: null, reason }] } };
}
