import { AppError } from '#src/core/errors.ts';
import type { Logger } from '#src/core/log.ts';
import type { BelievedTime } from '#src/database/believed-time.ts';
import type { Pool } from '#src/database/connect.ts';
import { getHttpsReadingsTopic, type HttpsReadingsFormat } from '#src/devices/topics.ts';
import { writeOrRejectMessages } from './batch-writer.ts';
import { countBytesAsMessages, countElementsAsMessages, createFloodLimit, type FloodLimit } from './flood-limit.ts';
import { decodeHttpsReadings } from './incoming.ts';
import type { HttpsMessageSender, IncomingMessage, MessageResult } from './message.ts';
import { computeFirstReceiptTime, createReceiptClock } from './receipt-clock.ts';
import { createDeviceHeadCache } from './write/head-cache.ts';
import { createRejectionQuota } from './write/save-rejections.ts';
import { createReadingBatchWriter, type ReadingBatchWriter } from './write/writer.ts';

/** Maximum memory in bytes for cached states of devices: enough for about 36,000 meters. */
const HEAD_MEMORY_BYTES = 16 * 2 ** 20;

/** Maximum number of concurrent transactions. */
const MAX_AT_ONCE = 2;
/** Maximum number of readings per transaction, unless a single request has more. */
const MAX_READINGS = 10_000;
/** Maximum number and total bytes of waiting requests. Further requests are refused with 503. */
const MAX_WAITING = { requests: 1_000, bytes: 64 * 2 ** 20 };

interface HttpsReadings {
  deviceId: string;
  format: HttpsReadingsFormat;
  /** The body, parsed from JSON. */
  body: unknown;
  /** Length of the body in bytes. */
  bytes: number;
  /** The client. Its rights are checked in the transaction that stores the readings. */
  sender: HttpsMessageSender;
}

interface Waiting {
  message: IncomingMessage;
  bytes: number;
  resolve(result: MessageResult): void;
  reject(error: unknown): void;
}

/**
 * Writes readings that clients send over HTTPS. Requests that arrive during a transaction share the next one. Two concurrent transactions
 * never write the same device.
 */
export class HttpsReadingsWriter {
  readonly #writer: ReadingBatchWriter;
  readonly #receiptMs: () => number;
  readonly #floodLimit: FloodLimit;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #running = 0;
  readonly #busy = new Set<string>();

  /** `receiptMs`: clock for the times of receipt, Unix ms. */
  constructor(writer: ReadingBatchWriter, receiptMs: () => number, floodLimit: FloodLimit = createFloodLimit()) {
    this.#writer = writer;
    this.#receiptMs = receiptMs;
    this.#floodLimit = floodLimit;
  }

  /**
   * Writes the readings of a request, and resolves after the commit. Throws 429 if the device exceeds its flood limit, 404 if the device or
   * its account is gone, and 503 if too many requests are waiting.
   */
  async write({ deviceId, format, body, bytes, sender }: HttpsReadings): Promise<MessageResult> {
    this.#refuseFlood(deviceId, countBytesAsMessages(bytes));
    const { requests, bytes: most } = MAX_WAITING;
    if (this.#waiting.length >= requests || this.#bytes + bytes > most) throw new AppError('unavailable');
    const receivedAtMs = this.#receiptMs();
    const decoded = decodeHttpsReadings({ deviceId, format }, body, receivedAtMs);
    const { readings, rejections } = decoded;
    this.#refuseFlood(deviceId, countElementsAsMessages(readings.length, rejections.length));
    const payload = Buffer.from(JSON.stringify(body));
    const message = { topic: getHttpsReadingsTopic(deviceId, format), payload, receivedAtMs, decoded, sender };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, bytes, resolve, reject });
      this.#bytes += bytes;
      this.#wake();
    });
  }

  #refuseFlood(deviceId: string, count: number): void {
    if (count > 0 && this.#floodLimit.refuse(deviceId, count) !== null)
      throw new AppError('tooManyRequests', { retryAfterSeconds: this.#floodLimit.waitSeconds() });
  }

  /** Starts transactions in the next turn of the event loop, so that requests that were read together are written together. */
  #wake(): void {
    if (this.#running >= MAX_AT_ONCE) return;
    this.#running++;
    setImmediate(() => this.#run());
  }

  async #run(): Promise<void> {
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) await this.#write(batch);
    this.#running--;
  }

  /** Takes waiting requests in order of arrival. Skips requests for devices that a running transaction is writing. */
  #take(): Waiting[] {
    const taken: Waiting[] = [];
    const remaining: Waiting[] = [];
    let readings = 0;
    for (const one of this.#waiting) {
      const { deviceId, readings: own } = one.message.decoded;
      const isRoom = taken.length === 0 || readings + own.length <= MAX_READINGS;
      // If a request does not fit, all later ones wait as well. Otherwise the readings of a device could be written out of order.
      if (!isRoom) readings = Number.POSITIVE_INFINITY;
      if (!isRoom || this.#busy.has(deviceId)) {
        remaining.push(one);
        continue;
      }
      taken.push(one);
      readings += own.length;
    }
    this.#waiting = remaining;
    for (const { message } of taken) this.#busy.add(message.decoded.deviceId);
    return taken;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      const { results } = await writeOrRejectMessages(
        this.#writer,
        batch.map(({ message }) => message),
      );
      for (const { message, resolve, reject } of batch) {
        const result = results.get(message);
        if (result === undefined) reject(new AppError('notFound'));
        else if (result instanceof AppError) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const { message, bytes } of batch) {
        this.#busy.delete(message.decoded.deviceId);
        this.#bytes -= bytes;
      }
    }
  }
}

/** Creates the writer for a process that receives readings over HTTPS. */
export function createHttpsReadingsWriter(
  pool: Pool,
  {
    believed,
    log,
    ...options
  }: { retentionMonths: number; maxChannels: number; believed: BelievedTime; log: Pick<Logger, 'error'> },
): HttpsReadingsWriter {
  const writer = createReadingBatchWriter(pool, {
    ...options,
    ageNow: () => believed.ageClock().getTime(),
    rejectionQuota: createRejectionQuota(),
    memory: createDeviceHeadCache({ maxBytes: HEAD_MEMORY_BYTES }),
  });
  const { stampMs } = computeFirstReceiptTime(Date.now(), believed.nowMs(), null);
  const clock = createReceiptClock({
    startMs: stampMs,
    believedMs: believed.nowMs,
    // Steps of the clock concern only readings without a time. Readings that are sent over HTTPS always have one.
    onStep: () => {},
    onDistrust: (step) => log.error(step, 'the clock was set back by more than a day and is not believed'),
  });
  return new HttpsReadingsWriter(writer, clock.nowMs);
}
