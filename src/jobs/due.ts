import { DAY_MS } from '#src/core/units.ts';

/**
 * When a job runs: at an interval, which is measured by the monotonic clock so that steps of the wall clock do not matter, or at a time
 * of the UTC day ("04:19"), made up for if it was missed.
 */
export type Timing = { everySeconds: number } | { dailyAt: string };

/** Interval jobs are spread over this time at most, ms: a process that lives shorter still runs each of them. */
const SPREAD_MS = 10 * 60_000;

/** The latest moment up to now at which a daily job was to run, Unix ms. Pure. `dailyAt`: "hh:mm", UTC. */
export function latestDailyMs(dailyAt: string, nowMs: number): number {
  const [hours = 0, minutes = 0] = dailyAt.split(':').map(Number);
  const offsetMs = (hours * 60 + minutes) * 60_000;
  return Math.floor((nowMs - offsetMs) / DAY_MS) * DAY_MS + offsetMs;
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
