import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { inSpan } from '#src/core/tracing.ts';
import { createFairQueue, type Queued } from './fair-queue.ts';
import { countOfBytes, countOfElements, createFloodLimit, type FloodLimit } from './flood-limit.ts';
import { type Sender, senderOf, toIncoming, unread } from './incoming.ts';
import { halvesOf, isOfTheMessages, refused } from './refusal.ts';
import type { RawMessage, Receipt, Receive } from './source/source.ts';
import { WaitingRoom } from './waiting-room.ts';
import type { IncomingMessage, Writer } from './write/writer.ts';

/** So many bytes of memory are read out of messages before what was read is written: those of 20 KB may have 10,000 elements. */
const MAX_READ_BYTES = 16 * 2 ** 20;
/** What a reading or a rejection that was read out of a message takes in memory, about. */
const READ_ELEMENT_BYTES = 150;
/** Length of an element of a message of a gateway, about. */
const GATEWAY_ELEMENT_BYTES = 200;
/** So many times its length a message of a gateway may take, which is read in the transaction that writes it. */
const GATEWAY_TIMES = 8;
/** A flooding device is logged once per this many refused messages. */
const WARN_EVERY = 100_000;
/** Messages for accounts that are elsewhere are logged once per this many. */
const TELL_DEPARTED_EVERY = 10_000;
const RETRY_MS = { first: 100, longest: 5_000 };
/**
 * A batch has its price, however few messages it has, so a lane that has just written many lets the next ones gather: as long as so many come in each
 * step, and fewer wait than a batch may have. Who sends little, or waits for its acknowledgement, is not made to wait.
 */
const GATHER = { from: 100, stepMs: 2, least: 20, enough: 4_000, longestMs: 10 };
/**
 * So many times as long as a batch of a device that is behind took nothing more of it is written while others send: it keeps a quarter of a
 * lane. Where many are behind, as after an outage, each is a small part of the batch, and the rest is as much shorter.
 */
const REST = 3;

/**
 * A message as it came. It is read when its batch is made: what waits is then copied by the collector as little as may be, and takes a third of the
 * memory.
 */
interface Waiting extends Queued {
  raw: RawMessage;
  receipt: Receipt;
  /** Why it is refused without being read. */
  refusal: string | null;
  /** What was read out of it; null while it waits. */
  message: IncomingMessage | null;
  /** It could not be written, and waits to be kept as a rejection. */
  isRefused?: boolean;
}

/** One of a batch. */
type Read = Waiting & { message: IncomingMessage };

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
 * `onRoom` is called when the source may go on after `receive` answered false: with an account, or with all.
 */
