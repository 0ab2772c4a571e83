import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RemainingRequests, WindowLimits } from './request-windows.ts';

export type { WindowLimits as Limits } from './request-windows.ts';

interface Window {
  limit: number;
  left: number;
  resetsInSeconds: number;
}

/** Whether a request is allowed, and the remaining quota of its account. */
export interface RequestDecision {
  allowed: boolean;
  /** The minute and the day of the account's requests; null if the request could not be counted. */
  windows: { minute: Window; day: Window } | null;
  /** Seconds until a retry can succeed; 0 if the request is allowed. If both limits are reached, this is the longer of the two times. */
  retryAfterSeconds: number;
}

/**
 * Counts requests across all processes, under the name that `counted` contains: an account (its id), the keys of a device (`device:…`) or
 * an app in a home (`app:home:app`). Also counts refused requests with a device's key (`key:…`) and failed authentications from an address
 * (`addr:…`).
 */
export interface RequestCounter {
  /**
   * Counts a request. `weight`: number of requests for which this request counts (default 1). Either the whole weight is granted or
   * nothing.
   */
  take(counted: string, weight?: number): Promise<RequestDecision>;
  /** Takes back a request that was just counted, because the limits turned out not to apply to it. */
  giveBack(counted: string): Promise<void>;
  /** Returns the remaining seconds of a suspension. Does not count a request. */
  suspendedForSeconds(counted: string): Promise<number>;
  /** Returns those of the given accounts that are currently suspended, in one query without writes. */
  suspended(counted: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Result of counting several requests of one account together. `counted`: name under which the requests are counted. */
export interface RequestBatchResult {
  counted: string;
  granted: number;
  limits: WindowLimits;
  remaining: RemainingRequests;
}

/**
 * Counts requests: `counts` contains the number of requests for each of the keys, and each request counts for `weight` requests. Returns
 * null if counting is impossible; all requests are then allowed.
 */
export type RequestBatchCounter = (
  keys: string[],
  counts: number[],
  weight: number,
) => Promise<RequestBatchResult[] | null>;

/** Limits for failed authentications and refused claims of devices from one network address. */
export const ADDRESS_LIMITS: WindowLimits = { minute: 10, day: 1_000_000_000 };

const UNCOUNTED: RequestDecision = { allowed: true, windows: null, retryAfterSeconds: 0 };

/** Requests of one weight that wait to be counted, by the name of their counter. */
type WaitingRequests = Map<string, { resolve(decision: RequestDecision): void; reject(error: unknown): void }[]>;

/**
 * Length of the pause after a query that counts requests, as a multiple of the query's duration. A query takes half a millisecond if the
 * database is idle, and ten times as long if the database is busy. The pause is therefore long only if the database is busy.
 */
const PAUSE_FACTOR = 3;
/** Maximum length of the pause in ms. It is short, because waiting requests are delayed by the pause. */
const MAX_PAUSE_MS = 20;

/**
 * Counts requests in batches: requests that arrive during a query, or during the pause after it, are counted together by the next query,
 * one query for each weight. Even a busy process therefore runs one small query at a time, for about a quarter of the time, whatever the
 * number of requests.
 */
export function createBatchingRequestCounter(
  countTogether: RequestBatchCounter,
  suspended: RequestCounter['suspended'],
): RequestCounter {
  const waiting = new Map<number, WaitingRequests>();
  let isUnderWay = false;

  async function run(): Promise<void> {
    do {
      // Lets the process read the requests that have already arrived, so that they are counted together.
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

/** Returns the decision for the request at `index` among requests that were counted together. Pure. */
function decisionOf(
  { granted, limits, remaining }: RequestBatchResult,
  index: number,
  weight: number,
): RequestDecision {
  const { minuteLeft, minuteWaitMs, dayLeft, dayWaitMs, suspendedWaitMs } = remaining;
  const allowed = index < granted;
  // The remaining quota reported for this request does not include later requests of the same batch.
  const later = allowed ? (granted - index - 1) * weight : 0;
  const minute = { limit: limits.minute, left: minuteLeft + later, resetsInSeconds: Math.ceil(minuteWaitMs / 1_000) };
  const day = { limit: limits.day, left: dayLeft + later, resetsInSeconds: Math.ceil(dayWaitMs / 1_000) };
  const waitMs = Math.max(suspendedWaitMs, minuteLeft < weight ? minuteWaitMs : 0, dayLeft < weight ? dayWaitMs : 0);
  return { allowed, windows: { minute, day }, retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(waitMs / 1_000)) };
}

/** Returns an IPv4 address unchanged. For an IPv6 address, returns its /64 network, because such a network belongs to one subscriber. */
export function getNetworkOfAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const [left, right] = [head, tail].map((half) => (half === '' ? [] : half.split(':')));
  const zeros = address.includes('::')
    ? Array(Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))).fill('0')
    : [];
  return [...(left ?? []), ...zeros, ...(right ?? [])].slice(0, 4).join(':');
}
