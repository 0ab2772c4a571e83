import {
  MAX_SAMPLED_SENDERS,
  PendingDeviceMessages,
  type QueuedMessage,
  ReadyDevices,
  RecentlyWrittenDevices,
} from './message-scheduling.ts';

/**
 * Maximum number of messages in a batch. In a batch of backlogged devices, also the maximum number of elements. `MAX_BATCH_BYTES`:
 * approximate maximum memory of a batch.
 */
const MAX_BATCH = 5_000;
const MAX_BATCH_BYTES = 16 * 2 ** 20;
/**
 * A device is backlogged if more than this number of its elements are pending. A meter that sends every second reaches this number after
 * about four minutes without a batch.
 */
const BACKLOG = 250;
/**
 * Maximum number of elements per backlogged device in a batch. `amongOthers` applies if devices without a backlog are sending, because the
 * batch delays them. `alone` applies if only backlogged devices are sending; if these are few, each may take more.
 */
const SHARE = { amongOthers: 100, alone: BACKLOG };
/**
 * Approximate maximum number of elements in a batch of devices that are not backlogged. It limits how long the next device waits for the
 * batch. 5,000 messages with one reading each are far below this maximum.
 */
const MAX_READY = 20_000;

/**
 * Maximum number of devices that are marked as costly to write. If it is exceeded, all marks are removed, and costly devices are detected
 * again.
 */
const MAX_COSTLY = 10_000;

