import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RemainingRequests, RequestWindowLimits } from './request-windows.ts';

export type { RequestWindowLimits as Limits } from './request-windows.ts';

interface Window {
  limit: number;
  left: number;
  resetsInSeconds: number;
}

/** Whether a request is allowed, and the remaining quota of its account. */
export interface RequestDecision {
  allowed: boolean;
  /** The current minute and day of the account; null if the request could not be counted. */
  windows: { minute: Window; day: Window } | null;
  /** Seconds until a retry can succeed; 0 if the request is allowed. */
  retryAfterSeconds: number;
}

/**
 * Counts requests of all processes. `counted` names the counter: an account (its id), the keys of a device (`device:…`), or an
 * app in a home (`app:home:app`); for refusals also a device's key (`key:…`) or an address (`addr:…`).
 */
export interface RequestCounter {
  /**
   * Counts a request. `weight`: number of requests that this request counts as (default 1). It is allowed only if the whole
   * weight is available.
   */
  take(counted: string, weight?: number): Promise<RequestDecision>;
  /** Takes back a request that was counted although the limits do not apply to it. */
  giveBack(counted: string): Promise<void>;
  /** Returns the remaining seconds of a suspension. Does not count a request. */
  suspendedForSeconds(counted: string): Promise<number>;
  /** Returns the given accounts that are currently suspended. */
  suspended(counted: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Result of counting several requests together. `counted`: name of their counter. */
export interface RequestBatchResult {
  counted: string;
  granted: number;
  limits: RequestWindowLimits;
  remaining: RemainingRequests;
}

/**
 * Counts requests. `counts` contains the number of requests for each key; each of them counts as `weight` requests. Returns null
 * if counting is impossible; all requests are then allowed.
 */
export type RequestBatchCounter = (
  keys: string[],
  counts: number[],
  weight: number,
) => Promise<RequestBatchResult[] | null>;

/** Limits for failed authentications and refused claims of devices from one network address. */
export const FAILED_ATTEMPT_LIMITS: RequestWindowLimits = { minute: 10, day: 1_000_000_000 };

const UNCOUNTED: RequestDecision = { allowed: true, windows: null, retryAfterSeconds: 0 };

/** Requests that wait to be counted, by the name of their counter. All of them have the same weight. */
type WaitingRequests = Map<string, { resolve(decision: RequestDecision): void; reject(error: unknown): void }[]>;

/**
 * Length of the pause after a query, as a multiple of the query's duration. A busy database needs longer for a query, so the
 * pause is longer only if the database is busy.
 */
const PAUSE_FACTOR = 3;
/** Maximum length of the pause in ms. */
const MAX_PAUSE_MS = 20;

/**
 * Counts requests in batches. Requests that arrive during a query, or during the pause after it, are counted together by the next
 * query. Even a busy process therefore sends one small query at a time.
 */
export function createBatchingRequestCounter(
  countTogether: RequestBatchCounter,
  suspended: RequestCounter['suspended'],
): RequestCounter {
  const waiting = new Map<number, WaitingRequests>();
  let isUnderWay = false;

  async function run(): Promise<void> {
    do {
      // Waits until requests that have already arrived are read.
      await setImmediate();
      const fromMs = performance.now();
      const batches = [...waiting];
      waiting.clear();
      for (const [weight, batch] of batches) await countBatch(countTogether, batch, weight);
      await setTimeout(Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (performance.now() - fromMs)));
    } while (waiting.size > 0);
    isUnderWay = false;
  }

  return {
    take: (counted, weight = 1) =>
      new Promise((resolve, reject) => {
        const ofWeight: WaitingRequests = waiting.get(weight) ?? new Map();
        waiting.set(weight, ofWeight);
        const asked = ofWeight.get(counted);
        if (asked) asked.push({ resolve, reject });
        else ofWeight.set(counted, [{ resolve, reject }]);
        if (!isUnderWay) {
          isUnderWay = true;
          void run();
        }
      }),
    async giveBack(counted) {
      await countTogether([counted], [-1], 1);
    },
    async suspendedForSeconds(counted) {
      const rows = await countTogether([counted], [0], 1);
      return (rows?.[0]?.remaining.suspendedWaitMs ?? 0) / 1_000;
    },
    suspended,
  };
}

async function countBatch(countTogether: RequestBatchCounter, batch: WaitingRequests, weight: number): Promise<void> {
  const requests = [...batch.values()];
  try {
    const counts = requests.map(({ length }) => length);
    const rows = await countTogether([...batch.keys()], counts, weight);
    if (rows === null) for (const one of requests.flat()) one.resolve(UNCOUNTED);
    for (const row of rows ?? []) {
      const asked = batch.get(row.counted) ?? [];
      for (const [index, one] of asked.entries()) one.resolve(decisionOf(row, index, weight));
    }
  } catch (error) {
    for (const one of requests.flat()) one.reject(error);
  }
}

/** Returns the decision for the request at `index` among requests that were counted together. */
function decisionOf(
  { granted, limits, remaining }: RequestBatchResult,
  index: number,
  weight: number,
): RequestDecision {
  const { minuteLeft, minuteWaitMs, dayLeft, dayWaitMs, suspendedWaitMs } = remaining;
  const allowed = index < granted;
  // Later requests of the batch must not reduce the remaining quota that is reported for this request.
  const later = allowed ? (granted - index - 1) * weight : 0;
  const minute = { limit: limits.minute, left: minuteLeft + later, resetsInSeconds: Math.ceil(minuteWaitMs / 1_000) };
  const day = { limit: limits.day, left: dayLeft + later, resetsInSeconds: Math.ceil(dayWaitMs / 1_000) };
  const waitMs = Math.max(suspendedWaitMs, minuteLeft < weight ? minuteWaitMs : 0, dayLeft < weight ? dayWaitMs : 0);
  return { allowed, windows: { minute, day }, retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(waitMs / 1_000)) };
}

/** Returns an IPv4 address unchanged, and the /64 network of an IPv6 address. A /64 network belongs to one subscriber. */
export function getNetworkOfAddress(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const [left, right] = [head, tail].map((half) => (half === '' ? [] : half.split(':')));
  const zeros = address.includes('::')
    ? Array(Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))).fill('0')
    : [];
  return [...(left ?? []), ...zeros, ...(right ?? [])].slice(0, 4).join(':');
}
