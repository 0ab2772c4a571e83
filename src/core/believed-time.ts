import { DAY_MS } from './units.ts';

/**
 * Maximum time, in ms, by which the clock of a starting process may advance the believed time (the installation's estimate of the correct
 * time; see energy.md, "When the clock was wrong").
 */
export const MAX_CLOCK_LEAP_MS = 31 * DAY_MS;

/** The times that are known when a process starts, in Unix ms. */
export interface BelievedTimeInputs {
  /** Believed time stored in the database; null in a new installation. */
  storedMs: number | null;
  clockMs: number;
  /** Whether a device has ever sent a message. Before the first message, a wrong clock cannot cause a deletion. */
  wasUsed: boolean;
}

/**
 * Returns the believed time after a start, Unix ms. If the clock is more than 31 days ahead, the believed time does not advance at all;
 * otherwise a process that restarts repeatedly would advance it by 31 days each time. Pure.
 */
export function computeBelievedTime({ storedMs, clockMs, wasUsed }: BelievedTimeInputs): number {
  if (storedMs === null || !wasUsed) return clockMs;
  return isClockTooFarAhead(clockMs, storedMs) ? storedMs : Math.max(storedMs, clockMs);
}

/** Whether a clock is so far ahead that an operator must confirm it before it advances the believed time. Pure; Unix ms. */
export const isClockTooFarAhead = (clockMs: number, believedMs: number): boolean =>
  clockMs > believedMs + MAX_CLOCK_LEAP_MS;
