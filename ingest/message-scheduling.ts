import { hashFnv1a } from '#src/core/fnv1a.ts';

/**
 * A device counts as sending for this time (ms) after its last batch. If it was backlogged in that batch, it counts as backlogged for the
 * same time. Most meters send every ten seconds.
 */
const SENDING_MS = 10_000;
/**
 * Number of devices that sent most recently and are examined. If fewer than a quarter of them have no backlog, the queue assumes that
 * nearly all devices are backlogged, as after an outage.
 */
export const MAX_SAMPLED_SENDERS = 64;
const OTHERS_SHARE = 0.25;

/** A pending message, with the fields that are needed for scheduling. */
export interface QueuedMessage {
  /** Id of the device or gateway. Messages with the same id are written in order of arrival. */
  deviceId: string;
  /** Account of the device. Accounts are served in turn and, within an account, its devices. */
  account: string;
  /** Memory of the message, in bytes. */
  bytes: number;
  /** Approximate number of elements in the message; at least one. */
  weight: number;
}

/** The pending messages of a device, and whether a batch of them is being written. */
export class PendingDeviceMessages<T extends QueuedMessage> {
  readonly deviceId: string;
  readonly account: string;
  /** The partition that writes the device's messages. It is determined by the id of the device. */
  readonly home: number;
  // The array is created with its first element, because adding an element to an empty array would allocate room for 17 elements.
  waiting: T[];
  weight = 0;
  isUnderWay = false;

  constructor(first: T, partitions: number) {
    this.deviceId = first.deviceId;
    this.account = first.account;
    this.home = hashFnv1a(first.deviceId) % partitions;
    this.waiting = [first];
  }

  /**
   * Takes messages from the front of the list until a weight, a number of bytes or a number of messages is reached. `mustTake`: whether at
   * least one message is taken.
   */
  take(max: { weight: number; bytes: number; count: number }, mustTake: boolean): T[] {
    let [length, weight, bytes] = [0, 0, 0];
    for (const message of this.waiting) {
      weight += message.weight;
      bytes += message.bytes;
      const isTooMuch = weight > max.weight || bytes > max.bytes;
      if (length === max.count || (isTooMuch && !(mustTake && length === 0))) break;
      length++;
    }
    const taken = length === this.waiting.length ? this.waiting : this.waiting.slice(0, length);
    this.waiting = length === this.waiting.length ? [] : this.waiting.slice(length);
    for (const message of taken) this.weight -= message.weight;
    return taken;
  }
}

/** Devices that are ready to be written, by account. Accounts, and the devices of an account, are in the order in which they are served. */
export class ReadyDevices<T extends QueuedMessage> {
  readonly #byAccount = new Map<string, Set<PendingDeviceMessages<T>>>();
  size = 0;

  get accounts(): number {
    return this.#byAccount.size;
  }

  has(turn: PendingDeviceMessages<T>): boolean {
    return this.#byAccount.get(turn.account)?.has(turn) ?? false;
  }

  add(turn: PendingDeviceMessages<T>): void {
    const ofAccount = this.#byAccount.get(turn.account);
    if (ofAccount?.has(turn)) return;
    this.size++;
    if (ofAccount) ofAccount.add(turn);
    else this.#byAccount.set(turn.account, new Set([turn]));
  }

  delete(turn: PendingDeviceMessages<T>): void {
    const ofAccount = this.#byAccount.get(turn.account);
    if (!ofAccount?.delete(turn)) return;
    this.size--;
    if (ofAccount.size === 0) this.#byAccount.delete(turn.account);
  }

  /**
   * Offers the devices of each account to `take` until `take` returns `full`. If `take` took messages of an account (`some`) and the
   * account has more, the account moves to the end. If it took none, the account keeps its position.
   */
  round(take: (devices: Iterable<PendingDeviceMessages<T>>) => { some: boolean; full: boolean }): void {
    const served: string[] = [];
    for (const [account, devices] of this.#byAccount) {
      const { some, full } = take(devices);
      if (some) served.push(account);
      if (full) break;
    }
    for (const account of served) {
      const devices = this.#byAccount.get(account);
      if (!devices) continue;
      this.#byAccount.delete(account);
      this.#byAccount.set(account, devices);
    }
  }
}

/**
 * The devices that were written most recently, each with the time of its last batch and of its last batch while backlogged. They are in
 * order of time; the latest is the last.
 */
export class RecentlyWrittenDevices {
  readonly #last = new Map<string, { atMs: number; backloggedAtMs: number }>();

  note(deviceId: string, isBacklogged: boolean, atMs: number): void {
    const before = this.#last.get(deviceId)?.backloggedAtMs ?? Number.NEGATIVE_INFINITY;
    this.#last.delete(deviceId);
    this.#last.set(deviceId, { atMs, backloggedAtMs: isBacklogged ? atMs : before });
    if (this.#last.size > MAX_SAMPLED_SENDERS) this.#last.delete(this.#last.keys().next().value as string);
  }

  /** Whether at least a quarter of the devices that are sending are not backlogged and were not backlogged recently. */
  areOthers(nowMs: number): boolean {
    const fromMs = nowMs - SENDING_MS;
    let [sending, others] = [0, 0];
    for (const { atMs, backloggedAtMs } of this.#last.values()) {
      if (atMs <= fromMs) continue;
      sending++;
      if (backloggedAtMs <= fromMs) others++;
    }
    return others > 0 && others >= OTHERS_SHARE * sending;
  }
}
