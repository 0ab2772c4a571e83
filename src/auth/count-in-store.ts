import { ADDRESS, type Counted } from './request-counter.ts';
import {
  type Counters,
  type Decided,
  giveBack,
  type Limits,
  NOTHING,
  remaining,
  takeRequests,
} from './request-windows.ts';

/** What a store has of an account or address. */
interface Kept {
  counters: Counters;
  /** The account's; null of an address. */
  plan: string | null;
}

export interface Change extends Pick<Decided, 'least' | 'most' | 'add'> {
  key: string;
  /** The plan that was decided by. */
  plan: string | null;
}

/** Where counters are, for all processes. */
export interface CounterStore {
  /**
   * Adds to the counters of each key, in one step, where they lie from `least` to `most` and the plan is still the same. Answers, in
   * the order of the changes, what is there now, and whether it was added to.
   */
  add(changes: readonly Change[]): Promise<(Kept & { isDone: boolean })[]>;
}

/** Accounts and addresses of which a process remembers what it saw last. */
const REMEMBERED = 10_000;

/**
 * Counts by the one decision (request-windows.ts), over any number of processes: decides on what this process saw last, and again on
 * what is there where that is of another kind. It is only where a window begins or ends; mostly a batch costs one statement. Of
 * several processes that decide at once one always goes on; so each does. A count of -1 gives one back. `plans`: limits by plan, and of `address`.
 */
export function countInStore(
  plans: Record<string, Limits>,
  clock: () => Date,
): (store: CounterStore, keys: readonly string[], counts: readonly number[]) => Promise<Counted[]> {
  const seen = new Map<string, Kept>();
  const remember = (key: string, kept: Kept) => {
    seen.delete(key);
    seen.set(key, kept);
    const [oldest] = seen.keys();
    if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
  };

  return async (store, keys, counts) => {
    const nowMs = clock().getTime();
    const done: Counted[] = [];
    let open = keys.map((key, index) => ({ key, wanted: counts[index] ?? 0 }));
    while (open.length > 0) {
      const tries = open.map(({ key, wanted }) => {
        const { counters, plan } = seen.get(key) ?? { counters: NOTHING, plan: null };
        const limits = plans[plan ?? 'address'] ?? ADDRESS;
        const canBeSuspended = !key.startsWith('addr:');
        const rules = { limits, nowMs, canBeSuspended };
        const decided = wanted < 0 ? giveBack(counters, rules) : takeRequests(counters, wanted, rules);
        return { key, wanted, plan, limits, ...decided };
      });
      const answers = await store.add(tries);
      open = [];
      for (const [index, { key, wanted, granted, limits }] of tries.entries()) {
        const answer = answers[index];
        if (!answer) throw new Error(`the store of counters has no answer for ${key}`);
        const { isDone, ...kept } = answer;
        remember(key, kept);
        if (!isDone) open.push({ key, wanted });
        else done.push({ counted: key, granted, limits, remaining: remaining(kept.counters, { limits, nowMs }) });
      }
    }
    return done;
  };
}
