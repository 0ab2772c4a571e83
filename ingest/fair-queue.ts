import { fnv1a } from '#src/core/fnv1a.ts';

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

/** Most messages of a batch, how many elements where they are of devices that are behind, and about how many bytes of memory. */
const MAX_BATCH = 5_000;
const MAX_BATCH_BYTES = 16 * 2 ** 20;
/** A device of which more than so many elements wait is behind: a meter that sends every second has four minutes for it. */
const BEHIND = 250;
/**
 * Elements that each of those has in a batch, while others send: for so long these wait for the processor. Where none do, at least as many
 * as a batch of neighbours would have.
 */
const SHARE = { amidOthers: 100, alone: BEHIND };
/**
 * About so many elements has a batch of devices that are not behind, beyond what other accounts have in it: a neighbour that comes meanwhile waits for it. A batch of
 * 5,000 single readings is far from it.
 */
const MAX_READY = 20_000;
/** So long after its last batch a device counts as sending, and as one that was behind: most meters send every ten seconds. */
const SENDING_MS = 10_000;
/** So many of the devices that send are looked at, the last ones; others are a quarter of them, or nearly all are behind, as after an outage. */
const SAMPLE = 64;
const OTHERS_SHARE = 0.25;

/** Most devices that are remembered as costly; then they are found again. */
const MAX_COSTLY = 10_000;

const NOTHING: Batch<never> = { messages: [], isOfBehind: false };

interface Turn<T> {
  deviceId: string;
  account: string;
  /** Lane by its name. */
  home: number;
  waiting: T[];
  weight: number;
  isUnderWay: boolean;
}