export function createPipeline(options: {
  writer: Writer;
  log: Logger;
  onRoom: (account?: string) => void;
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
  const room = new WaitingRoom(onRoom);
  /** What waits is still written, and nothing more is asked for. */
  let stopping = false;
  let stopped = false;
  let drained: (() => void) | undefined;

  function settle(batch: Read[]): void {
    for (const one of batch) {
      waiting--;
      room.give(one);
      // The rest of its batch is still to be read: what was read of it must not stay as long.
      (one as Waiting).message = null;
      one.receipt.done();
    }
    counts.committed += batch.length;
    if (!stopping) room.goOn();
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
  async function write(batch: Read[]): Promise<void> {
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
  async function isolate(batch: Read[], error: Error): Promise<void> {
    const [only] = batch;
    if (batch.length > 1) for (const half of halvesOf(batch)) await write(half);
    else if (only) {
      log.error({ err: error, topic: only.message.topic }, 'message refused: it cannot be written');
      only.message = refused(only.message, error);
      only.isRefused = true;
      await write(batch);
    }
  }

  /** Waits for more messages, as long as they come fast. */
  async function gather(): Promise<void> {
    const untilMs = performance.now() + GATHER.longestMs;
    for (let before = -GATHER.least; performance.now() < untilMs; ) {
      const isFast = counts.received - before >= GATHER.least;
      if (!isFast || waiting >= GATHER.enough || stopping) return;
      before = counts.received;
      await pause(GATHER.stepMs);
    }
  }

  async function run(lane: number): Promise<void> {
    for (let batch = queue.take(lane); batch.messages.length > 0 && !stopped; batch = queue.take(lane)) {
      const { messages, isOfBehind } = batch;
      const fromMs = performance.now();
      for (let from = 0; from < messages.length && !stopped; ) {
        const part = readPart(messages, from);
        await write(part);
        from += part.length;
      }
      queue.finish(messages);
      wake();
      const tookMs = performance.now() - fromMs;
      if (messages.length >= GATHER.from) await gather();
      if (lane === laneCount && isOfBehind && queue.areOthers() && !stopping) {
        const devices = new Set(messages.map(({ deviceId }) => deviceId)).size;
        await pause((REST * tookMs) / devices);
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

  function warn(deviceId: string, reason: string): void {
    if (counts.overLimit++ % WARN_EVERY === 0)
      log.warn({ device: deviceId, reason }, 'device sends too much: message refused');
  }

  /** What is to be written of a message. Of a device beyond its limit all are refused, and what comes then is not read. */
  function read({ raw, deviceId, refusal }: Waiting): IncomingMessage {
    if (refusal !== null) return unread(raw, deviceId, refusal);
    // It has a sender.
    const message = toIncoming(raw) as IncomingMessage;
    const { readings, rejections } = message.decoded;
    const further = countOfElements(readings.length, rejections.length);
    const reason = further > 0 ? floodLimit.refuse(deviceId, further) : null;
    if (reason === null) return message;
    warn(deviceId, reason);
    return unread(raw, deviceId, reason);
  }

  /** Reads messages from a place on, until what is read takes so much that it is to be written first. */
  function readPart(batch: readonly Waiting[], from: number): Read[] {
    const part: Read[] = [];
    let bytes = 0;
    for (let index = from; index < batch.length && bytes < MAX_READ_BYTES; index++) {
      const one = batch[index] as Waiting;
      one.message = read(one);
      const { readings, rejections } = one.message.decoded;
      bytes += (readings.length + rejections.length) * READ_ELEMENT_BYTES;
      part.push(one as Read);
    }
    return part;
  }

  return {
    counts,
    waiting: () => waiting,
    receive(raw, receipt) {
      counts.received++;
      const sender = senderOf(raw.topic);
      // Somebody else's.
      if (!sender) {
        receipt.done();
        return !room.isFull && !stopping;
      }
      const refusal = floodLimit.refuse(sender.id, countOfBytes(raw.payload.length));
      if (refusal !== null) warn(sender.id, refusal);
      const bytes = bytesOf(raw, sender);
      const ofMessage = {
        deviceId: sender.id,
        account: raw.account ?? sender.id,
        bytes,
        weight: weightOf(raw, sender),
      };
      const one: Waiting = { raw, receipt, refusal, message: null, ...ofMessage };
      queue.push(one);
      waiting++;
      wake();
      // Of a source that cannot hold the senders of one account all would wait for one.
      return room.take(one, raw.account !== undefined) && !stopping;
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

/** Bytes of memory that a message takes while it waits, and of a gateway's what may be read out of it. */
const bytesOf = ({ topic, payload }: RawMessage, { isGateway }: Sender): number =>
  topic.length + payload.length * (isGateway ? GATEWAY_TIMES : 1);

/**
 * What of a message is to be written, in elements, as far as can be told before it is read. A device's own message has no more of them than
 * commas, but for one.
 */
function weightOf({ payload }: RawMessage, { isGateway }: Sender): number {
  if (isGateway) return 1 + Math.ceil(payload.length / GATEWAY_ELEMENT_BYTES);
  let commas = 0;
  for (let index = 0; index < payload.length; index++) if (payload[index] === COMMA) commas++;
  return 1 + Math.max(1, commas);
}

const COMMA = 44;
