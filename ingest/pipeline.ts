import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { BatchWriter, type PipelineCounts } from './batch-writer.ts';
import { FairQueue } from './fair-queue.ts';
import { countBytesAsMessages, countElementsAsMessages, createFloodLimit, type FloodLimit } from './flood-limit.ts';
import { createIncomingMessage, type MessageSender, parseSender, rejectWholeMessage } from './incoming.ts';
import type { QueuedMessage } from './message-scheduling.ts';
import { PendingMessageLimit } from './pending-message-limit.ts';
import type { MessageReceipt, MessageReceiver, RawMessage } from './source/source.ts';
import type { BatchWriteResult, IncomingMessage, ReadingBatchWriter } from './write/writer.ts';

/** Maximum memory in bytes of decoded messages. A message of only 20 KB may have 10,000 elements. */
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
 * A partition waits for more messages, because large batches cost less per message. It waits after a batch of at least `from` messages, for
 * at most `longestMs`, and only while at least `least` messages arrive per `stepMs` and fewer than `enough` are pending.
 */
const GATHER = { from: 100, stepMs: 2, least: 20, enough: 4_000, longestMs: 10 };
/** After each batch of a backlogged device, the queue pauses for this multiple of the batch's duration if other devices are sending. */
const PAUSE_FACTOR = 3;

/**
 * A message that waits to be written. It is decoded only when its batch is built, because a decoded message takes three times as much
 * memory.
 */
interface Waiting extends QueuedMessage {
  raw: RawMessage;
  receipt: MessageReceipt;
  /** Reason to reject the message without decoding it. Null if there is none. */
  refusal: string | null;
  message: IncomingMessage | null;
  isRefused?: boolean;
}

type Read = Waiting & { message: IncomingMessage };

/** Decodes the messages of a batch, except those of devices that exceed their flood limit. */
class MessageReader {
  readonly #counts: PipelineCounts;
  readonly #log: Logger;
  readonly #floodLimit: FloodLimit;

  constructor(counts: PipelineCounts, log: Logger, floodLimit: FloodLimit) {
    this.#counts = counts;
    this.#log = log;
    this.#floodLimit = floodLimit;
  }

  /** Counts messages of a device. Returns the reason to reject them, or null. */
  refuse(deviceId: string, count: number): string | null {
    const reason = this.#floodLimit.refuse(deviceId, count);
    if (reason !== null && this.#counts.overLimit++ % WARN_EVERY === 0)
      this.#log.warn({ device: deviceId, reason }, 'device sends too much: message refused');
    return reason;
  }

  /** Decodes messages of a batch from index `from` on. Stops when the decoded messages are so large that they must be written first. */
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
    // Messages on any other topic were ignored at receipt, so the result is not null.
    const message = createIncomingMessage(raw) as IncomingMessage;
    const { readings, rejections } = message.decoded;
    const further = countElementsAsMessages(readings.length, rejections.length);
    const reason = further > 0 ? this.refuse(deviceId, further) : null;
    return reason === null ? message : rejectWholeMessage(raw, deviceId, reason);
  }
}

/**
 * Processes messages from their receipt to their commit. Devices are distributed over partitions, each of which writes one batch at a time.
 * An additional partition writes the messages of backlogged devices.
 */
export class Pipeline {
  readonly counts: PipelineCounts;
  readonly #queue: FairQueue<Waiting>;
  readonly #writer: BatchWriter<Read>;
  readonly #reader: MessageReader;
  readonly #room: PendingMessageLimit;
  readonly #isRunning: boolean[];
  #waiting = 0;
  #isStopping = false;
  #onDrained: (() => void) | undefined;

  /**
   * `onRoom`: called when sources may continue; its argument is the only account that may, or undefined for all. `partitions`: number of
   * partitions without the additional one for backlogged devices.
   */
  constructor(options: {
    writer: ReadingBatchWriter;
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

  readonly waiting = (): number => this.#waiting;

  readonly receive: MessageReceiver = (raw, receipt) => {
    this.counts.received++;
    const sender = parseSender(raw.topic);
    // Messages on topics of neither a device nor a gateway are acknowledged and ignored.
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
    // If the source cannot pause a single account, no account has a limit of its own.
    return this.#room.take(one, raw.account !== undefined) && !this.#isStopping;
  };

  /** Writes pending messages for at most `timeoutMs`. The broker redelivers messages that are still pending then. */
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
      // Releases the decoded message, because the other messages of its batch may still have to wait.
      (one as Waiting).message = null;
      one.receipt.done();
    }
    if (!this.#isStopping) this.#room.goOn();
    if (this.#waiting === 0) this.#onDrained?.();
  }

  /** Starts idle partitions in the next turn of the event loop, so that messages that arrived together are written together. */
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
        await pause((PAUSE_FACTOR * tookMs) / devices);
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

/** Returns the memory of a waiting message, in bytes. */
const bytesOf = ({ topic, payload }: RawMessage, { isGateway }: MessageSender): number =>
  topic.length + payload.length * (isGateway ? GATEWAY_TIMES : 1);

/** Estimates the number of readings in a message without decoding it, from the number of its commas. */
function weightOf({ payload }: RawMessage, { isGateway }: MessageSender): number {
  if (isGateway) return 1 + Math.ceil(payload.length / GATEWAY_ELEMENT_BYTES);
  let commas = 0;
  for (let index = 0; index < payload.length; index++) if (payload[index] === COMMA) commas++;
  return 1 + Math.max(1, commas);
}

const COMMA = 44;