/** Devices that may be taken, by account: accounts in the order of their turns, and within them devices. */
class Turns<T> {
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

/** What a lane writes in one transaction. */
interface Batch<T> {
  messages: T[];
  /** Whether it is of devices that are behind, and not of their neighbours. */
  isOfBehind: boolean;
}

/** Messages in the order of devices' turns. */
export interface FairQueue<T extends Queued> {
  push(message: T): void;
  /** The next batch of a lane, whose last one is written; empty where nothing waits for it. The lane for those behind is the last. */
  take(lane: number): Batch<T>;
  /** Messages that were taken are written. Their devices have their next turn. */
  finish(messages: readonly T[]): void;
  /** Whether devices send that are not behind, and were not while those have been sending. */
  areOthers(): boolean;
  /** Takes a device as one that is behind from now on, however little it sends: what is written of it costs much. */
  setApart(deviceId: string): void;
}

/**
 * Gives devices their turns, so that what one sends delays itself and not its neighbours. There are as many lanes as `lanes`, each of
 * which writes one batch at a time, and one more for devices that are behind: of which more waits than a batch of their neighbours
 * should have. A device has a lane by its name, is in one batch at a time, and its messages stay in their order. Where only such send
 * that are behind, as after an outage, the other lanes take them instead, and the one more is there for whoever sends little.
 * `now`: clock, ms.
 */
export function createFairQueue<T extends Queued>(lanes: number, now: () => number = Date.now): FairQueue<T> {
  /** Devices of which anything waits or is under way. */
  const turns = new Map<string, Turn<T>>();
  /** Those that may be taken, in the order of their turns: of each lane, and those that are behind. */
  const ready = Array.from({ length: lanes }, () => new Turns<T>());
  const behind = new Turns<T>();
  /** What each of the lanes is writing. */
  const busyWith: ('ready' | 'behind' | null)[] = ready.map(() => null);
  /** Of those whose turn it was last: when that was, and when they were behind. The latest is the last. */
  const last = new Map<string, { atMs: number; behindAtMs: number }>();

  const costly = new Set<string>();

  const isBehind = ({ weight, deviceId }: Turn<T>) => weight > BEHIND || costly.has(deviceId);
  function queue(turn: Turn<T>): void {
    // What made it one of those may be forgotten: it stays until its turn.
    if (behind.has(turn)) return;
    const home = ready[turn.home] as Turns<T>;
    if (!isBehind(turn)) home.add(turn);
    else {
      home.delete(turn);
      behind.add(turn);
    }
  }

  /** Takes messages from the front of a device's, up to a weight and so many bytes: the first one where `mustTake`. */
  function takeOf(turn: Turn<T>, weight: number, bytes: number, count: number, mustTake: boolean): T[] {
    let [length, takenWeight, takenBytes] = [0, 0, 0];
    for (const message of turn.waiting) {
      takenWeight += message.weight;
      takenBytes += message.bytes;
      const isTooMuch = takenWeight > weight || takenBytes > bytes;
      if (length === count || (isTooMuch && !(mustTake && length === 0))) break;
      length++;
    }
    const taken = length === turn.waiting.length ? turn.waiting : turn.waiting.slice(0, length);
    turn.waiting = length === turn.waiting.length ? [] : turn.waiting.slice(length);
    for (const message of taken) turn.weight -= message.weight;
    return taken;
  }

  /** A batch of devices, each with its share of the weight: first an account's part of each, then more of those that have more. */
  function batchOf(from: Turns<T>, maxWeight: number, share: number): Batch<T> {
    const messages: T[] = [];
    let [weight, bytes, devices] = [0, 0, 0];
    function takeFrom(turns: Iterable<Turn<T>>, most: number): { some: boolean; full: boolean } {
      const until = Math.min(maxWeight, weight + most);
      let some = false;
      for (const turn of turns) {
        const rest = Math.min(share, until - weight);
        const taken = takeOf(turn, rest, MAX_BATCH_BYTES - bytes, MAX_BATCH - messages.length, messages.length === 0);
        // What the account's part has no room for leaves the batch to the next one.
        if (taken.length === 0)
          return { some, full: until === maxWeight || weight + (turn.waiting[0]?.weight ?? 0) <= until };
        some = true;
        from.delete(turn);
        turn.isUnderWay = true;
        if (++devices <= SAMPLE) note(turn.deviceId, from === behind);
        for (const message of taken) {
          weight += message.weight;
          bytes += message.bytes;
          messages.push(message);
        }
      }
      return { some, full: weight >= maxWeight || messages.length >= MAX_BATCH };
    }
    for (const most of [Math.max(BEHIND, MAX_BATCH / from.accounts), Number.POSITIVE_INFINITY])
      if (from.size > 0) from.round((turns) => takeFrom(turns, most));
    return { messages, isOfBehind: from === behind };
  }

  function note(deviceId: string, isOfBehind: boolean): void {
    const atMs = now();
    const behindAtMs = isOfBehind ? atMs : (last.get(deviceId)?.behindAtMs ?? Number.NEGATIVE_INFINITY);
    last.delete(deviceId);
    last.set(deviceId, { atMs, behindAtMs });
    if (last.size > SAMPLE) last.delete(last.keys().next().value as string);
  }

  function areOthers(): boolean {
    const fromMs = now() - SENDING_MS;
    let [sending, others] = [0, 0];
    for (const { atMs, behindAtMs } of last.values()) {
      if (atMs <= fromMs) continue;
      sending++;
      if (behindAtMs <= fromMs) others++;
    }
    return others > 0 && others >= OTHERS_SHARE * sending;
  }

  const takeReady = (home: number): Batch<T> => batchOf(ready[home] as Turns<T>, MAX_READY, Number.POSITIVE_INFINITY);

  const batchAlone = () => batchOf(behind, MAX_BATCH, Math.max(SHARE.alone, MAX_BATCH / behind.size));

  return {
    push(message) {
      const { deviceId, account, weight } = message;
      let turn = turns.get(deviceId);
      if (!turn) {
        // What an empty array is pushed to has room for 17.
        turn = { deviceId, account, home: fnv1a(deviceId) % lanes, waiting: [message], weight: 0, isUnderWay: false };
        turns.set(deviceId, turn);
      } else turn.waiting.push(message);
      turn.weight += weight;
      if (!turn.isUnderWay) queue(turn);
    },
    take(lane) {
      if (lane === lanes) {
        const home = busyWith.findIndex((kind, index) => kind === 'behind' && (ready[index]?.size ?? 0) > 0);
        if (home !== -1) return takeReady(home);
        if (areOthers()) return batchOf(behind, MAX_BATCH, SHARE.amidOthers);
        return busyWith.every((kind) => kind === null) ? batchAlone() : NOTHING;
      }
      if (ready[lane]?.size) {
        busyWith[lane] = 'ready';
        return takeReady(lane);
      }
      const batch = areOthers() ? NOTHING : batchAlone();
      busyWith[lane] = batch.messages.length > 0 ? 'behind' : null;
      return batch;
    },
    finish(messages) {
      for (const { deviceId } of messages) {
        const turn = turns.get(deviceId);
        if (!turn?.isUnderWay) continue;
        turn.isUnderWay = false;
        if (turn.waiting.length > 0) queue(turn);
        else turns.delete(deviceId);
      }
    },
    areOthers,
    setApart(deviceId) {
      if (costly.size >= MAX_COSTLY) costly.clear();
      costly.add(deviceId);
    },
  };
}
