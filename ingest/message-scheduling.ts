import { hashFnv1a } from '#src/core/fnv1a.ts';

/** A device counts as sending for this time (ms) after its last batch. */
const SENDING_MS = 10_000;
/** Number of most recent senders that are examined to estimate how many devices are backlogged. */
export const MAX_SAMPLED_SENDERS = 64;
const OTHERS_SHARE = 0.25;

/** A pending message, with the fields that are needed for scheduling. */
export interface QueuedMessage {
  /** Id of the device or gateway. Its messages are written in order of arrival. */
  deviceId: string;
  /** Account of the device. Accounts take turns. */
  account: string;
  /** Memory of the message, in bytes. */
  bytes: number;
  /** Approximate number of readings in the message; at least one. */
  weight: number;
}

export class PendingDeviceMessages<T extends QueuedMessage> {
  readonly deviceId: string;
  readonly account: string;
  /** Partition of the queue that writes the device's messages. */
  readonly home: number;
  // The array is created with its first element: adding an element to an empty array would allocate room for 17 elements.
  waiting: T[];
  weight = 0;
  isUnderWay = false;

  constructor(first: T, partitions: number) {
    this.deviceId = first.deviceId;
    this.account = first.account;
    this.home = hashFnv1a(first.deviceId) % partitions;
    this.waiting = [first];
  }

  /** Takes the oldest messages until one of the limits is reached. `mustTake`: takes at least one message, even beyond the limits. */
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

/** The devices that can be written next, by account. The order is that in which they are served. */
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
   * Calls `take` with the devices of each account until `take` returns `full`. An account from which messages were taken moves to the end
   * of the order.
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
 * The devices that were written most recently, oldest first. Each entry contains the time of the device's last batch, and the time of the
 * last batch during which the device was backlogged.
 */
export class RecentlyWrittenDevices {
  readonly #last = new Map<string, { atMs: number; backloggedAtMs: number }>();

  note(deviceId: string, isBacklogged: boolean, atMs: number): void {
    const before = this.#last.get(deviceId)?.backloggedAtMs ?? Number.NEGATIVE_INFINITY;
    this.#last.delete(deviceId);
    this.#last.set(deviceId, { atMs, backloggedAtMs: isBacklogged ? atMs : before });
    if (this.#last.size > MAX_SAMPLED_SENDERS) this.#last.delete(this.#last.keys().next().value as string);
  }

  /** Whether at least a quarter of the sending devices have no backlog, now and in the last seconds. */
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
