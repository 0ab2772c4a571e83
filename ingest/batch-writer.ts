import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { runInSpan } from '#src/core/tracing.ts';
import type { ResultsByMessage } from './message.ts';
import type { BatchWriteResult, IncomingMessage, Writer } from './write/writer.ts';
import { classifyWriteError } from './write-errors.ts';

const RETRY_MS = { first: 100, longest: 5_000 };
/** For messages of accounts that moved to another installation, one line is logged per this number of messages. */
const LOG_MOVED_EVERY = 10_000;

/** Maximum length in characters of an error text that is stored with a message. */
const MAX_ERROR_CHARACTERS = 300;

/**
 * Whether the messages of a batch caused an error, and not the database. If code of the service failed, the messages count as the cause
 * only if the database accepts an empty batch.
 */
async function isOfTheMessages(writer: Writer, error: unknown): Promise<boolean> {
  const fault = classifyWriteError(error);
  if (fault !== 'code') return fault === 'data';
  return writer.write([]).then(
    () => true,
    () => false,
  );
}

/** Converts a message into a rejection of the whole message, with the error as the reason. */
function refused({ gateway: _gateway, ...message }: IncomingMessage, error: Error): IncomingMessage {
  const reason = `cannot be written: ${error.message.slice(0, MAX_ERROR_CHARACTERS)}`;
  const { deviceId } = message.decoded;
  return { ...message, decoded: { deviceId, readings: [], rejections: [{ element: null, reason }] } };
}

/**
 * Splits a batch into two halves without changing the order of its messages. Repeated halving finds the message that makes the batch fail.
 */
function halvesOf<T>(batch: readonly T[]): [T[], T[]] {
  const middle = batch.length >> 1;
  return [batch.slice(0, middle), batch.slice(middle)];
}

/** Numbers of stored readings and of rejections, and the result of each message that a device sent itself. */
interface WrittenMessages extends Pick<BatchWriteResult, 'stored' | 'rejected'> {
  results: ResultsByMessage;
}

/**
 * Writes messages as the pipeline does, but without retries. If a message makes its batch fail, finds this message by repeated halving, and
 * stores it as a rejection. Throws if the database fails or a rejection cannot be stored. Messages that were already written remain stored.
 */
export async function writeOrRejectMessages(
  writer: Writer,
  batch: readonly IncomingMessage[],
): Promise<WrittenMessages> {
  try {
    const { stored, rejected, byMessage } = await writer.write(batch);
    return { stored, rejected, results: byMessage?.() ?? new Map() };
  } catch (error) {
    const [only] = batch;
    if (!only || !(await isOfTheMessages(writer, error))) throw error;
    const all: WrittenMessages = { stored: 0, rejected: 0, results: new Map() };
    if (batch.length > 1) {
      for (const half of halvesOf(batch)) {
        const { stored, rejected, results } = await writeOrRejectMessages(writer, half);
        all.stored += stored;
        all.rejected += rejected;
        for (const [message, result] of results) all.results.set(message, result);
      }
      return all;
    }
    const instead = refused(only, error as Error);
    const { rejected, byMessage } = await writer.write([instead]);
    const result = byMessage?.().get(instead);
    if (result) all.results.set(only, result);
    return { ...all, rejected };
  }
}

/** Numbers since the start of the process, for logs and metrics. */
export interface PipelineCounts {
  received: number;
  committed: number;
  stored: number;
  duplicates: number;
  rejected: number;
  /** Number of messages that exceeded the flood limit of their device. They are also included in `rejected`. */
  overLimit: number;
  /** Number of messages of accounts that have moved to another installation. */
  departed: number;
  /** Number of devices whose heads (stored states) were loaded from the database because they were not cached. */
  loaded: number;
}

interface Writable {
  message: IncomingMessage;
  /** Whether the message could not be written, so that a rejection is stored instead. */
  isRefused?: boolean;
}

/** Writes each batch until it is committed, and adds up the results. If a message makes its batch fail, only this message is rejected. */
export class BatchWriter<T extends Writable> {
  readonly counts: PipelineCounts = {
    received: 0,
    committed: 0,
    stored: 0,
    duplicates: 0,
    rejected: 0,
    overLimit: 0,
    departed: 0,
    loaded: 0,
  };
  isStopped = false;
  readonly #writer: Writer;
  readonly #log: Logger;
  readonly #onCommitted: (batch: readonly T[], result: BatchWriteResult) => void;

  constructor(writer: Writer, log: Logger, onCommitted: (batch: readonly T[], result: BatchWriteResult) => void) {
    this.#writer = writer;
    this.#log = log;
    this.#onCommitted = onCommitted;
  }

  /** Writes the batch. While the database is unavailable, tries again. */
  async write(batch: readonly T[]): Promise<void> {
    for (let delayMs = RETRY_MS.first; !this.isStopped; delayMs = Math.min(delayMs * 2, RETRY_MS.longest)) {
      try {
        const result = await runInSpan('ingest batch', { 'energy.messages': batch.length }, () =>
          this.#writer.write(batch.map(({ message }) => message)),
        );
        this.#count(batch, result);
        this.#onCommitted(batch, result);
        return;
      } catch (error) {
        // If a rejection cannot be stored, it is tried again without limit, because no message may be lost unnoticed.
        const isRefusal = batch.length === 1 && batch[0]?.isRefused === true;
        if (!isRefusal && (await isOfTheMessages(this.#writer, error))) return this.#isolate(batch, error as Error);
        this.#log.warn({ err: error, messages: batch.length, retry_in_ms: delayMs }, 'batch not committed, retrying');
        await pause(delayMs);
      }
    }
  }

  /** Finds the messages that make a batch fail, by repeated halving. Rejects these messages and writes the others. */
  async #isolate(batch: readonly T[], error: Error): Promise<void> {
    const [only] = batch;
    if (batch.length > 1) for (const half of halvesOf(batch)) await this.write(half);
    else if (only) {
      this.#log.error({ err: error, topic: only.message.topic }, 'message refused: it cannot be written');
      only.message = refused(only.message, error);
      only.isRefused = true;
      await this.write(batch);
    }
  }

  #count(batch: readonly T[], { stored, duplicates, rejected, loaded = 0, departed = 0 }: BatchWriteResult): void {
    this.counts.committed += batch.length;
    this.counts.stored += stored;
    this.counts.duplicates += duplicates;
    this.counts.rejected += rejected;
    this.counts.loaded += loaded;
    if (departed > 0) this.#countMovedAccounts(departed);
  }

  #countMovedAccounts(count: number): void {
    const logged = Math.floor(this.counts.departed / LOG_MOVED_EVERY);
    const isFirst = this.counts.departed === 0;
    this.counts.departed += count;
    if (isFirst || Math.floor(this.counts.departed / LOG_MOVED_EVERY) > logged)
      this.#log.warn(
        { departed: this.counts.departed },
        'devices of accounts that moved to another installation still publish here: stored; energy migrate --users forwards the messages',
      );
  }
}
