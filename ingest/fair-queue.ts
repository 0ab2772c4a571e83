import {
  MAX_SAMPLED_SENDERS,
  PendingDeviceMessages,
  type QueuedMessage,
  ReadyDevices,
  RecentlyWrittenDevices,
} from './message-scheduling.ts';

/** Maximum number of messages in a batch. */
const MAX_BATCH = 5_000;
const MAX_BATCH_BYTES = 16 * 2 ** 20;
/** A device is backlogged if more than this number of its elements are pending. (An element is a reading of a message, valid or not.) */
const BACKLOG = 250;
/**
 * Maximum number of elements that one backlogged device may have in a batch. `amongOthers` applies while devices without a backlog are also
 * sending, `alone` if no other device is sending.
 */
const SHARE = { amongOthers: 100, alone: BACKLOG };
/** Approximate maximum number of elements in a batch. It limits how long the next device waits for the batch. */
const MAX_READY = 20_000;

const MAX_COSTLY = 10_000;

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

  /** Takes messages of a device until the batch reaches `weight` elements. An empty batch always takes at least one message. */
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
   * Takes messages from the devices of one account: at most `share` elements of each device, and `most` elements in total. `onTaken` is
   * called for each device.
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

interface Batch<T> {
  messages: T[];
  isBacklogged: boolean;
}

const NOTHING: Batch<never> = { messages: [], isBacklogged: false };

/**
 * Schedules devices fairly, so that a flood of messages from one device delays only this device. Each partition of the queue writes one
 * batch at a time, and the id of a device determines its partition. An additional partition writes the messages of backlogged devices.
 * Messages of one device are written in order.
 */
export class FairQueue<T extends QueuedMessage> {
  readonly #turns = new Map<string, PendingDeviceMessages<T>>();
  /** Devices that can be written next, one list per partition. */
  readonly #ready: readonly ReadyDevices<T>[];
  readonly #backlogged = new ReadyDevices<T>();
  readonly #busyWith: ('ready' | 'backlogged' | null)[];
  readonly #recent = new RecentlyWrittenDevices();
  readonly #costly = new Set<string>();
  readonly #now: () => number;

  /** `partitions`: number of partitions without the additional one for backlogged devices. `now`: clock, ms. */
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

  /** Returns the next batch of a partition, after the previous one has been committed. The batch may be empty. */
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

  finish(messages: readonly T[]): void {
    for (const { deviceId } of messages) {
      const turn = this.#turns.get(deviceId);
      if (!turn?.isUnderWay) continue;
      turn.isUnderWay = false;
      if (turn.waiting.length > 0) this.#enqueue(turn);
      else this.#turns.delete(deviceId);
    }
  }

  areOthers(): boolean {
    return this.#recent.areOthers(this.#now());
  }

  /** From now on, treats a device as backlogged, because its messages are costly to write. */
  setApart(deviceId: string): void {
    if (this.#costly.size >= MAX_COSTLY) this.#costly.clear();
    this.#costly.add(deviceId);
  }

  #enqueue(turn: PendingDeviceMessages<T>): void {
    if (this.#backlogged.has(turn)) return;
    const home = this.#ready[turn.home] as ReadyDevices<T>;
    if (turn.weight <= BACKLOG && !this.#costly.has(turn.deviceId)) home.add(turn);
    else {
      home.delete(turn);
      this.#backlogged.add(turn);
    }
  }

  /**
   * Returns the next batch of the additional partition. It normally contains backlogged devices; if other partitions are busy with
   * backlogged devices, it contains devices without a backlog instead.
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
