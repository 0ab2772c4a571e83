import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';

/**
 * When a job runs: at an interval, which is measured by the monotonic clock so that steps of the wall clock do not matter, or by a cron
 * expression (UTC) that comes once a day ("19 4 * * *"), made up for if it was missed.
 */
export type Timing = { everySeconds: number } | { daily: string };

/** Interval jobs are spread over this time at most, ms: a process that lives shorter still runs each of them. */
const SPREAD_MS = 10 * 60_000;

/** The latest moment at which a daily job was to run, Unix ms, as of a minute. */
export interface Latest {
  minuteMs: number;
  latestMs: number;
}

/**
 * The latest minute up to now, of a day, that an expression matches. Pure. `known`: what this returned before, so that only the minutes since are
 * matched; after the clock was set back all are. An expression that no minute of a day matches throws.
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
 * less than a day the job has run for the moment that comes again; a run that lies farther ahead was one of a wrong clock and counts as
 * long ago.
 */
export const isDailyDue = (latestMs: number, ranForMs: number): boolean =>
  ranForMs < latestMs || ranForMs > latestMs + DAY_MS;

/**
 * How much later than its interval says a job begins, ms: jobs run apart from each other, by their places in the list. Pure.
 */
export const spreadMs = (everyMs: number, place: { index: number; of: number }): number =>
  Math.round((Math.min(everyMs, SPREAD_MS) * (place.index + 1)) / place.of);
