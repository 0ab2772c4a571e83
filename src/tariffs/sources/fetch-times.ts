import { DateTime } from 'luxon';
import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';

/** Maximum number of fetches of a source on a UTC day. */
export const MAX_FETCHES_A_DAY = 24;
/** Delays in minutes before the first, second and third retry. */
const RETRY_MINUTES = [5, 15, 60];
/** Time in ms of continuous failures after which the owner of a source is notified. */
const NOTIFY_AFTER_MS = DAY_MS;
/** Bounds in ms for the wait that a source requests (Retry-After). */
const RETRY_AFTER_MS = { least: MINUTE_MS, most: DAY_MS };

/** Times of day (HH:MM) at which a source is fetched, and their time zone. */
export interface DailyFetchTimes {
  timezone: string;
  at: readonly string[];
}

/** The part of the state of a source that determines its next fetch. */
export interface FetchState {
  /** Number of retries since the last scheduled fetch. */
  retries: number;
  /** Whether any response so far contained prices for the following day. */
  tells_tomorrow: boolean;
  last_fetched_at: Date | null;
  last_error: string | null;
  /** Time of the first failure since the last success. */
  failing_since: Date | null;
  /** Whether the owner was notified of the current failures. */
  is_notified: boolean;
}

/** Outcome of a fetch. `error` describes the problem. If `isRead` is true, the problem concerns only some rows of the response. */
export type FetchOutcome =
  | { isRead: true; hasTomorrow: boolean; error: string | null }
  | { isRead: false; error: string; retryAfterMs?: number };

/**
 * Returns the first scheduled instant after the given one. If the clocks go forward and skip a time of day, the fetch is later by the
 * skipped time, for example at 03:30 instead of 02:30.
 */
export const computeNextFetchTime = (times: DailyFetchTimes, after: Date): Date =>
  new Date(Math.min(...comingTimes(times, after)));

/** Returns the scheduled instants after an instant, for at least two days, as Unix ms, in any order. */
function comingTimes({ timezone, at }: DailyFetchTimes, after: Date): number[] {
  const today = DateTime.fromJSDate(after, { zone: timezone });
  const times = [0, 1, 2].flatMap((days) => {
    const { year, month, day } = today.plus({ days });
    return at.map((time) => {
      const [hour = 0, minute = 0] = time.split(':').map(Number);
      return DateTime.fromObject({ year, month, day, hour, minute }, { zone: timezone }).toMillis();
    });
  });
  return times.filter((ms) => ms > after.getTime());
}

export const getStartOfTomorrow = (now: Date, timezone: string): Date =>
  DateTime.fromJSDate(now, { zone: timezone }).plus({ days: 1 }).startOf('day').toJSDate();

/**
 * Returns the new state of a source after a fetch, the time of its next fetch, and whether its owner must be notified. `fetchesToday`:
 * fetches on this UTC day, including this one.
 */
export function planNextFetch(
  state: FetchState,
  outcome: FetchOutcome,
  { times, now, fetchesToday }: { times: DailyFetchTimes; now: Date; fetchesToday: number },
): { state: FetchState; nextAt: Date; notifies: boolean } {
  const tells_tomorrow = state.tells_tomorrow || (outcome.isRead && outcome.hasTomorrow);
  const isLacking = !outcome.isRead || (tells_tomorrow && !outcome.hasTomorrow);
  const { nextAt, retries } = isLacking
    ? planRetry(state.retries, outcome, { times, now, fetchesToday })
    : { nextAt: nextWithinBound({ times, now, fetchesToday }), retries: 0 };
  const failing_since = outcome.isRead ? null : (state.failing_since ?? now);
  const hasFailedLong = failing_since !== null && now.getTime() - failing_since.getTime() >= NOTIFY_AFTER_MS;
  const notifies = hasFailedLong && !state.is_notified;
  return {
    state: {
      retries,
      tells_tomorrow,
      last_fetched_at: outcome.isRead ? now : state.last_fetched_at,
      last_error: outcome.error,
      failing_since,
      is_notified: failing_since !== null && (state.is_notified || notifies),
    },
    nextAt,
    notifies,
  };
}

interface PlanInput {
  times: DailyFetchTimes;
  now: Date;
  fetchesToday: number;
}

/**
 * Plans the next fetch after a fetch that did not return the expected prices. Plans a retry only if the day's maximum number of fetches
 * also leaves enough of them for the scheduled times.
 */
function planRetry(retries: number, outcome: FetchOutcome, { times, now, fetchesToday }: PlanInput) {
  const askedMs = outcome.isRead ? undefined : outcome.retryAfterMs;
  const waitMs =
    askedMs === undefined ? undefined : Math.min(Math.max(askedMs, RETRY_AFTER_MS.least), RETRY_AFTER_MS.most);
  // If a source requests a wait, no fetch is planned before its end.
  const earliest = new Date(now.getTime() + (waitMs ?? 0));
  const scheduled = nextWithinBound({ times, now, fetchesToday }, earliest);
  const minutes = RETRY_MINUTES[retries];
  const mayRetry = minutes !== undefined && fetchesToday + timesLeftToday(times, now) < MAX_FETCHES_A_DAY;
  const again = new Date(now.getTime() + (waitMs ?? (minutes ?? 0) * MINUTE_MS));
  return mayRetry && again < scheduled ? { nextAt: again, retries: retries + 1 } : { nextAt: scheduled, retries: 0 };
}

/** Returns the first scheduled time after `earliest`, or on the next UTC day if today's fetches are used up. */
function nextWithinBound({ times, now, fetchesToday }: PlanInput, earliest: Date = now): Date {
  if (fetchesToday < MAX_FETCHES_A_DAY) return computeNextFetchTime(times, earliest);
  return computeNextFetchTime(times, new Date(Math.max(earliest.getTime(), getEndOfUtcDay(now).getTime() - 1)));
}

export const getEndOfUtcDay = (time: Date): Date => new Date((Math.floor(time.getTime() / DAY_MS) + 1) * DAY_MS);

const timesLeftToday = (times: DailyFetchTimes, now: Date): number =>
  comingTimes(times, now).filter((ms) => ms < getEndOfUtcDay(now).getTime()).length;
