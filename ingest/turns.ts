import { fnv1a } from '#src/core/fnv1a.ts';

/** For so long after its last batch a device counts as sending, and as backlogged: most meters send every ten seconds. */
const SENDING_MS = 10_000;
/** Number of sending devices that are looked at, the last ones. If fewer than a quarter of them are not backlogged, nearly all are, as after an outage. */
export const SAMPLE = 64;
const OTHERS_SHARE = 0.25;

/** A message that waits, as far as its turn depends on it. */
export interface Queued {
  /** What its device, or gateway, is called: these are written in the order in which they came. */
  deviceId: string;
  /** Which account its device counts to: accounts have their turns, and devices have them within their accounts. */
  account: string;
  /** Bytes of memory that it takes. */
  bytes: number;
  /** How many elements it has to be written, about; one at least. */
  weight: number;
}

/** The messages of a device that are pending, and whether a batch of them is being written. */
export class Turn<T extends Queued> {
  readonly deviceId: string;
  readonly account: string;
  /** Partition by its name. */
  readonly home: number;
  // An array that is created empty, and pushed to, has room for 17.
  waiting: T[];
  weight = 0;
  isUnderWay = false;

  constructor(first: T, partitions: number) {
    this.deviceId = first.deviceId;
    this.account = first.account;
    this.home = fnv1a(first.deviceId) % partitions;
    this.waiting = [first];
  }

  /** Takes messages from the front, up to a weight, so many bytes and so many messages: the first one in any case if `mustTake`. */
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

/** Devices that may be taken, by account: accounts in the order of their turns, and within them devices. */
export class Turns<T extends Queued> {
  readonly #byAccount = new Map<string, Set<Turn<T>>>();
  size = 0;

  get accounts(): number {
    return this.#byAccount.size;
  }

  has(turn: Turn<T>): boolean {
    return this.#byAccount.get(turn.account)?.has(turn) ?? false;
  }

  add(turn: Turn<T>): void {
    const ofAccount = this.#byAccount.get(turn.account);
    if (ofAccount?.has(turn)) return;
    this.size++;
    if (ofAccount) ofAccount.add(turn);
    else this.#byAccount.set(turn.account, new Set([turn]));
  }

  delete(turn: Turn<T>): void {
    const ofAccount = this.#byAccount.get(turn.account);
    if (!ofAccount?.delete(turn)) return;
    this.size--;
    if (ofAccount.size === 0) this.#byAccount.delete(turn.account);
  }

  /**
   * Offers each account's devices to `take`, until that answers `full`. An account of which it took `some` and that has more is the last one next time;
   * one of which it could take nothing keeps its place.
   */
  round(take: (devices: Iterable<Turn<T>>) => { some: boolean; full: boolean }): void {
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

/** The devices whose turn it was last: when that was, and when they were backlogged. The latest is the last. */
export class RecentDevices {
  readonly #last = new Map<string, { atMs: number; backloggedAtMs: number }>();

  note(deviceId: string, isBacklogged: boolean, atMs: number): void {
    const before = this.#last.get(deviceId)?.backloggedAtMs ?? Number.NEGATIVE_INFINITY;
    this.#last.delete(deviceId);
    this.#last.set(deviceId, { atMs, backloggedAtMs: isBacklogged ? atMs : before });
    if (this.#last.size > SAMPLE) this.#last.delete(this.#last.keys().next().value as string);
  }

  /** Whether at least a quarter of the devices that send are not backlogged, and were not while they have been sending. */
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
