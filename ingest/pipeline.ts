import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { BatchWriter, type PipelineCounts } from './batch-writer.ts';
import { FairQueue } from './fair-queue.ts';
import { countOfBytes, countOfElements, createFloodLimit, type FloodLimit } from './flood-limit.ts';
import { type Sender, senderOf, toIncoming, unread } from './incoming.ts';
import type { RawMessage, Receipt, Receive } from './source/source.ts';
import type { Queued } from './turns.ts';
import { WaitingRoom } from './waiting-room.ts';
import type { IncomingMessage, WriteResult, Writer } from './write/writer.ts';

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
/**
 * A batch has its price, however few messages it has, so a partition that has just written many lets the next ones gather: as long as so many come in each
 * step, and fewer wait than a batch may have. A device that sends little, or waits for its acknowledgement, is not made to wait.
 */
const GATHER = { from: 100, stepMs: 2, least: 20, enough: 4_000, longestMs: 10 };
/**
 * After a batch of a backlogged device, nothing more of it is written for this many times as long as the batch took, while others send: it keeps a quarter of a
 * partition. If many are backlogged, as after an outage, each is a small part of the batch, and its rest is as much shorter.
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
  isRefused?: boolean;
}

/** One of a batch. */
type Read = Waiting & { message: IncomingMessage };

/** Reads messages for their batch. A device that sends more than it may is refused, and its messages are not read. */
class MessageReader {
  readonly #counts: PipelineCounts;
  readonly #log: Logger;
  readonly #floodLimit: FloodLimit;

  constructor(counts: PipelineCounts, log: Logger, floodLimit: FloodLimit) {
    this.#counts = counts;
    this.#log = log;
    this.#floodLimit = floodLimit;
  }

  /** Why a device is refused that has sent so many messages more; null: it is below its limit. */
  refuse(deviceId: string, count: number): string | null {
    const reason = this.#floodLimit.refuse(deviceId, count);
    if (reason !== null && this.#counts.overLimit++ % WARN_EVERY === 0)
      this.#log.warn({ device: deviceId, reason }, 'device sends too much: message refused');
    return reason;
  }

  /** Reads messages from a place on, until what is read takes so much memory that it is to be written first. */
  readPart(batch: readonly Waiting[], from: number): Read[] {
    const part: Read[] = [];
    let bytes = 0;
    for (let index = from; index < batch.length && bytes < MAX_READ_BYTES; index++) {
      const one = batch[index] as Waiting;
      one.message = this.#read(one);
      const { readings, rejections } = one.message.decoded;
      bytes += (readings.length + rejections.length) * READ_ELEMENT_BYTES;
      part.push(one as Read);
    }
    return part;
  }

  #read({ raw, deviceId, refusal }: Waiting): IncomingMessage {
    if (refusal !== null) return unread(raw, deviceId, refusal);
    // It has a sender.
    const message = toIncoming(raw) as IncomingMessage;
    const { readings, rejections } = message.decoded;
    const further = countOfElements(readings.length, rejections.length);
    const reason = further > 0 ? this.refuse(deviceId, further) : null;
    return reason === null ? message : unread(raw, deviceId, reason);
  }
}

/**
 * From message to commit. Devices are spread over partitions (one transaction at a time each, and one partition more for backlogged
 * devices: fair-queue.ts), so that two batches never wait for the same device; a partition writes as soon as it is free, and what arrives
 * meanwhile makes its next batch.
 */
export class Pipeline {
  readonly counts: PipelineCounts;
  readonly #queue: FairQueue<Waiting>;
  readonly #writer: BatchWriter<Read>;
  readonly #reader: MessageReader;
  readonly #room: WaitingRoom;
  /** Whether each partition is writing. The last one is that of backlogged devices. */
  readonly #isRunning: boolean[];
  #waiting = 0;
  /** Pending messages are still written, but no source is resumed. */
  #isStopping = false;
  #onDrained: (() => void) | undefined;

