import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';

/** How many refusals within which time suspend an account, and for how long. */
const REFUSALS = { most: 1_000, withinMs: 600_000, suspendedMs: 900_000 };
/** Clocks of processes differ by a minute at most: a suspension ends no later than this after now. */
const LONGEST_SUSPENSION_MS = REFUSALS.suspendedMs + MINUTE_MS;

/** Most requests in a minute and in a UTC day. */
export interface Limits {
  minute: number;
  day: number;
}

/** What is known of an account's requests, or of an address' failures. Times in Unix ms. */
export interface Counters {
  minuteFromMs: number;
  minuteCount: number;
  /** Start of the UTC day that the count is of. */
  dayFromMs: number;
  dayCount: number;
  /** Refused since, in ten minutes at most. */
  deniedFromMs: number;
  deniedCount: number;
  suspendedUntilMs: number;
}

/** Nothing is known yet. */
export const NOTHING: Counters = {
  minuteFromMs: 0,
  minuteCount: 0,
  dayFromMs: 0,
  dayCount: 0,
  deniedFromMs: 0,
  deniedCount: 0,
  suspendedUntilMs: 0,
};
const NAMES = Object.keys(NOTHING) as (keyof Counters)[];
/** Beyond every counter. */
export const WIDE = Number.MAX_SAFE_INTEGER;

/** Counters as stores have them: numbers, in the order above. `missing`: for those that are not named. */
export const numbersOf = (counters: Partial<Counters>, missing: number): number[] =>
  NAMES.map((name) => counters[name] ?? missing);

export function countersOf(numbers: readonly number[]): Counters {
  const counters = { ...NOTHING };
  for (const [index, name] of NAMES.entries()) counters[name] = numbers[index] ?? 0;
  return counters;
}

/** What is decided on requests that are counted together, and on what it rests. */
export interface Decided {
  /** How many of them may go on. */
  granted: number;
  /** The decision is the same for all counters from `least` to `most`: what others count meanwhile changes it rarely. */
  least: Partial<Counters>;
  most: Partial<Counters>;
  /** What is added to the counters. */
  add: Partial<Counters>;
}

export interface Rules {
  limits: Limits;
  nowMs: number;
  /** Accounts can be, addresses cannot. */
  canBeSuspended: boolean;
}

/**
 * Decides on so many requests at once, by both windows: a minute from its first request, and the UTC day. What one of them refuses
 * takes nothing of the other.
 *
 * Clocks of processes differ a little: a window that has begun in the near future is the one that is open, not another one. Only
 * one that lies further ahead was begun by a clock that has been set back since.
 */
export function takeRequests(known: Counters, wanted: number, { limits, nowMs, canBeSuspended }: Rules): Decided {
  if (isSuspended(known, nowMs)) {
    const most = { suspendedUntilMs: nowMs + LONGEST_SUSPENSION_MS };
    return { granted: 0, least: { suspendedUntilMs: nowMs + 1 }, most, add: {} };
  }
  const now = opened(known, nowMs);
  const room = Math.min(limits.minute - now.minuteCount, limits.day - now.dayCount);
  const granted = Math.max(0, Math.min(wanted, room));
  const refused = canBeSuspended ? wanted - granted : 0;
  // As long as no window begins or ends with it.
  const isOfWrongClock = known.suspendedUntilMs > nowMs;
  const least = {
    minuteFromMs: nowMs - MINUTE_MS + 1,
    dayFromMs: known.dayFromMs,
    ...(isOfWrongClock ? { suspendedUntilMs: nowMs + LONGEST_SUSPENSION_MS + 1 } : {}),
  };
  const most = {
    minuteFromMs: nowMs + MINUTE_MS - 1,
    dayFromMs: known.dayFromMs,
    ...(isOfWrongClock ? {} : { suspendedUntilMs: nowMs }),
  };
  if (now === known && room >= wanted) {
    const counts = { minuteCount: limits.minute - wanted, dayCount: limits.day - wanted };
    return { granted, least, most: { ...most, ...counts }, add: { minuteCount: wanted, dayCount: wanted } };
  }
  if (now === known && room <= 0) {
    const full = known.minuteCount >= limits.minute ? { minuteCount: limits.minute } : { dayCount: limits.day };
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
  const counted = { ...now, minuteCount: now.minuteCount + granted, dayCount: now.dayCount + granted };
  const next = refused === 0 ? counted : refuse(counted, refused, nowMs);
  return { granted, least: known, most: known, add: difference(known, next) };
}

/**
 * Takes one request out of the windows again in which it was counted, as it turned out not to be one of those that are limited. Pure. Nothing
 * is left to take out once a window is over.
 */
export function giveBack(known: Counters, { nowMs }: Pick<Rules, 'nowMs'>): Decided {
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

/** What is left of both windows (0 where more was counted than the plan of now has), and how long they and a suspension last (0: not suspended). */
export interface Remaining {
  minuteLeft: number;
  minuteWaitMs: number;
  dayLeft: number;
  dayWaitMs: number;
  suspendedWaitMs: number;
}

/** What counters leave. */
export function remaining(counters: Counters, { limits, nowMs }: Pick<Rules, 'limits' | 'nowMs'>): Remaining {
  const { minuteFromMs, minuteCount, dayFromMs, dayCount, suspendedUntilMs } = opened(counters, nowMs);
  return {
    minuteLeft: Math.max(0, limits.minute - minuteCount),
    minuteWaitMs: minuteFromMs + MINUTE_MS - nowMs,
    dayLeft: Math.max(0, limits.day - dayCount),
    dayWaitMs: dayFromMs + DAY_MS - nowMs,
    suspendedWaitMs: isSuspended(counters, nowMs) ? suspendedUntilMs - nowMs : 0,
  };
}

/** A suspension that ends later than any that could begin now is one of a clock that has been set back since: it is over. */
const isSuspended = ({ suspendedUntilMs }: Counters, nowMs: number): boolean =>
  suspendedUntilMs > nowMs && suspendedUntilMs <= nowMs + LONGEST_SUSPENSION_MS;

/** The counters with the windows that are open now; the very same, where they are already. */
function opened(known: Counters, nowMs: number): Counters {
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

const isDenying = ({ deniedFromMs, deniedCount }: Counters, nowMs: number): boolean =>
  deniedCount > 0 && Math.abs(nowMs - deniedFromMs) < REFUSALS.withinMs;

function refuse(counters: Counters, count: number, nowMs: number): Counters {
  const isGoingOn = isDenying(counters, nowMs);
  const deniedFromMs = isGoingOn ? counters.deniedFromMs : nowMs;
  const deniedCount = (isGoingOn ? counters.deniedCount : 0) + count;
  if (deniedCount < REFUSALS.most) return { ...counters, deniedFromMs, deniedCount };
  return { ...counters, deniedFromMs, deniedCount: 0, suspendedUntilMs: nowMs + REFUSALS.suspendedMs };
}

const difference = (from: Counters, to: Counters): Counters => countersOf(NAMES.map((name) => to[name] - from[name]));
