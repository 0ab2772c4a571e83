import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';

/** Rule for suspensions: after `most` refused requests within `withinMs`, an account or key is suspended for `suspendedMs`. */
const REFUSALS = { most: 1_000, withinMs: 600_000, suspendedMs: 900_000 };
/** Maximum time in ms until a suspension ends. It includes a minute, by which the clocks of processes may differ. */
const MAX_SUSPENSION_MS = REFUSALS.suspendedMs + MINUTE_MS;

/** Maximum number of requests in a minute and in a UTC day. */
export interface RequestWindowLimits {
  minute: number;
  day: number;
}

/** Counters of the requests of an account, or of the failed authentications from an address. Times are in Unix ms. */
export interface RequestCounters {
  minuteFromMs: number;
  minuteCount: number;
  /** Start of the UTC day whose requests are counted. */
  dayFromMs: number;
  dayCount: number;
  /** Start of the period of at most ten minutes in which refused requests are counted. */
  deniedFromMs: number;
  deniedCount: number;
  suspendedUntilMs: number;
}

export const ZERO_COUNTERS: RequestCounters = {
  minuteFromMs: 0,
  minuteCount: 0,
  dayFromMs: 0,
  dayCount: 0,
  deniedFromMs: 0,
  deniedCount: 0,
  suspendedUntilMs: 0,
};
const NAMES = Object.keys(ZERO_COUNTERS) as (keyof RequestCounters)[];
/** A bound that no counter ever exceeds. */
export const NO_REQUEST_LIMIT = Number.MAX_SAFE_INTEGER;

/** Converts counters to an array of numbers in the order of `ZERO_COUNTERS`. `missing`: number for omitted counters. */
export const encodeCounters = (counters: Partial<RequestCounters>, missing: number): number[] =>
  NAMES.map((name) => counters[name] ?? missing);

export function decodeCounters(numbers: readonly number[]): RequestCounters {
  const counters = { ...ZERO_COUNTERS };
  for (const [index, name] of NAMES.entries()) counters[name] = numbers[index] ?? 0;
  return counters;
}

/** A decision on requests that are counted together. It is valid only while the counters lie in the given range. */
export interface RequestWindowDecision {
  /** Number of allowed requests. */
  granted: number;
  /** Lowest counters for which the decision stays the same. `most`: the highest counters. */
  least: Partial<RequestCounters>;
  most: Partial<RequestCounters>;
  add: Partial<RequestCounters>;
}

interface RequestLimits {
  limits: RequestWindowLimits;
  nowMs: number;
  /** Whether many refused requests suspend the account or key. False for addresses. */
  canBeSuspended: boolean;
  /** Number of requests that each request counts as (default 1). */
  weight?: number;
}

/**
 * Decides on several requests at once, by two windows: a minute that starts with its first request, and the UTC day. A refused
 * request is counted in neither window. A window that starts more than a minute in the future was opened by a wrong clock and is
 * replaced.
 */
export function decideOnRequests(
  known: RequestCounters,
  wanted: number,
  { limits, nowMs, canBeSuspended, weight = 1 }: RequestLimits,
): RequestWindowDecision {
  if (isSuspended(known, nowMs)) {
    const most = { suspendedUntilMs: nowMs + MAX_SUSPENSION_MS };
    return { granted: 0, least: { suspendedUntilMs: nowMs + 1 }, most, add: {} };
  }
  const now = opened(known, nowMs);
  const room = Math.floor(Math.min(limits.minute - now.minuteCount, limits.day - now.dayCount) / weight);
  const granted = Math.max(0, Math.min(wanted, room));
  const refused = canBeSuspended ? wanted - granted : 0;
  // The decision is valid for all counters between `least` and `most`.
  const isOfWrongClock = known.suspendedUntilMs > nowMs;
  const least = {
    minuteFromMs: nowMs - MINUTE_MS + 1,
    dayFromMs: known.dayFromMs,
    ...(isOfWrongClock ? { suspendedUntilMs: nowMs + MAX_SUSPENSION_MS + 1 } : {}),
  };
  const most = {
    minuteFromMs: nowMs + MINUTE_MS - 1,
    dayFromMs: known.dayFromMs,
    ...(isOfWrongClock ? {} : { suspendedUntilMs: nowMs }),
  };
  if (now === known && room >= wanted) {
    const added = wanted * weight;
    const counts = { minuteCount: limits.minute - added, dayCount: limits.day - added };
    return { granted, least, most: { ...most, ...counts }, add: { minuteCount: added, dayCount: added } };
  }
  if (now === known && room <= 0) {
    // If the count of the minute or of the day has reached this number, a request of this weight is refused.
    const [ofMinute, ofDay] = [limits.minute - weight + 1, limits.day - weight + 1];
    const full = known.minuteCount >= ofMinute ? { minuteCount: ofMinute } : { dayCount: ofDay };
    if (refused === 0) return { granted, least: { ...least, ...full }, most, add: {} };
    const { deniedFromMs, deniedCount } = known;
    const isOneMore = isDenying(known, nowMs) && deniedCount + refused < REFUSALS.most;
    if (isOneMore) {
      return {
        granted,
        least: { ...least, ...full, deniedFromMs, deniedCount: 1 },
        most: { ...most, deniedFromMs, deniedCount: REFUSALS.most - 1 - refused },
        add: { deniedCount: refused },
      };
    }
  }
  const taken = granted * weight;
  const counted = { ...now, minuteCount: now.minuteCount + taken, dayCount: now.dayCount + taken };
  const next = refused === 0 ? counted : refuse(counted, refused, nowMs);
  return { granted, least: known, most: known, add: difference(known, next) };
}

