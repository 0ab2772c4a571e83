import { setImmediate } from 'node:timers/promises';
import { DateTime, IANAZone } from 'luxon';
import { DAY_MS } from '#src/core/units.ts';

/** Time range `[from, to)` of whole days in a zone. */
export interface DayRange {
  from: Date;
  to: Date;
  zone: string;
  /** First and last day of the range in its zone, YYYY-MM-DD. */
  start: string;
  end: string;
}

/** Units of rows that are shorter than a day, in minutes. A clock change may shorten a unit. */
export const SUB_DAY_UNIT_MINUTES = { hour: 60, half_hour: 30, quarter_hour: 15 } as const;
export type SubDayUnit = keyof typeof SUB_DAY_UNIT_MINUTES;

export const isSubDayUnit = (unit: string): unit is SubDayUnit => Object.hasOwn(SUB_DAY_UNIT_MINUTES, unit);

/** IANA names without a slash. They are listed, because a library that accepts them also accepts ambiguous abbreviations (IST, CST). */
const WITHOUT_PLACE = new Set(
  `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica
   Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal
   W-SU WET Zulu`.split(/\s+/),
);

/** Whether a name is a time zone of the IANA database. Abbreviations and offsets are not. */
export function isTimeZone(name: string): boolean {
  if (!WITHOUT_PLACE.has(name) && !/^(?!SystemV\/)[A-Za-z]+(\/[A-Za-z0-9_+-]+)+$/.test(name)) return false;
  return IANAZone.isValidZone(name);
}

/** Whether a text is an existing date (YYYY-MM-DD) from 1970 on. */
export function isDate(text: string): boolean {
  // A day after the end of its month, such as 30 February, would be read as a day of the next month.
  return /^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/.test(text) && new Date(text).getUTCDate() === Number(text.slice(8));
}

/**
 * Returns the first instant of the day or month that contains a time. Because of clock changes, the local time is then not always 00:00.
 */
export function getFirstInstant(time: DateTime, unit: 'day' | 'month'): DateTime {
  const [first, ...others] = time.startOf(unit).getPossibleOffsets();
  return others.reduce((earliest, one) => (one < earliest ? one : earliest), first as DateTime);
}

/** Returns the range of the days from `start` to `end`, both inclusive. */
export function createDayRange(start: string, end: string, zone: string): DayRange {
  if (zone === 'UTC') return { from: new Date(start), to: new Date(Date.parse(end) + DAY_MS), zone, start, end };
  const startOf = (day: DateTime) => getFirstInstant(day, 'day').toJSDate();
  const from = startOf(DateTime.fromISO(start, { zone }));
  const to = startOf(DateTime.fromISO(end, { zone }).plus({ days: 1 }));
  return { from, to, zone, start, end };
}

/** Splits a range into ranges of `days` days. The last may be shorter. */
export function splitRangeByDays({ start, end, zone }: DayRange, days: number): DayRange[] {
  const dayAfter = (day: string, count: number) =>
    DateTime.fromISO(day, { zone: 'utc' }).plus({ days: count }).toISODate() ?? '';
  return Array.from({ length: Math.ceil(countDays(start, end) / days) }, (_, index) => {
    const last = dayAfter(start, (index + 1) * days - 1);
    return createDayRange(dayAfter(start, index * days), last < end ? last : end, zone);
  });
}

export function splitByMonth({ start, end, zone }: DayRange): DayRange[] {
  const months: DayRange[] = [];
  for (let first = start; first <= end; ) {
    const month = DateTime.fromISO(first, { zone: 'utc' });
    const last = month.endOf('month').toISODate() ?? end;
    months.push(createDayRange(first, last < end ? last : end, zone));
    first = month.startOf('month').plus({ months: 1 }).toISODate() ?? '9999';
  }
  return months;
}

/** Length of the range that one query reads. */
const CHUNK_MS = 96 * DAY_MS;

/**
 * Splits `[fromMs, toMs)` into ranges for one query each. Between two of them, the process can do other work. Both times must be starts of
 * quarter-hours.
 */
export async function* splitQuarterHours(fromMs: number, toMs: number): AsyncGenerator<{ from: Date; to: Date }> {
  for (let ms = fromMs; ms < toMs; ms += CHUNK_MS) {
    if (ms > fromMs) await setImmediate();
    yield { from: new Date(ms), to: new Date(Math.min(ms + CHUNK_MS, toMs)) };
  }
}

export function countDays(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
}

/** Returns the number of calendar months that contain a day from `start` to `end`. */
export function countMonths(start: string, end: string): number {
  const number = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
  return number(end) - number(start) + 1;
}

/**
 * Whether the days from `start` to `end`, both inclusive, are at most `months` months. 1 March to the end of February, for example, is 12
 * months.
 */
export const isRangeWithinMonths = (start: string, end: string, months: number): boolean =>
  end < (DateTime.fromISO(start, { zone: 'utc' }).plus({ months }).toISODate() ?? '');

export function getLastThirtyDays(now: Date, zone: string): DayRange {
  const today = DateTime.fromJSDate(now, { zone });
  return createDayRange(today.minus({ days: 29 }).toISODate() ?? '', today.toISODate() ?? '', zone);
}

/** Returns the range from the start of the current day, week, month or year to today. Weeks begin on Monday (ISO 8601). */
export function getCurrentInterval(now: Date, interval: 'day' | 'week' | 'month' | 'year', zone: string): DayRange {
  const today = DateTime.fromJSDate(now, { zone });
  return createDayRange(today.startOf(interval).toISODate() ?? '', today.toISODate() ?? '', zone);
}

/** Each UTC offset since 1970 has lasted at least this long (ms) in every time zone. */
export const MIN_OFFSET_DURATION_MS = 14 * DAY_MS;
/** From this time on, the rules of every time zone repeat yearly. */
const RULES_REPEAT_FROM_MS = Date.UTC(2038, 0, 1);

/**
 * Returns the greatest interval (60, 30 or 15 minutes) for which every local hour (or shorter unit) of the range consists of whole
 * intervals.
 */
export function findCommonIntervalMinutes({ from, to, zone }: DayRange, unit: SubDayUnit = 'hour'): 60 | 30 | 15 {
  const wanted = SUB_DAY_UNIT_MINUTES[unit];
  if (zone === 'UTC' || wanted === 15) return wanted;
  const offset = (ms: number) => IANAZone.create(zone).offset(ms);
  const lastMs = Math.min(to.getTime(), Math.max(from.getTime(), RULES_REPEAT_FROM_MS) + 366 * DAY_MS);
  const offsets = new Set([offset(lastMs)]);
  for (let ms = from.getTime(); ms < lastMs; ms += MIN_OFFSET_DURATION_MS) offsets.add(offset(ms));
  const all = [...offsets];
  if (all.every((minutes) => minutes % wanted === 0)) return wanted;
  return all.every((minutes) => minutes % 30 === 0) ? 30 : 15;
}
