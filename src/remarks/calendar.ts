import { DAY_MS } from '#src/core/units.ts';
/** Converts a date in a zone's calendar to the number of days since 1970-01-01. */

export const parseDayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;
export const formatDayNumber = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Returns the ISO weekday of a day; 1 is Monday. (1970-01-01 was a Thursday.) */
export const getWeekday = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

export interface Month {
  /** Day number of the month's first day. */
  first: number;
  days: number;
}

/** Returns the month that is `later` months after the month that contains a day. */
export function getMonthOfDay(day: number, later = 0): Month {
  const date = new Date(day * DAY_MS);
  const start = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later + months, 1) / DAY_MS;
  return { first: start(0), days: start(1) - start(0) };
}
