import { DateTime } from 'luxon';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { countDays, createDayRange } from '../ranges.ts';

/** Weeks begin on Monday (ISO 8601). */
export const PERIOD_UNITS = ['day', 'week', 'month', 'year'] as const;
export type PeriodUnit = (typeof PERIOD_UNITS)[number];

export interface DaySpan {
  start: string;
  end: string;
}

/** Days with which a period is compared: the same number of days on the same weekdays. */
export interface ComparedDays {
  /** Days of the current period that have already begun. */
  now: DaySpan;
  before: DaySpan | null;
  last_year: DaySpan;
}

/** Minimum number of weeks between the starts of a period and of the earlier period with which it is compared. */
const WEEKS_BEFORE: Record<Exclude<PeriodUnit, 'year'>, number> = { day: 1, week: 1, month: 4 };
const WEEKS_OF_YEAR = 52;

export function findPeriodDays(unit: PeriodUnit, date: string): DaySpan {
  const day = DateTime.fromISO(date, { zone: 'utc' });
  return { start: dateOf(day.startOf(unit)), end: dateOf(day.endOf(unit)) };
}

/**
 * Returns the days that are compared: those of a period up to `until`, and the same weekdays of earlier periods. Usage depends more on the
 * weekday than on the day of the month. Null if the period has not begun.
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
 * Returns the instants `[from, to)` of days in a zone. `cutAt`: the last day ends at the local time of day of this instant, so that parts
 * of days can be compared.
 */
export function getTimeRangeOfDays(
  { start, end }: DaySpan,
  zone: string,
  cutAt: Date | null,
): { from: Date; to: Date } {
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
