import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { BatchWriter, type PipelineCounts } from './batch-writer.ts';
import { FairQueue } from './fair-queue.ts';
import { countBytesAsMessages, countElementsAsMessages, createFloodLimit, type FloodLimit } from './flood-limit.ts';
import { createIncomingMessage, type MessageSender, parseSender, rejectWholeMessage } from './incoming.ts';
import type { QueuedMessage } from './message-scheduling.ts';
import { PendingMessageLimit } from './pending-message-limit.ts';
import type { MessageReceipt, MessageReceiver, RawMessage } from './source/source.ts';
import type { BatchWriteResult, IncomingMessage, Writer } from './write/writer.ts';

/** Maximum memory in bytes of decoded messages at a time. A message of only 20 KB may have 10,000 elements. */
const MAX_READ_BYTES = 16 * 2 ** 20;
/** Approximate memory in bytes of a decoded reading or rejection. */
const READ_ELEMENT_BYTES = 150;
/** Approximate length in bytes of an element in a gateway's message. */
const GATEWAY_ELEMENT_BYTES = 200;
/** A message of a gateway takes about this many times its length in memory while it is decoded and written. */
const GATEWAY_TIMES = 8;
/** One line is logged per this number of rejected messages of flooding devices. */
const WARN_EVERY = 100_000;
/**
 * When a partition waits for more messages before it writes. Each batch has a fixed cost, so large batches are cheaper. A partition waits
 * after a batch of at least `from` messages, for at most `longestMs`. It stops waiting when fewer than `least` messages arrive in `stepMs`,
 * or when `enough` are pending. A device that sends little, or that waits for its acknowledgement, is not delayed.
 */
const GATHER = { from: 100, stepMs: 2, least: 20, enough: 4_000, longestMs: 10 };
/**
 * If other devices are sending, the last partition pauses after each batch of a backlogged device, for this multiple of the batch's
 * duration. The device thus gets a quarter of the time of a partition. If many devices are backlogged, as after an outage, the pause is
 * divided by their number.
 */
const REST = 3;

/**
 * A message that waits to be written. It is decoded only when its batch is built: before that, it takes a third of the memory, and costs
 * the garbage collector little.
 */
interface Waiting extends QueuedMessage {
  raw: RawMessage;
  receipt: MessageReceipt;
  /** The reason why the message is rejected without being decoded; null if it is not. */
  refusal: string | null;
  /** The decoded message; null if it is not decoded yet. */
  message: IncomingMessage | null;
  isRefused?: boolean;
}

type Read = Waiting & { message: IncomingMessage };

/** Decodes the messages of a batch. Messages of a device that exceeds its flood limit are rejected without decoding. */
class MessageReader {
  readonly #counts: PipelineCounts;
  readonly #log: Logger;
  readonly #floodLimit: FloodLimit;

  constructor(counts: PipelineCounts, log: Logger, floodLimit: FloodLimit) {
    this.#counts = counts;
    this.#log = log;
    this.#floodLimit = floodLimit;
  }

  /** Counts `count` further messages of a device. Returns the reason to reject them; null if the device does not exceed its flood limit. */
  refuse(deviceId: string, count: number): string | null {
    const reason = this.#floodLimit.refuse(deviceId, count);
    if (reason !== null && this.#counts.overLimit++ % WARN_EVERY === 0)
      this.#log.warn({ device: deviceId, reason }, 'device sends too much: message refused');
    return reason;
  }

  /** Decodes messages of a batch, starting at index `from`. Stops when the decoded content is so large that it must be written first. */
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
    if (refusal !== null) return rejectWholeMessage(raw, deviceId, refusal);
    // The topic belongs to a device or gateway, so `createIncomingMessage` does not return null.
    const message = createIncomingMessage(raw) as IncomingMessage;
    const { readings, rejections } = message.decoded;
    const further = countElementsAsMessages(readings.length, rejections.length);
    const reason = further > 0 ? this.refuse(deviceId, further) : null;
    return reason === null ? message : rejectWholeMessage(raw, deviceId, reason);
  }
}