  /** `onRoom`: called when a source may go on after `receive` answered false: with an account, or for all. `partitions`: besides that of backlogged devices. */
  constructor(options: {
    writer: Writer;
    log: Logger;
    onRoom: (account?: string) => void;
    partitions?: number;
    floodLimit?: FloodLimit;
  }) {
    const { writer, log, onRoom, partitions = 2, floodLimit = createFloodLimit() } = options;
    this.#queue = new FairQueue<Waiting>(partitions);
    this.#writer = new BatchWriter(writer, log, (batch, result) => this.#settle(batch, result));
    this.counts = this.#writer.counts;
    this.#reader = new MessageReader(this.counts, log, floodLimit);
    this.#room = new WaitingRoom(onRoom);
    this.#isRunning = Array.from({ length: partitions + 1 }, () => false);
  }

  /** Messages that are to be written and are not committed yet. */
  readonly waiting = (): number => this.#waiting;

  readonly receive: Receive = (raw, receipt) => {
    this.counts.received++;
    const sender = senderOf(raw.topic);
    // Somebody else's.
    if (!sender) {
      receipt.done();
      return !this.#room.isFull && !this.#isStopping;
    }
    const one: Waiting = {
      raw,
      receipt,
      refusal: this.#reader.refuse(sender.id, countOfBytes(raw.payload.length)),
      message: null,
      deviceId: sender.id,
      account: raw.account ?? sender.id,
      bytes: bytesOf(raw, sender),
      weight: weightOf(raw, sender),
    };
    this.#queue.push(one);
    this.#waiting++;
    this.#wake();
    // If the source cannot pause the senders of a single account, all of them would wait for one.
    return this.#room.take(one, raw.account !== undefined) && !this.#isStopping;
  };

  /** Writes pending messages, for at most `timeoutMs`; what is left was never acknowledged. */
  async drain(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    if (this.#waiting > 0) {
      const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
      const drained = new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
      await Promise.race([drained, timeout]);
    }
    this.#writer.isStopped = true;
  }

  #settle(batch: readonly Read[], { large = [] }: WriteResult): void {
    for (const deviceId of large) this.#queue.setApart(deviceId);
    for (const one of batch) {
      this.#waiting--;
      this.#room.give(one);
      // The rest of its batch is still to be read: what was read of it must not stay in memory for as long.
      (one as Waiting).message = null;
      one.receipt.done();
    }
    if (!this.#isStopping) this.#room.goOn();
    if (this.#waiting === 0) this.#onDrained?.();
  }

  /** In the next turn of the event loop, so that what was read from the socket together is written together. */
  #wake(): void {
    for (let partition = 0; partition < this.#isRunning.length; partition++) {
      if (this.#isRunning[partition]) continue;
      this.#isRunning[partition] = true;
      setImmediate(() => this.#run(partition));
    }
  }

  async #run(partition: number): Promise<void> {
    const next = () => this.#queue.take(partition);
    for (let batch = next(); batch.messages.length > 0 && !this.#writer.isStopped; batch = next()) {
      const { messages, isBacklogged } = batch;
      const fromMs = performance.now();
      await this.#writeInParts(messages);
      this.#queue.finish(messages);
      this.#wake();
      const tookMs = performance.now() - fromMs;
      if (messages.length >= GATHER.from) await this.#gather();
      const isOfLast = partition === this.#isRunning.length - 1;
      if (isOfLast && isBacklogged && this.#queue.areOthers() && !this.#isStopping) {
        const devices = new Set(messages.map(({ deviceId }) => deviceId)).size;
        await pause((REST * tookMs) / devices);
      }
    }
    this.#isRunning[partition] = false;
  }

  async #writeInParts(messages: readonly Waiting[]): Promise<void> {
    for (let from = 0; from < messages.length && !this.#writer.isStopped; ) {
      const part = this.#reader.readPart(messages, from);
      await this.#writer.write(part);
      from += part.length;
    }
  }

  /** Waits for more messages, as long as they come fast. */
  async #gather(): Promise<void> {
    const untilMs = performance.now() + GATHER.longestMs;
    for (let before = -GATHER.least; performance.now() < untilMs; ) {
      const isFast = this.counts.received - before >= GATHER.least;
      if (!isFast || this.#waiting >= GATHER.enough || this.#isStopping) return;
      before = this.counts.received;
      await pause(GATHER.stepMs);
    }
  }
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
