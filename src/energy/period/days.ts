import { DateTime } from 'luxon';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { countDays, createDayRange } from '../ranges.ts';

/** Lengths of the periods on the Home page; weeks begin on Monday (ISO 8601). */
export const PERIOD_UNITS = ['day', 'week', 'month', 'year'] as const;
export type PeriodUnit = (typeof PERIOD_UNITS)[number];

/** First and last day (inclusive) in a zone, YYYY-MM-DD. */
export interface DaySpan {
  start: string;
  end: string;
}

/** Days with which a period is compared. All spans have the same number of days, on the same weekdays. */
export interface ComparedDays {
  /** Days of the current period that have already begun. */
  now: DaySpan;
  /** Days of the previous period. Null for a year, because the previous year is `last_year`. */
  before: DaySpan | null;
  last_year: DaySpan;
}

/**
 * Minimum number of weeks from the start of the comparison period to the start of the period, by unit. If the two would share days, the
 * number is increased.
 */
const WEEKS_BEFORE: Record<Exclude<PeriodUnit, 'year'>, number> = { day: 1, week: 1, month: 4 };
const WEEKS_OF_YEAR = 52;

/** Returns the days of the period that contains a date. Pure. */
export function findPeriodDays(unit: PeriodUnit, date: string): DaySpan {
  const day = DateTime.fromISO(date, { zone: 'utc' });
  return { start: dateOf(day.startOf(unit)), end: dateOf(day.endOf(unit)) };
}

/**
 * Returns the days that are compared: those of a period up to the date `until`, and the same weekdays of earlier periods. Usage depends
 * more on the weekday than on the day of the month. The earlier periods therefore begin a whole number of weeks earlier: at least the
 * minimum of the unit, and so many that no day is in two periods. Null if the period has not begun. Pure.
 */
export function findComparedDays(unit: PeriodUnit, { start, end }: DaySpan, until: string): ComparedDays | null {
  const last = until < end ? until : end;
  if (last < start) return null;
  const count = countDays(start, last);
  const weeksFor = (weeks: number) => Math.max(weeks, Math.ceil(count / 7));
  const back = (weeks: number): DaySpan => ({ start: daysBefore(start, 7 * weeks), end: daysBefore(last, 7 * weeks) });
  return {
    now: { start, end: last },
    before: unit === 'year' ? null : back(weeksFor(WEEKS_BEFORE[unit])),
    last_year: back(weeksFor(WEEKS_OF_YEAR)),
  };
}

/**
 * Returns the instants `[from, to)` of days in a zone. If `cutAt` is given, the last day ends at its local time of day, rounded down to a
 * quarter-hour. The first half of today can then be compared with the first half of another day. Pure.
 */
export function getInstantsOfDays({ start, end }: DaySpan, zone: string, cutAt: Date | null): { from: Date; to: Date } {
  const { from, to } = createDayRange(start, end, zone);
  if (cutAt === null) return { from, to };
  const { hour, minute } = DateTime.fromJSDate(cutAt, { zone });
  const cutMs = DateTime.fromISO(end, { zone }).set({ hour, minute }).toMillis();
  const cut = new Date(Math.floor(cutMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);
  return { from, to: cut < from ? from : cut < to ? cut : to };
}

const dateOf = (day: DateTime): string => day.toFormat('yyyy-MM-dd');
const daysBefore = (date: string, days: number): string =>
  dateOf(DateTime.fromISO(date, { zone: 'utc' }).minus({ days }));
