import { GatewayReceiver } from '#ingest/gateways/receive.ts';
import type { UnrecognisedMessageCounter } from '#ingest/gateways/unrecognised.ts';
import { AppError } from '#src/core/errors.ts';
import { createDatabaseOnConnection, type Pool, type PoolClient } from '#src/database/connect.ts';
import { getRetentionStartMs } from '#src/database/migrate.ts';
import { isRetryableError, MAX_TRANSACTION_ATTEMPTS, runInTransaction } from '#src/database/transaction.ts';
import { type BatchWriteResult, createEmptyMessage, type IncomingMessage, type Rejection } from '../message.ts';
import { DEFAULT_MAX_CHANNELS } from './collect.ts';
import { OutdatedDeviceHeadsError } from './commit.ts';
import { FastPath } from './fast-path.ts';
import { createDeviceHeadCache, type DeviceHeadCache } from './head-cache.ts';
import { createPartitionMonthCache, MissingPartitionsError } from './partition-months.ts';
import { type BatchRollbackState, prepareBatch, RecomputationRequiredError } from './prepare.ts';
import type { RejectionQuota } from './save-rejections.ts';
import type { UntimedSeriesRecorder } from './untimed-series.ts';

export type { BatchWriteResult, IncomingMessage } from '../message.ts';

/** If this many cached states of a batch, and more than a quarter of them, are outdated, another writer serves the same devices. */
const MANY_STALE = 16;
/** If this many consecutive batches have outdated cached states, another writer serves the same devices. */
const STALE_IN_A_ROW = 3;
/** Time in ms for which the recomputation of a changed device is left to `watchChangedDevices`. */
const DEFER_MS = 10_000;
const MAX_DEFERRED = 10_000;

export interface ReadingBatchWriter {
  /**
   * Writes a batch in one transaction. Resolves after the commit; only then may the messages be acknowledged. If the database fails,
   * rejects and stores nothing. Several writers may write the same devices, and the same batch may be written twice.
   */
  write(batch: readonly IncomingMessage[]): Promise<BatchWriteResult>;
}

/**
 * `retentionMonths`: older readings are rejected. `rejectionQuota`: limit for stored rejections. `memory`: cache of devices' states.
 * `unread`: counter of messages that no decoder recognises. `pieceReadings`: approximate number of readings that a transaction recomputes.
 * `ageNow`: clock for the age of readings. `untimed`: recorder of series without timestamps.
 */
interface WriterOptions {
  retentionMonths?: number;
  maxChannels?: number;
  rejectionQuota?: RejectionQuota;
  memory?: DeviceHeadCache;
  unread?: UnrecognisedMessageCounter;
  pieceReadings?: number;
  now?: () => number;
  ageNow?: () => number;
  untimed?: UntimedSeriesRecorder;
}

export function createReadingBatchWriter(pool: Pool, options: WriterOptions = {}): ReadingBatchWriter {
  return new BatchesWriter(pool, options);
}

/** Devices that `watchChangedDevices` recomputes instead of this writer. Each entry expires. */
class Deferred {
  readonly #untilMs = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  has(deviceId: string): boolean {
    return (this.#untilMs.get(deviceId) ?? 0) > this.#now();
  }

  add(deviceId: string): void {
    if (this.#untilMs.size >= MAX_DEFERRED) this.#untilMs.clear();
    this.#untilMs.set(deviceId, this.#now() + DEFER_MS);
  }
}

class BatchesWriter implements ReadingBatchWriter {
  readonly #pool: Pool;
  readonly #options: WriterOptions;
  readonly #now: () => number;
  readonly #memory: DeviceHeadCache;
  readonly #months;
  readonly #gateways;
  readonly #fastPath: FastPath;
  readonly #deferred: Deferred;
  #staleInARow = 0;

  constructor(pool: Pool, options: WriterOptions) {
    const { now = Date.now, memory = createDeviceHeadCache({ now }) } = options;
    this.#pool = pool;
    this.#options = options;
    this.#now = now;
    this.#memory = memory;
    this.#months = createPartitionMonthCache(pool);
    this.#gateways = new GatewayReceiver(options.unread);
    this.#fastPath = new FastPath(memory);
    this.#deferred = new Deferred(now);
  }

