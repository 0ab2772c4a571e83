import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';

/**
 * When a job runs: at an interval, which is measured by the monotonic clock so that steps of the wall clock do not matter, or by a cron
 * expression (UTC) that comes once a day ("19 4 * * *"), made up for if it was missed.
 */
export type Timing = { everySeconds: number } | { daily: string };

/** Interval jobs are spread over this time at most, ms: a process that lives shorter still runs each of them. */
const SPREAD_MS = 10 * 60_000;

/** `latestMs`: the latest moment at which a daily job was to run, as of the minute `minuteMs`. Unix ms. */
export interface Latest {
  minuteMs: number;
  latestMs: number;
}

/**
 * Finds the latest minute within the last day that an expression matches. Pure. `known`: the previous result, so that only later minutes are
 * matched. If the clock was set back, the whole day is matched again. Throws if the expression matches no minute of the day.
 */
export function latestDaily(matches: (minute: Date) => boolean, nowMs: number, known: Latest | null = null): Latest {
  const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const isLater = known !== null && known.minuteMs <= minuteMs && minuteMs - known.minuteMs < DAY_MS;
  const fromMs = isLater ? known.minuteMs + MINUTE_MS : minuteMs - DAY_MS + MINUTE_MS;
  for (let atMs = minuteMs; atMs >= fromMs; atMs -= MINUTE_MS)
    if (matches(new Date(atMs))) return { minuteMs, latestMs: atMs };
  if (!isLater) throw new Error('a daily job whose time does not come within a day');
  return { minuteMs, latestMs: known.latestMs };
}

/**
 * Whether a daily job is to run now. Pure; Unix ms. `ranForMs`: the latest moment for which it has run. After the clock was set back by
 * less than a day, the job does not run again for the same moment. A run that lies farther ahead was made by a wrong clock and is ignored.
 */
export const isDailyDue = (latestMs: number, ranForMs: number): boolean =>
  ranForMs < latestMs || ranForMs > latestMs + DAY_MS;

/**
 * Delay of an interval job's first run, ms. It spreads jobs by their places in the list, so that they do not all start together. Pure.
 */
export const spreadMs = (everyMs: number, place: { index: number; of: number }): number =>
  Math.round((Math.min(everyMs, SPREAD_MS) * (place.index + 1)) / place.of);
