import { type GatewayReceiver, rejectMessageOfUnknownGateway } from '#ingest/gateways/receive.ts';
import type { PoolClient } from '#src/database/connect.ts';
import {
  type BatchWriteResult,
  type IncomingMessage,
  isEmptyMessage,
  type Rejection,
  type ResultsByMessage,
} from '../message.ts';
import { type CollectedReadings, collectReadings, rejectChannelsBeyondLimit } from './collect.ts';
import { planBatchStatements } from './commit.ts';
import { MAX_CACHED_SERIES } from './device-state.ts';
import { EMPTY_FAST_PATH_RESULT, type FastPath, type FastPathResult, mergeFastPathResults } from './fast-path.ts';
import { areReadingsInOrder, type DeviceHeadWithPlan } from './head.ts';
import type { DeviceHeadCache } from './head-cache.ts';
import type { SlowPathReason } from './head-working-copies.ts';
import { type LockedDevice, loadDevices } from './load.ts';
import { loadReadingsAndPlanBatch } from './load-stretches.ts';
import { groupResultsByMessage } from './message-results.ts';
import { findMovedLogins, saveMessagesOfMovedAccounts } from './moved-accounts.ts';
import type { PartitionMonthCache } from './partition-months.ts';
import { countValidReadings, planDeviceWrites } from './plan.ts';
import { saveRejections } from './save-rejections.ts';
import type { BatchStatement } from './statement.ts';
import type { ReadingStretch } from './stretch.ts';
import type { UntimedSeriesRecorder } from './untimed-series.ts';
import { planDeviceStateUpdates } from './update-device-states.ts';

interface BatchDependencies {
  /** Start of the retention period, Unix ms. Older readings are rejected. */
  readonly oldestMs: number;
  readonly maxChannels: number;
  readonly pieceReadings: number | undefined;
  readonly months: PartitionMonthCache;
  readonly retained: (rejects: readonly Rejection[]) => readonly Rejection[];
  readonly memory: DeviceHeadCache;
  readonly fastPath: FastPath;
  readonly gateways: GatewayReceiver;
  readonly untimed: UntimedSeriesRecorder | undefined;
  /** Changed devices that a later transaction recomputes. */
  readonly deferred: { has(deviceId: string): boolean; add(deviceId: string): void };
}

/** What must be undone if the transaction of a batch fails. */
export interface BatchRollbackState {
  /** Devices whose cached state this batch has changed. */
  deviceIds: string[];
  /** Number of the devices in `deviceIds` whose state came from the cache. */
  cachedCount: number;
  /** Series whose readings have no timestamps, and which this batch records in `untimed_series`. */
  untimed: ReturnType<UntimedSeriesRecorder['missing']>;
  undo(): void;
}

/** Thrown if devices must be recomputed before the batch, because their owners have changed a setting. */
export class RecomputationRequiredError extends Error {
  readonly deviceIds: readonly string[];
  constructor(deviceIds: readonly string[]) {
    super('changed devices are to be computed first');
    this.deviceIds = deviceIds;
  }
}

/**
 * Determines the changes of a batch, and returns the statements that write them. The new states of devices are cached at once, so the
 * caller must evict them if the transaction fails. Throws RecomputationRequiredError if changed devices must be recomputed first, and
 * MissingPartitionsError if a month has no partitions.
 */
export async function prepareBatch(
  client: PoolClient,
  batch: readonly IncomingMessage[],
  tools: BatchDependencies,
  attempt: BatchRollbackState,
): Promise<{ steps: BatchStatement[]; result: BatchWriteResult }> {
  const stages = new Stages(client, tools, attempt);
  await stages.readGateways(batch);
  stages.stepRemembered();
  stages.planCached();
  await stages.loadOthers();
  stages.deferRecomputation();
  stages.stepLoaded();
  await stages.removeUnknownDevices();
  stages.limitChannels();
  await stages.planLoaded();
  return stages.write(batch);
}

/** Reasons for which the cached state of a device is not enough. */
const NEED_STORED: ReadonlySet<SlowPathReason> = new Set<SlowPathReason>(['new series', 'role']);
const NO_STRETCHES: ReadonlyMap<number, readonly ReadingStretch[]> = new Map();

/** The stages in which a batch is prepared. */
class Stages {
  readonly #client: PoolClient;
  readonly #tools: BatchDependencies;
  readonly #attempt: BatchRollbackState;
  /** The messages that no earlier stage has processed. */
  #messages: readonly IncomingMessage[] = [];
  /** Devices whose register descriptions change in this transaction. */
  readonly #described = new Set<string>();
  readonly #ofMovedAccounts: IncomingMessage[] = [];
  /** Messages for deleted devices. Their senders receive an error. */
  readonly #ofEndedDevices: IncomingMessage[] = [];
  #stepped: FastPathResult = EMPTY_FAST_PATH_RESULT;
  #collected: CollectedReadings = { series: new Map(), rejects: [], duplicates: 0 };
  readonly #plans: DeviceHeadWithPlan[] = [];
  /** Devices whose changes are determined from their cached state, without a lock. */
  readonly #plannedIds = new Set<string>();
  #devices = new Map<string, LockedDevice>();
  /** Ids of devices with so many series that each write is slow. */
  #large: string[] = [];

