import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { BatchWriter, type PipelineCounts } from './batch-writer.ts';
import { FairQueue } from './fair-queue.ts';
import { countBytesAsMessages, countElementsAsMessages, createFloodLimit, type FloodLimit } from './flood-limit.ts';
import { createIncomingMessage, type MessageSender, parseSender, rejectWholeMessage } from './incoming.ts';
import type { MessageReceipt, MessageReceiver, RawMessage } from './source/source.ts';
import type { QueuedMessage } from './turns.ts';
import { PendingMessageLimit } from './waiting-room.ts';
import type { IncomingMessage, WriteResult, Writer } from './write/writer.ts';

/** Maximum memory of decoded messages at a time, because a message of 20 KB may have 10,000 elements. */
const MAX_READ_BYTES = 16 * 2 ** 20;
/** Approximate memory of a decoded reading or rejection. */
const READ_ELEMENT_BYTES = 150;
/** Approximate length of an element in a gateway's message. */
const GATEWAY_ELEMENT_BYTES = 200;
/** Approximate memory of a gateway's message while it is decoded and written, as a multiple of its length. */
const GATEWAY_TIMES = 8;
/** One line is logged for this many rejected messages of flooding devices. */
const WARN_EVERY = 100_000;
/**
 * Conditions under which a partition waits for more messages before it writes, because each batch has a fixed cost. It waits after a batch
 * of at least `from` messages, for at most `longestMs`. It stops waiting when fewer than `least` messages arrive in a step of `stepMs`, or
 * when `enough` are pending. A device that sends little, or that waits for its acknowledgement, is not delayed.
 */
const GATHER = { from: 100, stepMs: 2, least: 20, enough: 4_000, longestMs: 10 };
/**
 * Pause of the last partition after a batch of a backlogged device while other devices send, as a multiple of the batch's duration: the
 * device gets a quarter of a partition's time. If many devices are backlogged, as after an outage, the pause is divided by their number.
 */
const REST = 3;

/**
 * A received message. It is decoded only when its batch is collected, because an undecoded message takes a third of the memory and is cheap
 * for the garbage collector.
 */
interface Waiting extends QueuedMessage {
  raw: RawMessage;
  receipt: MessageReceipt;
  /** Reason to reject the message without decoding it, or null. */
  refusal: string | null;
  /** The decoded message; null before decoding. */
  message: IncomingMessage | null;
  isRefused?: boolean;
}

type Read = Waiting & { message: IncomingMessage };

/** Decodes the messages of a batch. Messages of a device above its flood limit are rejected without decoding. */
class MessageReader {
  readonly #counts: PipelineCounts;
  readonly #log: Logger;
  readonly #floodLimit: FloodLimit;

  constructor(counts: PipelineCounts, log: Logger, floodLimit: FloodLimit) {
    this.#counts = counts;
    this.#log = log;
    this.#floodLimit = floodLimit;
  }

  /** Counts `count` more messages of a device. Returns the reason to reject them; null if the device is below its flood limit. */
  refuse(deviceId: string, count: number): string | null {
    const reason = this.#floodLimit.refuse(deviceId, count);
    if (reason !== null && this.#counts.overLimit++ % WARN_EVERY === 0)
      this.#log.warn({ device: deviceId, reason }, 'device sends too much: message refused');
    return reason;
  }

  /** Decodes messages of a batch from index `from` on. Stops when the decoded content is so large that it must be written first. */
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
    // `createIncomingMessage` does not return null here, because the topic belongs to a device or gateway.
    const message = createIncomingMessage(raw) as IncomingMessage;
    const { readings, rejections } = message.decoded;
    const further = countElementsAsMessages(readings.length, rejections.length);
    const reason = further > 0 ? this.refuse(deviceId, further) : null;
    return reason === null ? message : rejectWholeMessage(raw, deviceId, reason);
  }
}

/**
 * Processes messages from receipt to commit. Devices are distributed over partitions, each with one transaction at a
 * time, and one more partition for backlogged devices (fair-queue.ts). Two batches therefore never wait for the same
 * device. A partition writes as soon as it is free, and messages that arrive meanwhile form its next batch.
 */
export class Pipeline {
  readonly counts: PipelineCounts;
  readonly #queue: FairQueue<Waiting>;
  readonly #writer: BatchWriter<Read>;
  readonly #reader: MessageReader;
  readonly #room: PendingMessageLimit;
  /** Whether each partition is writing. The last partition is for backlogged devices. */
  readonly #isRunning: boolean[];
  #waiting = 0;
  /** Whether the pipeline is stopping. It then still writes pending messages, but resumes no source. */
  #isStopping = false;
  #onDrained: (() => void) | undefined;

  /**
   * `onRoom`: called when a source may continue after `receive` returned false; its argument is the account that may continue, if not all
   * may. `partitions`: number of partitions, excluding the additional one for backlogged devices.
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

  /** Number of messages that are accepted and not committed yet. */
  readonly waiting = (): number => this.#waiting;

  readonly receive: MessageReceiver = (raw, receipt) => {
    this.counts.received++;
    const sender = parseSender(raw.topic);
    // A message is acknowledged and ignored if its topic belongs to neither a device nor a gateway.
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
    // If the source cannot pause single accounts, no account may be limited to its share, because all accounts would then be paused.
    return this.#room.take(one, raw.account !== undefined) && !this.#isStopping;
  };

  /** Writes pending messages, for at most `timeoutMs`. Messages that are still pending at the end of this time were never acknowledged. */
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
      // Releases the decoded content of a written message, because the rest of the batch may still have to wait.
      (one as Waiting).message = null;
      one.receipt.done();
    }
    if (!this.#isStopping) this.#room.goOn();
    if (this.#waiting === 0) this.#onDrained?.();
  }

  /**
   * Starts idle partitions in the next turn of the event loop, so that messages that are read from the socket together
   * are written together.
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

  /** Waits for more messages as long as messages arrive quickly. */
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

/** Returns the memory of a waiting message in bytes. Includes the decoded content of a gateway's message. */
const bytesOf = ({ topic, payload }: RawMessage, { isGateway }: MessageSender): number =>
  topic.length + payload.length * (isGateway ? GATEWAY_TIMES : 1);

/**
 * Estimates the number of elements of a message before the message is decoded. A device's own message has at most one element more than it
 * has commas.
 */
function weightOf({ payload }: RawMessage, { isGateway }: MessageSender): number {
  if (isGateway) return 1 + Math.ceil(payload.length / GATEWAY_ELEMENT_BYTES);
  let commas = 0;
  for (let index = 0; index < payload.length; index++) if (payload[index] === COMMA) commas++;
  return 1 + Math.max(1, commas);
}

const COMMA = 44;
