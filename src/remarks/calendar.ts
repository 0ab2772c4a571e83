import { DAY_MS } from '#src/core/units.ts';
/**
 * Days of a zone's calendar by their number since 1970-01-01: what is decided here knows no clock, and no day is longer than another but for
 * what was used in it.
 */

export const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** ISO weekday, 1 is Monday. (1970 began on a Thursday.) */
export const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

/** A month of the calendar. */
export interface Month {
  /** Of its first day. */
  first: number;
  /** How many it has. */
  days: number;
}

/** The month that a day lies in, or one so many months later. */
export function monthOf(day: number, later = 0): Month {
  const date = new Date(day * DAY_MS);
  const start = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later + months, 1) / DAY_MS;
  return { first: start(0), days: start(1) - start(0) };
}