  constructor(client: PoolClient, tools: BatchDependencies, attempt: BatchRollbackState) {
    this.#client = client;
    this.#tools = tools;
    this.#attempt = attempt;
  }

  /** Decodes the messages of gateways, and sets messages of moved accounts aside. */
  async readGateways(batch: readonly IncomingMessage[]): Promise<void> {
    const { gateways, memory, untimed } = this.#tools;
    const read = await gateways.receive(this.#client, batch, this.#described);
    const unknown = new Set(read.flatMap(({ gateway }) => gateway?.gatewayId ?? []));
    const moved = await findMovedLogins(this.#client, [...unknown]);
    const isMoved = ({ gateway }: IncomingMessage) => gateway !== undefined && moved.has(gateway.gatewayId);
    this.#ofMovedAccounts.push(...(moved.size > 0 ? read.filter(isMoved) : []));
    this.#messages =
      unknown.size === 0
        ? read
        : read.flatMap((message) =>
            isMoved(message) ? [] : message.gateway ? rejectMessageOfUnknownGateway(message) : message,
          );
    memory.evict(this.#described);
    if (untimed) this.#attempt.untimed = untimed.missing(this.#messages);
  }

  stepRemembered(): void {
    this.#messages = this.#step(this.#messages).others;
    this.#collected = collectReadings(this.#messages, this.#tools.oldestMs);
  }

  /** Determines, without a lock, the changes of devices whose state is cached. Their new readings must be later than the stored ones. */
  planCached(): void {
    const { memory } = this.#tools;
    const needLock = new Set<string>();
    for (const { message } of this.#collected.rejects) needLock.add(message.decoded.deviceId);
    for (const { decoded } of this.#messages) if (decoded.status !== undefined) needLock.add(decoded.deviceId);
    for (const [deviceId, arrived] of this.#collected.series) {
      const reason = this.#stepped.reasons.get(deviceId);
      if (reason === undefined || NEED_STORED.has(reason) || needLock.has(deviceId)) continue;
      const head = memory.get(deviceId);
      if (!head || !areReadingsInOrder(head, arrived)) continue;
      const plan = planDeviceWrites(head, arrived, NO_STRETCHES);
      if (!('series' in plan)) continue;
      this.#plans.push({ head, plan });
      this.#plannedIds.add(deviceId);
    }
    this.#attempt.deviceIds.push(...this.#plannedIds);
    this.#attempt.cachedCount = this.#attempt.deviceIds.length;
  }

  /** Locks and loads the devices of the remaining messages. */
  async loadOthers(): Promise<void> {
    const { pieceReadings, deferred } = this.#tools;
    const deviceIds = new Set(this.#messages.map(({ decoded }) => decoded.deviceId));
    const silent = new Set(deviceIds);
    for (const message of this.#messages) if (!isEmptyMessage(message)) silent.delete(message.decoded.deviceId);
    this.#devices = await loadDevices(
      this.#client,
      [...deviceIds].filter((deviceId) => !this.#plannedIds.has(deviceId)),
      this.#collected.series,
      {
        pieceReadings,
        isDeferred: (deviceId) => this.#described.has(deviceId) || deferred.has(deviceId),
        silent: [...silent],
      },
    );
    this.#attempt.deviceIds.push(...this.#devices.keys());
    this.#large = [...this.#devices.values()]
      .filter(({ series }) => series.size > MAX_CACHED_SERIES)
      .map(({ deviceId }) => deviceId);
  }

  /**
   * A changed setting must apply to the next reading. Therefore throws RecomputationRequiredError for devices that can be recomputed in one
   * transaction. Devices that need several transactions are recomputed later, and their readings do not wait.
   */
  deferRecomputation(): void {
    const first: string[] = [];
    for (const { deviceId, pieceUntilMs } of this.#devices.values()) {
      if (pieceUntilMs === undefined || !this.#collected.series.has(deviceId)) continue;
      if (pieceUntilMs === Number.POSITIVE_INFINITY) first.push(deviceId);
      else this.#tools.deferred.add(deviceId);
    }
    if (first.length > 0) throw new RecomputationRequiredError(first);
  }

  /** Processes locked devices on the fast path if possible. */
  stepLoaded(): void {
    const { memory, oldestMs } = this.#tools;
    const settled = new Set<string>();
    for (const device of this.#devices.values()) {
      if (!device.isSettled || device.computedWith !== null || !this.#collected.series.has(device.deviceId)) continue;
      memory.set(device);
      settled.add(device.deviceId);
    }
    if (settled.size === 0) return;
    const { deviceIds } = this.#step(this.#messages.filter(({ decoded }) => settled.has(decoded.deviceId)));
    if (deviceIds.length === 0) return;
    const isStepped = new Set(deviceIds);
    this.#messages = this.#messages.filter(({ decoded }) => !isStepped.has(decoded.deviceId));
    this.#collected = collectReadings(this.#messages, oldestMs);
  }

  /** Sets messages of moved accounts aside, and removes those for deleted devices. */
  async removeUnknownDevices(): Promise<void> {
    const unknown = new Set<string>();
    for (const { decoded } of this.#messages) if (!this.#isKnown(decoded.deviceId)) unknown.add(decoded.deviceId);
    const moved = await findMovedLogins(this.#client, [...unknown]);
    const isMoved = ({ decoded }: IncomingMessage) => moved.has(decoded.deviceId);
    const isEnded = ({ sender, decoded }: IncomingMessage) => sender !== undefined && unknown.has(decoded.deviceId);
    for (const message of this.#messages)
      if (isMoved(message)) this.#ofMovedAccounts.push(message);
      else if (isEnded(message)) this.#ofEndedDevices.push(message);
    const removed = new Set([...this.#ofMovedAccounts, ...this.#ofEndedDevices]);
    if (removed.size === 0) return;
    this.#messages = this.#messages.filter((message) => !removed.has(message));
    this.#collected.rejects = this.#collected.rejects.filter(({ message }) => !removed.has(message));
  }

  limitChannels(): void {
    const refused = rejectChannelsBeyondLimit(this.#devices, this.#collected, this.#tools.maxChannels);
    this.#collected.rejects.push(...refused);
  }

  async planLoaded(): Promise<void> {
    const { series } = this.#collected;
    // A changed device is recomputed even without new readings.
    for (const { deviceId, computedWith } of this.#devices.values())
      if (computedWith !== null && !series.has(deviceId)) series.set(deviceId, new Map());
    this.#plans.push(...(await loadReadingsAndPlanBatch(this.#client, this.#devices, series)));
  }

  async write(batch: readonly IncomingMessage[]): Promise<{ steps: BatchStatement[]; result: BatchWriteResult }> {
    const { memory, months, retained, untimed } = this.#tools;
    const { steps, heads } = await planBatchStatements(this.#client, this.#stepped, this.#plans, months);
    const valid = new Map<string, number>();
    const rejects = [...this.#collected.rejects, ...this.#fromUnknownDevices()];
    for (const { head, plan } of this.#plans) {
      const count = countValidReadings(plan);
      if (count > 0) valid.set(head.deviceId, count);
      for (const series of plan.series) for (const reject of series.rejects) rejects.push(reject);
    }
    const states = planDeviceStateUpdates(this.#devices, valid, this.#messages, rejects);
    if (untimed) steps.push(...untimed.save(this.#attempt.untimed));
    steps.push(
      ...states.steps,
      ...saveRejections(retained(rejects)),
      ...saveMessagesOfMovedAccounts(this.#ofMovedAccounts),
    );
    for (const { head } of heads) memory.set(head);
    memory.evict(states.touched);
    const byMessage = () => this.#resultsByMessage(batch, rejects);
    return { steps, result: { ...this.#result(rejects.length), byMessage } };
  }

  #resultsByMessage(batch: readonly IncomingMessage[], rejects: readonly Rejection[]): ResultsByMessage {
    const results = groupResultsByMessage(batch, { stepped: this.#stepped.readings, plans: this.#plans, rejects });
    for (const message of [...this.#ofMovedAccounts, ...this.#ofEndedDevices]) results.delete(message);
    return results;
  }

  #step(messages: readonly IncomingMessage[]): FastPathResult {
    const stepped = this.#tools.fastPath.step(messages, this.#tools.oldestMs);
    this.#attempt.deviceIds.push(...stepped.deviceIds);
    this.#stepped = mergeFastPathResults(this.#stepped, stepped);
    return stepped;
  }

  #isKnown(deviceId: string): boolean {
    return this.#devices.has(deviceId) || this.#plannedIds.has(deviceId);
  }

  #fromUnknownDevices(): Rejection[] {
    return this.#messages
      .filter(({ decoded }) => decoded.readings.length > 0 && !this.#isKnown(decoded.deviceId))
      .map((message) => ({ message, element: null, reason: 'unknown or deleted device' }));
  }

  #result(rejected: number): BatchWriteResult {
    let stored = this.#stepped.readings.length;
    let duplicates = this.#stepped.duplicates + this.#collected.duplicates;
    for (const { plan } of this.#plans) {
      for (const series of plan.series) {
        stored += series.inserts.length + series.lowered.length;
        duplicates += series.duplicates;
      }
    }
    return {
      stored,
      duplicates,
      rejected,
      ...(this.#devices.size > 0 ? { loaded: this.#devices.size } : {}),
      ...(this.#large.length > 0 ? { large: this.#large } : {}),
      ...(this.#ofMovedAccounts.length > 0 ? { departed: this.#ofMovedAccounts.length } : {}),
    };
  }
}