/**
 * Processes messages from their receipt to their commit. Devices are distributed over partitions, each of which runs one transaction at a
 * time. An additional partition serves backlogged devices (fair-queue.ts). Two batches therefore never wait for the same device. A
 * partition writes as soon as it is free; messages that arrive until then form its next batch.
 */
export class Pipeline {
  readonly counts: PipelineCounts;
  readonly #queue: FairQueue<Waiting>;
  readonly #writer: BatchWriter<Read>;
  readonly #reader: MessageReader;
  readonly #room: PendingMessageLimit;
  /** Whether each partition is writing a batch. The last partition is the one for backlogged devices. */
  readonly #isRunning: boolean[];
  #waiting = 0;
  /** Whether the pipeline is stopping. It then writes the pending messages, and no longer resumes sources. */
  #isStopping = false;
  #onDrained: (() => void) | undefined;

  /**
   * `onRoom`: called when a source may continue after `receive` returned false. Its argument is the only account that may continue;
   * undefined if all accounts may. `partitions`: number of partitions, without the additional one for backlogged devices.
   */
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
    this.#room = new PendingMessageLimit(onRoom);
    this.#isRunning = Array.from({ length: partitions + 1 }, () => false);
  }

  /** Returns the number of messages that are accepted and not committed yet. */
  readonly waiting = (): number => this.#waiting;

  readonly receive: MessageReceiver = (raw, receipt) => {
    this.counts.received++;
    const sender = parseSender(raw.topic);
    // If the topic belongs to neither a device nor a gateway, the message is acknowledged and ignored.
    if (!sender) {
      receipt.done();
      return !this.#room.isFull && !this.#isStopping;
    }
    const one: Waiting = {
      raw,
      receipt,
      refusal: this.#reader.refuse(sender.id, countBytesAsMessages(raw.payload.length)),
      message: null,
      deviceId: sender.id,
      account: raw.account ?? sender.id,
      bytes: bytesOf(raw, sender),
      weight: weightOf(raw, sender),
    };
    this.#queue.push(one);
    this.#waiting++;
    this.#wake();
    // If the source cannot pause single accounts, no account is limited to its share, because a pause would concern all accounts.
    return this.#room.take(one, raw.account !== undefined) && !this.#isStopping;
  };

  /** Writes pending messages for at most `timeoutMs`. Messages that are still pending then have not been acknowledged. */
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

  #settle(batch: readonly Read[], { large = [] }: BatchWriteResult): void {
    for (const deviceId of large) this.#queue.setApart(deviceId);
    for (const one of batch) {
      this.#waiting--;
      this.#room.give(one);
      // The decoded content of a written message is released now, because the other messages of the batch may still have to wait.
      (one as Waiting).message = null;
      one.receipt.done();
    }
    if (!this.#isStopping) this.#room.goOn();
    if (this.#waiting === 0) this.#onDrained?.();
  }

  /**
   * Starts idle partitions in the next turn of the event loop, so that messages that were read from the socket together are written
   * together.
   */
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

  /** Waits for more messages while they arrive quickly (see `GATHER`). */
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

/** Returns the memory of a waiting message in bytes. For a message of a gateway, this includes its decoded content. */
const bytesOf = ({ topic, payload }: RawMessage, { isGateway }: MessageSender): number =>
  topic.length + payload.length * (isGateway ? GATEWAY_TIMES : 1);

/**
 * Estimates the number of elements of a message without decoding it. A message of a device has at most one element more than it has commas.
 */
function weightOf({ payload }: RawMessage, { isGateway }: MessageSender): number {
  if (isGateway) return 1 + Math.ceil(payload.length / GATEWAY_ELEMENT_BYTES);
  let commas = 0;
  for (let index = 0; index < payload.length; index++) if (payload[index] === COMMA) commas++;
  return 1 + Math.max(1, commas);
}

const COMMA = 44;
