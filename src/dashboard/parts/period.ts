import { dateFormat } from '../words/locale.ts';
import { DAY_MS } from './format.ts';

/** Lengths of a period. A week starts on Monday. */
export const PERIOD_UNITS = ['day', 'week', 'month', 'year'] as const;
export type PeriodUnit = (typeof PERIOD_UNITS)[number];

export interface Period {
  unit: PeriodUnit;
  /** First day of the period, as YYYY-MM-DD. */
  start: string;
}

const FORMS: Record<PeriodUnit, RegExp> = {
  day: /^\d{4}-\d\d-\d\d$/,
  week: /^(\d{4})-W(\d\d)$/,
  month: /^\d{4}-\d\d$/,
  year: /^\d{4}$/,
};

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** Converts a date to Unix ms (midnight UTC). Null if there is no such date, or if it is before 1970. */
function msOf(date: string): number | null {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(ms) || ms < 0 || dateOf(ms) !== date ? null : ms;
}
const known = (date: string): number => msOf(date) ?? 0;
/** Returns the weekday of a time in UTC, from 1 for Monday to 7 for Sunday. */
const weekdayOf = (ms: number): number => new Date(ms).getUTCDay() || 7;

/** Returns the day, week, month or year that contains a date. */
export function getPeriodAt(unit: PeriodUnit, date: string): Period {
  const ms = known(date);
  if (unit === 'week') return { unit, start: dateOf(Math.max(0, ms - (weekdayOf(ms) - 1) * DAY_MS)) };
  const lengths = { day: 10, month: 7, year: 4 } as const;
  return { unit, start: `${date.slice(0, lengths[unit])}-01-01`.slice(0, 10) };
}

/** Returns the last day of a period. */
export const getLastDay = (period: Period): string => dateOf(known(shiftPeriod(period, 1).start) - DAY_MS);

/** Returns the period that is `by` periods later; earlier if `by` is negative. */
export function shiftPeriod({ unit, start }: Period, by: number): Period {
  const date = new Date(known(start));
  if (unit === 'day' || unit === 'week') date.setUTCDate(date.getUTCDate() + by * (unit === 'week' ? 7 : 1));
  else if (unit === 'month') date.setUTCMonth(date.getUTCMonth() + by);
  else date.setUTCFullYear(date.getUTCFullYear() + by);
  return { unit, start: dateOf(Math.max(0, date.getTime())) };
}

/** Returns the ISO 8601 week that begins on the Monday `start`. The week belongs to the year of its Thursday. */
export function getIsoWeek(start: string): { year: number; week: number } {
  const thursday = known(start) + 3 * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  return { year, week: 1 + Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) };
}

/** Returns a period in the form used in page addresses: `day/2026-10-12`, `week/2026-W42`, `month/2026-10`, `year/2026`. */
export function formatPeriodForUrl({ unit, start }: Period): string {
  if (unit === 'day') return `day/${start}`;
  if (unit === 'month') return `month/${start.slice(0, 7)}`;
  if (unit === 'year') return `year/${start.slice(0, 4)}`;
  const { year, week } = getIsoWeek(start);
  return `week/${year}-W${String(week).padStart(2, '0')}`;
}

/** Parses the period in the address of a page; null if it contains none. */
export function parsePeriodFromUrl(address: string): Period | null {
  const [name, text = '', ...more] = address.split('/');
  const unit = PERIOD_UNITS.find((one) => one === name);
  const match = unit && FORMS[unit].exec(text);
  if (!unit || !match || more.length > 0) return null;
  if (unit !== 'week') {
    const start = `${text}-01-01`.slice(0, 10);
    return msOf(start) === null ? null : { unit, start };
  }
  // 4 January is in the first ISO week of every year.
  const fourth = Date.UTC(Number(match[1]), 0, 4);
  const start = dateOf(Math.max(0, fourth - (weekdayOf(fourth) - 1) * DAY_MS + (Number(match[2]) - 1) * 7 * DAY_MS));
  const period = { unit, start };
  return formatPeriodForUrl(period) === address ? period : null;
}

/**
 * Returns the period in the page's address, such as `month/2026-10`. If the address contains only a unit, such as `month`, returns the
 * current period of this unit. Otherwise returns today.
 */
export const getPeriodForPage = (address: string, today: string): Period =>
  parsePeriodFromUrl(address) ??
  getPeriodAt(PERIOD_UNITS.find((one) => one === address.replace(/\/$/, '')) ?? 'day', today);

/**
 * Returns the period to show after the user has selected another unit. If the previous period contains today, the new one does, too;
 * otherwise it contains the first day of the previous one.
 */
export function changePeriodUnit(unit: PeriodUnit, period: Period, today: string): Period {
  const holdsToday = period.start <= today && today <= getLastDay(period);
  return getPeriodAt(unit, holdsToday ? today : period.start);
}

/** Formats a period, as in "Mon, 12 Oct 2026", "12 – 18 Oct 2026", "October 2026", "2026". */
export function formatPeriod(period: Period): string {
  const { unit, start } = period;
  if (unit === 'day')
    return dateFormat({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
      known(start),
    );
  if (unit === 'month') return dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' }).format(known(start));
  return unit === 'year' ? start.slice(0, 4) : formatDayRange(start, getLastDay(period));
}

/** Formats a range of days. A range of one day is formatted with its weekday. */
export function formatDayRange(start: string, end: string): string {
  if (start === end) return formatPeriod({ unit: 'day', start });
  return dateFormat({ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).formatRange(
    known(start),
    known(end),
  );
}

/** Returns the first and last day of the month before a date, as YYYY-MM-DD. */
export function getPreviousMonth(today: string): { start: string; end: string } {
  const month = shiftPeriod({ unit: 'month', start: `${today.slice(0, 7)}-01` }, -1);
  return { start: month.start, end: getLastDay(month) };
}

/** Returns the current date in a time zone, as YYYY-MM-DD. */
export const getTodayInZone = (zone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(Date.now());
