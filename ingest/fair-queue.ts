import { type Queued, RecentDevices, SAMPLE, Turn, Turns } from './turns.ts';

/** Maximum number of messages of a batch, of its elements if its devices are backlogged, and approximate maximum of its bytes of memory. */
const MAX_BATCH = 5_000;
const MAX_BATCH_BYTES = 16 * 2 ** 20;
/** A device with more pending elements than this is backlogged: a meter that sends every second has four minutes for it. */
const BACKLOG = 250;
/**
 * Elements of each backlogged device in a batch, while others send: for so long these wait for the processor. If none do, at least as many
 * as a batch of neighbours would have.
 */
const SHARE = { amongOthers: 100, alone: BACKLOG };
/**
 * Approximate maximum of elements in a batch of devices that are not backlogged, beyond what other accounts have in it: a neighbour that comes meanwhile waits for it. A batch of
 * 5,000 single readings is far from it.
 */
const MAX_READY = 20_000;

/** Maximum number of devices that are noted as costly; then they are found again. */
const MAX_COSTLY = 10_000;

/** A batch that is being collected: how much it has, and how much it may have. */
class BatchBuilder<T extends Queued> {
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

  /** Takes what fits of a device, up to a weight. The first device of a batch has at least one message in it. */
  take(turn: Turn<T>, weight: number): T[] {
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
   * Takes messages of an account's devices, at most `share` of each device and `most` of the account, and calls `onTaken` for each device. Returns
   * whether anything was taken (`some`), and whether the batch is full.
   */
  takeAccount(
    turns: Iterable<Turn<T>>,
    { most, share }: { most: number; share: number },
    onTaken: (turn: Turn<T>) => void,
  ): { some: boolean; full: boolean } {
    const until = Math.min(this.#maxWeight, this.weight + most);
    let some = false;
    for (const turn of turns) {
      if (this.take(turn, Math.min(share, until - this.weight)).length === 0) {
        // What the account's part has no room for leaves the batch to the next account.
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

/** The messages that a partition writes in one transaction. */
interface Batch<T> {
  messages: T[];
  /** Whether they are of backlogged devices, and not of their neighbours. */
  isBacklogged: boolean;
}

const NOTHING: Batch<never> = { messages: [], isBacklogged: false };

/**
 * Gives devices their turns, so that what one sends delays itself and not its neighbours. Each partition writes one batch at a time. There
 * is one partition more for backlogged devices: more of them is pending than a batch of their neighbours should have. A device has a
 * partition by its name, is in one batch at a time, and its messages stay in their order. If only backlogged devices send, as after an
 * outage, the other partitions take them instead, and the additional one is there for devices that send little.
 */
export class FairQueue<T extends Queued> {
  /** Devices with pending messages, or with a batch that is being written. */
  readonly #turns = new Map<string, Turn<T>>();
  /** The devices that may be taken, in the order of their turns: of each partition, and the backlogged ones. */
  readonly #ready: readonly Turns<T>[];
  readonly #backlogged = new Turns<T>();
  /** What each of the partitions is writing. */
  readonly #busyWith: ('ready' | 'backlogged' | null)[];
  readonly #recent = new RecentDevices();
  readonly #costly = new Set<string>();
  readonly #now: () => number;

  /** `partitions`: besides that of backlogged devices, which is the last. `now`: clock, ms. */
  constructor(partitions: number, now: () => number = Date.now) {
    this.#ready = Array.from({ length: partitions }, () => new Turns<T>());
    this.#busyWith = this.#ready.map(() => null);
    this.#now = now;
  }

  push(message: T): void {
    let turn = this.#turns.get(message.deviceId);
    if (turn) turn.waiting.push(message);
    else {
      turn = new Turn(message, this.#ready.length);
      this.#turns.set(message.deviceId, turn);
    }
    turn.weight += message.weight;
    if (!turn.isUnderWay) this.#enqueue(turn);
  }

  /** The next batch of a partition, whose last one is written; empty if nothing waits for it. */
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

  /** Messages that were taken are written. Their devices have their next turn. */
  finish(messages: readonly T[]): void {
    for (const { deviceId } of messages) {
      const turn = this.#turns.get(deviceId);
      if (!turn?.isUnderWay) continue;
      turn.isUnderWay = false;
      if (turn.waiting.length > 0) this.#enqueue(turn);
      else this.#turns.delete(deviceId);
    }
  }

  /** Whether devices send that are not backlogged, and were not while they have been sending. */
  areOthers(): boolean {
    return this.#recent.areOthers(this.#now());
  }

  /** Treats a device as backlogged from now on, however little it sends: what is written of it costs much. */
  setApart(deviceId: string): void {
    if (this.#costly.size >= MAX_COSTLY) this.#costly.clear();
    this.#costly.add(deviceId);
  }

  #enqueue(turn: Turn<T>): void {
    // What made it a backlogged one may be evicted: it stays until its turn.
    if (this.#backlogged.has(turn)) return;
    const home = this.#ready[turn.home] as Turns<T>;
    if (turn.weight <= BACKLOG && !this.#costly.has(turn.deviceId)) home.add(turn);
    else {
      home.delete(turn);
      this.#backlogged.add(turn);
    }
  }

  /** The batch of the last partition: of a neighbour whose partition writes a backlogged device, or of backlogged devices. */
  #takeBacklogged(): Batch<T> {
    const home = this.#busyWith.findIndex(
      (kind, index) => kind === 'backlogged' && (this.#ready[index]?.size ?? 0) > 0,
    );
    if (home !== -1) return this.#takeReady(home);
    if (this.areOthers()) return this.#batchOf(this.#backlogged, MAX_BATCH, SHARE.amongOthers);
    return this.#busyWith.every((kind) => kind === null) ? this.#takeAlone() : NOTHING;
  }

  #takeReady(home: number): Batch<T> {
    return this.#batchOf(this.#ready[home] as Turns<T>, MAX_READY, Number.POSITIVE_INFINITY);
  }

  #takeAlone(): Batch<T> {
    return this.#batchOf(this.#backlogged, MAX_BATCH, Math.max(SHARE.alone, MAX_BATCH / this.#backlogged.size));
  }

  /** A batch of devices, each with its share of the weight: first an account's part of each, then more of those that have more. */
  #batchOf(from: Turns<T>, maxWeight: number, share: number): Batch<T> {
    const batch = new BatchBuilder<T>(maxWeight);
    const isBacklogged = from === this.#backlogged;
    const onTaken = (turn: Turn<T>) => {
      from.delete(turn);
      turn.isUnderWay = true;
      if (batch.devices <= SAMPLE) this.#recent.note(turn.deviceId, isBacklogged, this.#now());
    };
    for (const most of [Math.max(BACKLOG, MAX_BATCH / from.accounts), Number.POSITIVE_INFINITY])
      if (from.size > 0) from.round((turns) => batch.takeAccount(turns, { most, share }, onTaken));
    return { messages: batch.messages, isBacklogged };
  }
}
