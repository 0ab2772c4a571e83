import { DAY_MS } from './units.ts';

/** Farthest that the clock of a starting process may move the believed time, ms (energy.md, "When the clock was wrong"). */
export const MAX_LEAP_MS = 31 * DAY_MS;

/** What is known of the time when a process starts. Unix ms. */
export interface TimeAtStart {
  /** The believed time in the database; null: the installation is new. */
  storedMs: number | null;
  /** The clock of this process. */
  clockMs: number;
  /** Whether a device has ever been heard: before that there is nothing that a wrong clock could delete. */
  wasUsed: boolean;
}

/**
 * The believed time after a start, Unix ms. Pure. A clock that is farther ahead than 31 days moves nothing, not even by 31 days:
 * a process that starts again and again must not add up leaps.
 */
export function believedAtStart({ storedMs, clockMs, wasUsed }: TimeAtStart): number {
  if (storedMs === null || !wasUsed) return clockMs;
  return isTooFarAhead(clockMs, storedMs) ? storedMs : Math.max(storedMs, clockMs);
}

/** Whether a clock needs the confirmation of an operator before it moves the believed time. Pure; Unix ms. */
export const isTooFarAhead = (clockMs: number, believedMs: number): boolean => clockMs > believedMs + MAX_LEAP_MS;