/**
 * Subtracts a request from the current minute and day, because the limits do not apply to it. Does nothing if one of these
 * windows has ended.
 */
export function uncountRequest(known: RequestCounters, { nowMs }: Pick<RequestLimits, 'nowMs'>): RequestWindowDecision {
  const isCounted = opened(known, nowMs) === known && known.minuteCount > 0 && known.dayCount > 0;
  if (!isCounted) return { granted: 0, least: known, most: known, add: {} };
  const { dayFromMs } = known;
  return {
    granted: 0,
    least: { minuteFromMs: nowMs - MINUTE_MS + 1, minuteCount: 1, dayFromMs, dayCount: 1 },
    most: { minuteFromMs: nowMs + MINUTE_MS - 1, dayFromMs },
    add: { minuteCount: -1, dayCount: -1 },
  };
}

/** Remaining requests of the minute and the day, and the times until these windows and a suspension end (0: not suspended). */
export interface RemainingRequests {
  minuteLeft: number;
  minuteWaitMs: number;
  dayLeft: number;
  dayWaitMs: number;
  suspendedWaitMs: number;
}

export function computeRemainingRequests(
  counters: RequestCounters,
  { limits, nowMs }: Pick<RequestLimits, 'limits' | 'nowMs'>,
): RemainingRequests {
  const { minuteFromMs, minuteCount, dayFromMs, dayCount, suspendedUntilMs } = opened(counters, nowMs);
  return {
    minuteLeft: Math.max(0, limits.minute - minuteCount),
    minuteWaitMs: minuteFromMs + MINUTE_MS - nowMs,
    dayLeft: Math.max(0, limits.day - dayCount),
    dayWaitMs: dayFromMs + DAY_MS - nowMs,
    suspendedWaitMs: isSuspended(counters, nowMs) ? suspendedUntilMs - nowMs : 0,
  };
}

/**
 * Whether an account is suspended. A suspension that would end later than one that begins now was created by a wrong clock, and
 * is ignored.
 */
const isSuspended = ({ suspendedUntilMs }: RequestCounters, nowMs: number): boolean =>
  suspendedUntilMs > nowMs && suspendedUntilMs <= nowMs + MAX_SUSPENSION_MS;

/** Returns the counters, with every ended window started again. Returns the same object if no window has ended. */
function opened(known: RequestCounters, nowMs: number): RequestCounters {
  const todayMs = nowMs - (nowMs % DAY_MS);
  const isMinute = Math.abs(nowMs - known.minuteFromMs) < MINUTE_MS;
  const isDay =
    known.dayFromMs === todayMs || (known.dayFromMs === todayMs + DAY_MS && known.dayFromMs - nowMs < MINUTE_MS);
  if (isMinute && isDay) return known;
  return {
    ...known,
    ...(isMinute ? {} : { minuteFromMs: nowMs, minuteCount: 0 }),
    ...(isDay ? {} : { dayFromMs: todayMs, dayCount: 0 }),
  };
}

const isDenying = ({ deniedFromMs, deniedCount }: RequestCounters, nowMs: number): boolean =>
  deniedCount > 0 && Math.abs(nowMs - deniedFromMs) < REFUSALS.withinMs;

function refuse(counters: RequestCounters, count: number, nowMs: number): RequestCounters {
  const isGoingOn = isDenying(counters, nowMs);
  const deniedFromMs = isGoingOn ? counters.deniedFromMs : nowMs;
  const deniedCount = (isGoingOn ? counters.deniedCount : 0) + count;
  if (deniedCount < REFUSALS.most) return { ...counters, deniedFromMs, deniedCount };
  return { ...counters, deniedFromMs, deniedCount: 0, suspendedUntilMs: nowMs + REFUSALS.suspendedMs };
}

const difference = (from: RequestCounters, to: RequestCounters): RequestCounters =>
  decodeCounters(NAMES.map((name) => to[name] - from[name]));