/** A batch under construction, with its size and its limits. */
class BatchBuilder<T extends QueuedMessage> {
  readonly messages: T[] = [];
  weight = 0;
  devices = 0;
  #bytes = 0;
  readonly #maxWeight: number;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get isFull(): boolean {
    return this.weight >= this.#maxWeight || this.messages.length >= MAX_BATCH;
  }

  /** Takes messages of a device until a weight is reached. If the batch is empty, takes at least one message, whatever its weight is. */
  take(turn: PendingDeviceMessages<T>, weight: number): T[] {
    const max = { weight, bytes: MAX_BATCH_BYTES - this.#bytes, count: MAX_BATCH - this.messages.length };
    const taken = turn.take(max, this.messages.length === 0);
    for (const message of taken) {
      this.weight += message.weight;
      this.#bytes += message.bytes;
      this.messages.push(message);
    }
    return taken;
  }

  /**
   * Takes messages of an account's devices: at most `share` elements of each device, and `most` elements of the account. Calls `onTaken`
   * for each device. Returns whether messages were taken (`some`) and whether the batch is full (`full`).
   */
  takeAccount(
    turns: Iterable<PendingDeviceMessages<T>>,
    { most, share }: { most: number; share: number },
    onTaken: (turn: PendingDeviceMessages<T>) => void,
  ): { some: boolean; full: boolean } {
    const until = Math.min(this.#maxWeight, this.weight + most);
    let some = false;
    for (const turn of turns) {
      if (this.take(turn, Math.min(share, until - this.weight)).length === 0) {
        // If the account has used up its share, the batch may still have room for other accounts.
        const full = until === this.#maxWeight || this.weight + (turn.waiting[0]?.weight ?? 0) <= until;
        return { some, full };
      }
      some = true;
      this.devices++;
      onTaken(turn);
    }
    return { some, full: this.isFull };
  }
}

/** The messages that a partition writes in one transaction. `isBacklogged`: whether the messages are from backlogged devices. */
interface Batch<T> {
  messages: T[];
  isBacklogged: boolean;
}

const NOTHING: Batch<never> = { messages: [], isBacklogged: false };

/**
 * Schedules devices fairly, so that a flood of messages from one device delays only this device. Each partition writes one batch at a time,
 * and the id of a device determines its partition. An additional partition serves backlogged devices, which have more pending messages than
 * fit into a shared batch. The messages of a device are in at most one batch at a time, and are written in order. If only backlogged
 * devices are sending, as after an outage, the other partitions also serve backlogged devices, and the additional one serves devices that
 * send little.
 */
export class FairQueue<T extends QueuedMessage> {
  /** Devices that have pending messages or a batch in progress. */
  readonly #turns = new Map<string, PendingDeviceMessages<T>>();
  /** Devices that are ready to be written, in order. There is one list for each partition, and `#backlogged` for backlogged devices. */
  readonly #ready: readonly ReadyDevices<T>[];
  readonly #backlogged = new ReadyDevices<T>();
  /** The kind of batch that each partition is writing; null if it writes none. */
  readonly #busyWith: ('ready' | 'backlogged' | null)[];
  readonly #recent = new RecentlyWrittenDevices();
  readonly #costly = new Set<string>();
  readonly #now: () => number;

  /** `partitions`: number of partitions, without the additional one for backlogged devices, which is the last. `now`: clock, ms. */
  constructor(partitions: number, now: () => number = Date.now) {
    this.#ready = Array.from({ length: partitions }, () => new ReadyDevices<T>());
    this.#busyWith = this.#ready.map(() => null);
    this.#now = now;
  }

  push(message: T): void {
    let turn = this.#turns.get(message.deviceId);
    if (turn) turn.waiting.push(message);
    else {
      turn = new PendingDeviceMessages(message, this.#ready.length);
      this.#turns.set(message.deviceId, turn);
    }
    turn.weight += message.weight;
    if (!turn.isUnderWay) this.#enqueue(turn);
  }

  /**
   * Returns the next batch of a partition. The previous batch of the partition must be committed. The batch is empty if there is nothing to
   * write.
   */
  take(partition: number): Batch<T> {
    if (partition === this.#ready.length) return this.#takeBacklogged();
    if (this.#ready[partition]?.size) {
      this.#busyWith[partition] = 'ready';
      return this.#takeReady(partition);
    }
    const batch = this.areOthers() ? NOTHING : this.#takeAlone();
    this.#busyWith[partition] = batch.messages.length > 0 ? 'backlogged' : null;
    return batch;
  }

  /** Marks messages as written, so that their devices can be scheduled again. */
  finish(messages: readonly T[]): void {
    for (const { deviceId } of messages) {
      const turn = this.#turns.get(deviceId);
      if (!turn?.isUnderWay) continue;
      turn.isUnderWay = false;
      if (turn.waiting.length > 0) this.#enqueue(turn);
      else this.#turns.delete(deviceId);
    }
  }

  /** Whether devices are sending that are not backlogged and were not backlogged in the last seconds. */
  areOthers(): boolean {
    return this.#recent.areOthers(this.#now());
  }

  /** Treats a device as backlogged from now on, even if it sends little, because its messages are costly to write. */
  setApart(deviceId: string): void {
    if (this.#costly.size >= MAX_COSTLY) this.#costly.clear();
    this.#costly.add(deviceId);
  }

  #enqueue(turn: PendingDeviceMessages<T>): void {
    // A backlogged device remains backlogged until its next batch, even if its mark as costly was removed.
    if (this.#backlogged.has(turn)) return;
    const home = this.#ready[turn.home] as ReadyDevices<T>;
    if (turn.weight <= BACKLOG && !this.#costly.has(turn.deviceId)) home.add(turn);
    else {
      home.delete(turn);
      this.#backlogged.add(turn);
    }
  }

  /**
   * Returns the batch of the last partition. If another partition is busy with backlogged devices and has ready devices, the batch contains
   * these ready devices, otherwise backlogged devices.
   */
  #takeBacklogged(): Batch<T> {
    const home = this.#busyWith.findIndex(
      (kind, index) => kind === 'backlogged' && (this.#ready[index]?.size ?? 0) > 0,
    );
    if (home !== -1) return this.#takeReady(home);
    if (this.areOthers()) return this.#batchOf(this.#backlogged, MAX_BATCH, SHARE.amongOthers);
    return this.#busyWith.every((kind) => kind === null) ? this.#takeAlone() : NOTHING;
  }

  #takeReady(home: number): Batch<T> {
    return this.#batchOf(this.#ready[home] as ReadyDevices<T>, MAX_READY, Number.POSITIVE_INFINITY);
  }

  #takeAlone(): Batch<T> {
    return this.#batchOf(this.#backlogged, MAX_BATCH, Math.max(SHARE.alone, MAX_BATCH / this.#backlogged.size));
  }

  /**
   * Builds a batch from several devices. First, each account gets an equal share. Then accounts with more messages fill the remaining room.
   */
  #batchOf(from: ReadyDevices<T>, maxWeight: number, share: number): Batch<T> {
    const batch = new BatchBuilder<T>(maxWeight);
    const isBacklogged = from === this.#backlogged;
    const onTaken = (turn: PendingDeviceMessages<T>) => {
      from.delete(turn);
      turn.isUnderWay = true;
      if (batch.devices <= MAX_SAMPLED_SENDERS) this.#recent.note(turn.deviceId, isBacklogged, this.#now());
    };
    for (const most of [Math.max(BACKLOG, MAX_BATCH / from.accounts), Number.POSITIVE_INFINITY])
      if (from.size > 0) from.round((turns) => batch.takeAccount(turns, { most, share }, onTaken));
    return { messages: batch.messages, isBacklogged };
  }
}
