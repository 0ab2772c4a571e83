import { DateTime } from 'luxon';
import { QUARTER_MS } from '#src/core/units.ts';
import { dayCount, dayRange } from '../ranges.ts';

/** What Home shows at a time; weeks begin on Monday (ISO 8601). */
export const PERIOD_UNITS = ['day', 'week', 'month', 'year'] as const;
export type PeriodUnit = (typeof PERIOD_UNITS)[number];

/** Days of a zone, YYYY-MM-DD, both inclusive. */
export interface Days {
  start: string;
  end: string;
}

/** What a period is compared with: as many days, each on the weekday of its counterpart. */
export interface Compared {
  /** Those of the period itself, so far as they have begun. */
  now: Days;
  /** Null for a year: the one before it is last year. */
  before: Days | null;
  last_year: Days;
}

/** Weeks from a period back to what it is compared with, and the most days for which they leave no day in both. */
const WEEKS_BEFORE: Record<Exclude<PeriodUnit, 'year'>, number> = { day: 1, week: 1, month: 4 };
const WEEKS_OF_YEAR = 52;

/** The days of the period that a date lies in. Pure. */
export function periodOf(unit: PeriodUnit, date: string): Days {
  const day = DateTime.fromISO(date, { zone: 'utc' });
  return { start: dateOf(day.startOf(unit)), end: dateOf(day.endOf(unit)) };
}

/**
 * What the days of a period up to `until` are compared with; null where none of them has begun. Weekdays make more of a difference than a
 * day of the month, so both lie whole weeks before: the fewest, from what the unit asks, that leave no day in both. Pure.
 */
export function comparedDays(unit: PeriodUnit, { start, end }: Days, until: string): Compared | null {
  const last = until < end ? until : end;
  if (last < start) return null;
  const count = dayCount(start, last);
  const weeksFor = (weeks: number) => Math.max(weeks, Math.ceil(count / 7));
  const back = (weeks: number): Days => ({ start: daysBefore(start, 7 * weeks), end: daysBefore(last, 7 * weeks) });
  return {
    now: { start, end: last },
    before: unit === 'year' ? null : back(weeksFor(WEEKS_BEFORE[unit])),
    last_year: back(weeksFor(WEEKS_OF_YEAR)),
  };
}

/**
 * The instants of days in a zone, `[from, to)`. `cutAt`: a time on the last day's counterpart, up to which the last day is taken, to the
 * quarter-hour and by the wall clock: half of today is compared with the same half of another day. Pure.
 */
export function instantsOf({ start, end }: Days, zone: string, cutAt: Date | null): { from: Date; to: Date } {
  const { from, to } = dayRange(start, end, zone);
  if (cutAt === null) return { from, to };
  const { hour, minute } = DateTime.fromJSDate(cutAt, { zone });
  const cutMs = DateTime.fromISO(end, { zone }).set({ hour, minute }).toMillis();
  const cut = new Date(Math.floor(cutMs / QUARTER_MS) * QUARTER_MS);
  return { from, to: cut < from ? from : cut < to ? cut : to };
}

const dateOf = (day: DateTime): string => day.toFormat('yyyy-MM-dd');
const daysBefore = (date: string, days: number): string =>
  dateOf(DateTime.fromISO(date, { zone: 'utc' }).minus({ days }));
