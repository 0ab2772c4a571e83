import { GatewayReceiver } from '#ingest/gateways/receive.ts';
import type { UnrecognisedMessageCounter } from '#ingest/gateways/unrecognised.ts';
import { AppError } from '#src/core/errors.ts';
import { createDatabaseOnConnection, type Pool, type PoolClient } from '#src/database/connect.ts';
import { getRetentionStartMs } from '#src/database/migrate.ts';
import { isRetryableError, MAX_TRANSACTION_ATTEMPTS, runInTransaction } from '#src/database/transaction.ts';
import { type BatchWriteResult, createEmptyMessage, type IncomingMessage, type Rejection } from '../message.ts';
import { DEFAULT_MAX_CHANNELS } from './collect.ts';
import { StaleHeadsError } from './commit.ts';
import { FastPath } from './fast-path.ts';
import { createHeadCache, type HeadCache } from './head-cache.ts';
import { createPartitionMonthCache, MissingPartitionsError } from './partition-months.ts';
import { type BatchRollbackState, prepareBatch, RecomputationRequiredError } from './prepare.ts';
import type { RejectionQuota } from './save-rejections.ts';
import type { UntimedSeriesRecorder } from './untimed-series.ts';

export type { BatchWriteResult, IncomingMessage } from '../message.ts';

/**
 * If at least this many cached heads (stored states of devices) of a batch are stale, and they are at least a quarter of the batch's heads,
 * another writer serves the same devices. Fewer stale heads can result from a change of settings by an owner.
 */
const MANY_STALE = 16;
/**
 * For batches with few devices: if this many consecutive batches have stale heads (stored states), another writer serves the same devices.
 * A single such batch can result from a change of settings by an owner.
 */
const STALE_IN_A_ROW = 3;
/**
 * Time in ms for which batches leave the recomputation of a changed device to `watchChangedDevices`. `MAX_DEFERRED`: maximum number of such
 * devices.
 */
const DEFER_MS = 10_000;
const MAX_DEFERRED = 10_000;

export interface Writer {
  /**
   * Writes a batch in one transaction: readings, load profile, aggregates, rejections. Resolves when the transaction is committed; only
   * then may the messages be acknowledged. Rejects if the database fails; then nothing of the batch is stored. Several writers may write
   * the same devices, and the same batch may be written several times.
   */
  write(batch: readonly IncomingMessage[]): Promise<BatchWriteResult>;
}

/**
 * `retentionMonths`: older readings are rejected. `maxChannels`: maximum number of channels of a device. `rejectionQuota`: limits the
 * rejections that are stored; default: no limit. `memory`: cache of devices' heads (stored states). `unread`: counts messages that no
 * decoder family recognises. `pieceReadings`: approximate number of readings that a transaction replays to recompute a device. `now`:
 * clock, Unix ms. `ageNow`: clock for the age of readings (src/database/believed-time.ts). `untimed`: records series without timestamps.
 */
interface WriterOptions {
  retentionMonths?: number;
  maxChannels?: number;
  rejectionQuota?: RejectionQuota;
  memory?: HeadCache;
  unread?: UnrecognisedMessageCounter;
  pieceReadings?: number;
  now?: () => number;
  ageNow?: () => number;
  untimed?: UntimedSeriesRecorder;
}

export function createWriter(pool: Pool, options: WriterOptions = {}): Writer {
  return new BatchesWriter(pool, options);
}

/**
 * Changed devices that `watchChangedDevices` recomputes instead of this writer, because their recomputation failed or needs several chunks.
 * Each device has a time at which this ends.
 */
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

class BatchesWriter implements Writer {
  readonly #pool: Pool;
  readonly #options: WriterOptions;
  readonly #now: () => number;
  readonly #memory: HeadCache;
  readonly #months;
  readonly #gateways;
  readonly #fastPath: FastPath;
  readonly #deferred: Deferred;
  #staleInARow = 0;

  constructor(pool: Pool, options: WriterOptions) {
    const { now = Date.now, memory = createHeadCache({ now }) } = options;
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
        // It is unknown whether the transaction was committed, so the cached heads (states) of its devices may be wrong.
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

  /** Returns the rejections that may be stored. If the batch is not committed, their bytes are released again. */
  #retained(rejects: readonly Rejection[], attempt: BatchRollbackState): readonly Rejection[] {
    const { rejectionQuota } = this.#options;
    if (!rejectionQuota) return rejects;
    const chosen = rejectionQuota.of(rejects, this.#now());
    attempt.undo = () => rejectionQuota.undo(rejects, chosen);
    return chosen;
  }

  /**
   * Removes the cause of a failed attempt, so that the batch can be tried again. Throws the error if its cause cannot be removed, or if
   * there were too many attempts.
   */
  async #recover(error: unknown, attempts: number, { cachedCount }: BatchRollbackState): Promise<void> {
    if (error instanceof MissingPartitionsError) await this.#months.make(error);
    else if (error instanceof RecomputationRequiredError) {
      for (const deviceId of error.deviceIds)
        await this.write([createEmptyMessage(deviceId)]).catch(() => this.#deferred.add(deviceId));
    } else if (error instanceof StaleHeadsError) {
      const areMany = error.count >= MANY_STALE && error.count > cachedCount / 4;
      if (areMany || ++this.#staleInARow >= STALE_IN_A_ROW) this.#memory.disable();
    } else if (attempts >= MAX_TRANSACTION_ATTEMPTS || !isRetryableError(error)) throw error;
  }
}

/**
 * Checks the rights of senders in the transaction that stores their messages, and locks these rights, so that they cannot be revoked before
 * the transaction ends. Must run before the devices are locked, because an erasure of a person locks in this order. Returns the messages
 * that may be stored, and the error for each other message.
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

/** Returns the error if it is a refusal of a sender. Throws any other error, because it has made the transaction fail. */
function refusalIn(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
