import { DateTime, IANAZone } from 'luxon';
import { DAY_MS } from '#src/core/units.ts';

/** A stretch of time in UTC, `[from, to)`, that whole days of a zone make up. */
export interface Range {
  from: Date;
  to: Date;
  /** IANA name. */
  zone: string;
  /** First and last day, YYYY-MM-DD, in the zone. */
  start: string;
  end: string;
}

/**
 * Names of the IANA database without a slash: links, and zones of before there were places. Named here, since what knows them knows
 * abbreviations as well, which mean one thing here and another there (IST, CST).
 */
const WITHOUT_PLACE = new Set(
  `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica
   Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal
   W-SU WET Zulu`.split(/\s+/),
);

/** Whether the name is a time zone of the IANA database, a link included (and not an abbreviation or an offset). */
export function isZone(name: string): boolean {
  if (!WITHOUT_PLACE.has(name) && !/^(?!SystemV\/)[A-Za-z]+(\/[A-Za-z0-9_+-]+)+$/.test(name)) return false;
  return IANAZone.isValidZone(name);
}

/** Whether the text is a date that exists, YYYY-MM-DD, from the year 1970 on. */
export function isDate(text: string): boolean {
  if (!/^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(text);
  // Of a day that its month does not have (2026-02-30) a parser may make one of the next month.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/**
 * The first instant of the day, month, … that a time of a zone lies in: not always 00:00, and where the clock goes back over
 * midnight (Azores, Havana) the first of two.
 */
export function firstInstant(time: DateTime, unit: 'day' | 'month'): DateTime {
  const [first, ...others] = time.startOf(unit).getPossibleOffsets();
  return others.reduce((earliest, one) => (one < earliest ? one : earliest), first as DateTime);
}

/** The days from `start` to `end`, both inclusive, of a zone. */
export function dayRange(start: string, end: string, zone: string): Range {
  // The usual case, for which a calendar takes as long as half of all checks of a request.
  if (zone === 'UTC') return { from: new Date(start), to: new Date(Date.parse(end) + DAY_MS), zone, start, end };
  const startOf = (day: DateTime) => firstInstant(day, 'day').toJSDate();
  const from = startOf(DateTime.fromISO(start, { zone }));
  const to = startOf(DateTime.fromISO(end, { zone }).plus({ days: 1 }));
  return { from, to, zone, start, end };
}

/** A range as ranges of so many days, one after the other; the last may be shorter. */
export function stretchesOf({ start, end, zone }: Range, days: number): Range[] {
  const dayAfter = (day: string, count: number) =>
    DateTime.fromISO(day, { zone: 'utc' }).plus({ days: count }).toISODate() ?? '';
  return Array.from({ length: Math.ceil(dayCount(start, end) / days) }, (_, index) => {
    const last = dayAfter(start, (index + 1) * days - 1);
    return dayRange(dayAfter(start, index * days), last < end ? last : end, zone);
  });
}

/** Number of days from `start` to `end`, both inclusive. */
export function dayCount(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
}

/** Number of calendar months that the days touch. */
export function monthCount(start: string, end: string): number {
  const number = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
  return number(end) - number(start) + 1;
}

/** The last 30 days of a zone, today included. */
export function lastThirtyDays(now: Date, zone: string): Range {
  const today = DateTime.fromJSDate(now, { zone });
  return dayRange(today.minus({ days: 29 }).toISODate() ?? '', today.toISODate() ?? '', zone);
}

/** The calendar interval of now, to date, in a zone; weeks begin on Monday (ISO 8601). */
export function intervalToDate(now: Date, interval: 'day' | 'week' | 'month' | 'year', zone: string): Range {
  const today = DateTime.fromJSDate(now, { zone });
  return dayRange(today.startOf(interval).toISODate() ?? '', today.toISODate() ?? '', zone);
}

/** No offset of any zone has lasted shorter than this since 1970. */
export const OFFSET_STEP_MS = 14 * DAY_MS;
/** From here on the rules of every zone only repeat, year by year (the tz database writes them out until then). */
const RULES_REPEAT_FROM_MS = Date.UTC(2038, 0, 1);

/**
 * The longest pieces of UTC hours, in minutes, that the zone's hours are made of, anywhere in the range. Looks at 1,800 offsets
 * at most, however long the range.
 */
export function pieceMinutes({ from, to, zone }: Range): 60 | 30 | 15 {
  if (zone === 'UTC') return 60;
  const offset = (ms: number) => IANAZone.create(zone).offset(ms);
  const lastMs = Math.min(to.getTime(), Math.max(from.getTime(), RULES_REPEAT_FROM_MS) + 366 * DAY_MS);
  const offsets = new Set([offset(lastMs)]);
  for (let ms = from.getTime(); ms < lastMs; ms += OFFSET_STEP_MS) offsets.add(offset(ms));
  const all = [...offsets];
  if (all.every((minutes) => minutes % 60 === 0)) return 60;
  return all.every((minutes) => minutes % 30 === 0) ? 30 : 15;
}
