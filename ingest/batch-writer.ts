import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { runInSpan } from '#src/core/tracing.ts';
import type { ResultsByMessage } from './message.ts';
import type { BatchWriteResult, IncomingMessage, ReadingBatchWriter } from './write/writer.ts';
import { classifyWriteError } from './write-errors.ts';

const RETRY_MS = { first: 100, longest: 5_000 };
const LOG_MOVED_EVERY = 10_000;

const MAX_ERROR_CHARACTERS = 300;

/**
 * Whether the messages of a batch caused the error. If an empty batch can be written, the database works, so the messages are the cause.
 */
async function isOfTheMessages(writer: ReadingBatchWriter, error: unknown): Promise<boolean> {
  const fault = classifyWriteError(error);
  if (fault !== 'code') return fault === 'data';
  return writer.write([]).then(
    () => true,
    () => false,
  );
}

function refused({ gateway: _gateway, ...message }: IncomingMessage, error: Error): IncomingMessage {
  const reason = `cannot be written: ${error.message.slice(0, MAX_ERROR_CHARACTERS)}`;
  const { deviceId } = message.decoded;
  return { ...message, decoded: { deviceId, readings: [], rejections: [{ element: null, reason }] } };
}

function halvesOf<T>(batch: readonly T[]): [T[], T[]] {
  const middle = batch.length >> 1;
  return [batch.slice(0, middle), batch.slice(middle)];
}

interface WrittenMessages extends Pick<BatchWriteResult, 'stored' | 'rejected'> {
  results: ResultsByMessage;
}

/**
 * Writes messages without retries. If one message makes its batch fail, stores a rejection for this message and writes the others. Throws
 * if the database fails; messages that were already written remain stored.
 */
export async function writeOrRejectMessages(
  writer: ReadingBatchWriter,
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

export interface PipelineCounts {
  received: number;
  committed: number;
  stored: number;
  duplicates: number;
  rejected: number;
  /** Messages beyond the flood limit of their device. `rejected` includes them. */
  overLimit: number;
  departed: number;
  /** Number of devices whose state was loaded from the database because it was not cached. */
  loaded: number;
}

interface Writable {
  message: IncomingMessage;
  isRefused?: boolean;
}

/** Writes each batch until it is committed. If one message makes its batch fail, only this message is rejected. */
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
  readonly #writer: ReadingBatchWriter;
  readonly #log: Logger;
  readonly #onCommitted: (batch: readonly T[], result: BatchWriteResult) => void;

  constructor(
    writer: ReadingBatchWriter,
    log: Logger,
    onCommitted: (batch: readonly T[], result: BatchWriteResult) => void,
  ) {
    this.#writer = writer;
    this.#log = log;
    this.#onCommitted = onCommitted;
  }

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
        'devices of accounts that moved to another installation still publish here: stored; energy cells move forwards the messages',
      );
  }
}
