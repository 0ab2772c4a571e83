import type { Logger } from '#src/core/log.ts';
import { inSpan } from '#src/core/tracing.ts';
import { createFloodLimit, type FloodLimit, hashOf } from './flood-limit.ts';
import { toIncoming } from './incoming.ts';
import type { RawMessage, Receive } from './source/source.ts';
import type { IncomingMessage, Writer } from './write/writer.ts';

const MAX_BATCH = 5_000;
/** Messages that may wait for a commit, in number and in bytes, before the source is asked to pause. */
const MAX_WAITING = 20_000;
const MAX_WAITING_BYTES = 64 * 2 ** 20;
/** A flooding device is logged once per this many refused messages. */
const WARN_EVERY = 100_000;
const RETRY_MS = { first: 100, longest: 5_000 };

interface Waiting {
  message: IncomingMessage;
  done: () => void;
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
 * SQLSTATE classes caused by the data and not by the database's state (data exception, integrity constraint): a retry would
 * not help. A column that is missing and a privilege (42) are the database's: they are waited for, as an outage is.
 */
const OF_THE_DATA = /^(22|23)/;

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
  let stopped = false;
  let drained: (() => void) | undefined;

  function settle(batch: Waiting[]): void {
    for (const { message, done } of batch) {
      waiting--;
      waitingBytes -= message.payload.length;
      done();
    }
    counts.committed += batch.length;
    if (paused && waiting < MAX_WAITING / 2 && waitingBytes < MAX_WAITING_BYTES / 2) {
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
        if (OF_THE_DATA.test((error as { code?: string }).code ?? '')) return isolate(batch, error as Error);
        log.warn({ err: error, messages: batch.length, retry_in_ms: delayMs }, 'batch not committed, retrying');
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  async function isolate(batch: Waiting[], error: Error): Promise<void> {
    const [only] = batch;
    if (batch.length > 1) {
      const middle = batch.length >> 1;
      await write(batch.slice(0, middle));
      await write(batch.slice(middle));
    } else if (only) {
      log.error({ err: error, topic: only.message.topic }, 'message refused: the database cannot store it');
      only.message = refused(only.message, `cannot be written: ${error.message}`);
      await write(batch);
    }
  }

  async function run(lane: (typeof lanes)[number]): Promise<void> {
    lane.running = true;
    while (lane.queue.length > 0 && !stopped) await write(lane.queue.splice(0, MAX_BATCH));
    lane.running = false;
  }

  /** Refuses all messages of a device beyond its limit. */
  function withinLimit(message: IncomingMessage): IncomingMessage {
    const { deviceId } = message.decoded;
    const reason = floodLimit.refuse(deviceId, message.receivedAtMs);
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
      lane.queue.push({ message: withinLimit(message), done });
      waiting++;
      waitingBytes += raw.payload.length;
      // In the next turn of the event loop, so that what was read from the socket together is written together.
      if (!lane.running) {
        lane.running = true;
        setImmediate(() => run(lane));
      }
      if (waiting >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES) paused = true;
      return !paused;
    },
    async drain(timeoutMs) {
      if (waiting > 0) {
        const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
        await Promise.race([new Promise<void>((resolve) => (drained = resolve)), timeout]);
      }
      stopped = true;
    },
  };
}

/** The message as a whole, refused. */
function refused({ topic, payload, receivedAtMs, decoded }: IncomingMessage, reason: string): IncomingMessage {
  const { deviceId } = decoded;
  return { topic, payload, receivedAtMs, decoded: { deviceId, readings: [], rejections: [{ element: null, reason }] } };
}
