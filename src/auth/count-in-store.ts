import { FAILED_ATTEMPT_LIMITS, type RequestBatchResult } from './request-counter.ts';
import {
  computeRemainingRequests,
  decideOnRequests,
  type RequestCounters,
  type RequestWindowDecision,
  type RequestWindowLimits,
  uncountRequest,
  ZERO_COUNTERS,
} from './request-windows.ts';

interface Kept {
  counters: RequestCounters;
  /** Plan of the account or of the device's owner, which determines the request limits. Null for counters of addresses and keys. */
  plan: string | null;
}

export interface RequestCounterChange extends Pick<RequestWindowDecision, 'least' | 'most' | 'add'> {
  key: string;
  plan: string | null;
}

/** Store of request counters that all processes share. */
export interface RequestCounterStore {
  /**
   * Increases the counters of each key atomically, if they lie between `least` and `most` and the plan is unchanged. Returns the
   * stored counters and whether they were changed, in the order of `changes`.
   */
  add(changes: readonly RequestCounterChange[]): Promise<(Kept & { isDone: boolean })[]>;
}

/** Maximum number of accounts and addresses whose counters a process caches. */
const REMEMBERED = 10_000;

/**
 * Limits of a counter `key:…`, which counts the refused requests of a device's key. It allows no requests; many refusals suspend the key.
 */
const REFUSALS_ONLY: RequestWindowLimits = { minute: 0, day: 0 };

/** Returns the limits that apply to a counter. Requests with keys of a single device have a limit per minute but none per day. */
function limitsOf(plans: Record<string, RequestWindowLimits>, key: string, plan: string | null): RequestWindowLimits {
  if (key.startsWith('key:')) return REFUSALS_ONLY;
  const limits = plans[plan ?? 'address'] ?? FAILED_ATTEMPT_LIMITS;
  return key.startsWith('device:') ? { ...limits, day: FAILED_ATTEMPT_LIMITS.day } : limits;
}

/**
 * Counts requests that several processes receive. Each process decides by its cached counters, and decides again if the stored
 * counters lead to another decision. A count of -1 takes back a counted request. `plans`: limits by plan, and limits of addresses
 * (`address`).
 */
export function createBatchCounterWithStore(
  plans: Record<string, RequestWindowLimits>,
  clock: () => Date,
): (
  store: RequestCounterStore,
  keys: readonly string[],
  counts: readonly number[],
  weight: number,
) => Promise<RequestBatchResult[]> {
  const seen = new Map<string, Kept>();
  const remember = (key: string, kept: Kept) => {
    seen.delete(key);
    seen.set(key, kept);
    const [oldest] = seen.keys();
    if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
  };

  return async (store, keys, counts, weight) => {
    const nowMs = clock().getTime();
    const done: RequestBatchResult[] = [];
    let open = keys.map((key, index) => ({ key, wanted: counts[index] ?? 0 }));
    while (open.length > 0) {
      const tries = open.map(({ key, wanted }) => {
        const { counters, plan } = seen.get(key) ?? { counters: ZERO_COUNTERS, plan: null };
        const limits = limitsOf(plans, key, plan);
        const rules = { limits, nowMs, canBeSuspended: !/^(?:addr|device):/.test(key), weight };
        const decided = wanted < 0 ? uncountRequest(counters, rules) : decideOnRequests(counters, wanted, rules);
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
        else
          done.push({
            counted: key,
            granted,
            limits,
            remaining: computeRemainingRequests(kept.counters, { limits, nowMs }),
          });
      }
    }
    return done;
  };
}
