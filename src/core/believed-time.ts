import { DAY_MS } from './units.ts';

/**
 * Maximum time in ms by which the clock of a starting process may advance the believed time (the installation's estimate of the correct
 * time).
 */
export const MAX_CLOCK_LEAP_MS = 31 * DAY_MS;

/** The times that are known when a process starts, in Unix ms. */
interface BelievedTimeInputs {
  /** Stored believed time; null in a new installation. */
  storedMs: number | null;
  clockMs: number;
  /** Whether a device has ever sent a message. Before that, a wrong clock can cause no deletion. */
  wasUsed: boolean;
}

/**
 * Returns the believed time (estimate of the correct time) after a start, in Unix ms. If the clock is more than 31 days ahead, the trusted
 * time does not advance, because repeated starts would otherwise advance it by 31 days each.
 */
export function computeBelievedTime({ storedMs, clockMs, wasUsed }: BelievedTimeInputs): number {
  if (storedMs === null || !wasUsed) return clockMs;
  return isClockTooFarAhead(clockMs, storedMs) ? storedMs : Math.max(storedMs, clockMs);
}

/** Whether a clock (Unix ms) is so far ahead that an operator must confirm it before it advances the believed time. */
export const isClockTooFarAhead = (clockMs: number, believedMs: number): boolean =>
  clockMs > believedMs + MAX_CLOCK_LEAP_MS;