  async write(batch: readonly IncomingMessage[]): Promise<BatchWriteResult> {
    for (let attempts = 1; ; attempts++) {
      const attempt: BatchRollbackState = { deviceIds: [], cachedCount: 0, untimed: new Map(), undo: () => {} };
      try {
        const result = await this.#attempt(batch, attempt);
        this.#options.untimed?.noted(attempt.untimed);
        if (attempts === 1) this.#staleInARow = 0;
        return result;
      } catch (error) {
        // The transaction may or may not have been committed, so the cached states may be wrong.
        this.#memory.evict(attempt.deviceIds);
        this.#gateways.forget(batch);
        attempt.undo();
        await this.#recover(error, attempts, attempt);
      }
    }
  }

  async #attempt(batch: readonly IncomingMessage[], attempt: BatchRollbackState): Promise<BatchWriteResult> {
    const {
      retentionMonths = 13,
      maxChannels = DEFAULT_MAX_CHANNELS,
      pieceReadings,
      untimed,
      ageNow = this.#now,
    } = this.#options;
    const tools = {
      oldestMs: getRetentionStartMs(ageNow(), retentionMonths),
      maxChannels,
      pieceReadings,
      months: this.#months,
      retained: (rejects: readonly Rejection[]) => this.#retained(rejects, attempt),
      memory: this.#memory,
      fastPath: this.#fastPath,
      gateways: this.#gateways,
      untimed,
      deferred: this.#deferred,
    };
    return runInTransaction(this.#pool, async (client) => {
      const { confirmed, refused } = await confirmSenders(client, batch);
      const { steps, result } = await prepareBatch(client, confirmed, tools, attempt);
      for (const step of steps) await step(client);
      const byMessage = () => new Map([...(result.byMessage?.() ?? []), ...refused]);
      return { ...result, byMessage };
    });
  }

  #retained(rejects: readonly Rejection[], attempt: BatchRollbackState): readonly Rejection[] {
    const { rejectionQuota } = this.#options;
    if (!rejectionQuota) return rejects;
    const chosen = rejectionQuota.of(rejects, this.#now());
    attempt.undo = () => rejectionQuota.undo(rejects, chosen);
    return chosen;
  }

  /** Removes the cause of a failed attempt. Throws the error if this is impossible, or after too many attempts. */
  async #recover(error: unknown, attempts: number, { cachedCount }: BatchRollbackState): Promise<void> {
    if (error instanceof MissingPartitionsError) await this.#months.make(error);
    else if (error instanceof RecomputationRequiredError) {
      for (const deviceId of error.deviceIds)
        await this.write([createEmptyMessage(deviceId)]).catch(() => this.#deferred.add(deviceId));
    } else if (error instanceof OutdatedDeviceHeadsError) {
      const areMany = error.count >= MANY_STALE && error.count > cachedCount / 4;
      if (areMany || ++this.#staleInARow >= STALE_IN_A_ROW) this.#memory.disable();
    } else if (attempts >= MAX_TRANSACTION_ATTEMPTS || !isRetryableError(error)) throw error;
  }
}

/**
 * Checks and locks the rights of senders in the transaction that stores their messages. Must run before devices are locked, because the
 * erasure of an account locks in this order. Returns the messages that may be stored, and an error for each other message.
 */
async function confirmSenders(
  client: PoolClient,
  batch: readonly IncomingMessage[],
): Promise<{ confirmed: readonly IncomingMessage[]; refused: ReadonlyMap<IncomingMessage, AppError> }> {
  const refused = new Map<IncomingMessage, AppError>();
  if (!batch.some(({ sender }) => sender)) return { confirmed: batch, refused };
  const trx = createDatabaseOnConnection(client);
  const outcomes = new Map<string, AppError | null>();
  for (const message of batch) {
    const { sender, decoded } = message;
    if (!sender) continue;
    const of = `${decoded.deviceId} ${sender.id}`;
    const known = outcomes.get(of);
    const outcome = known === undefined ? await sender.confirm(trx).then(() => null, refusalIn) : known;
    outcomes.set(of, outcome);
    if (outcome) refused.set(message, outcome);
  }
  return { confirmed: batch.filter((message) => !refused.has(message)), refused };
}

/**
 * Returns an AppError as the reason for refusing a sender's messages. Rethrows every other error, because the transaction has then failed.
 */
function refusalIn(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
