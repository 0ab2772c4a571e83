import { DateTime } from 'luxon';
import { readNumber } from './number.ts';

/**
 * Earliest plausible time of a message. Earlier times come from clocks that were never set (1970 before NTP, 2000 after a reset) or that
 * count uptime.
 */
const EARLIEST_MS = Date.UTC(2020, 0, 1);
/** Maximum time that a device's clock may be ahead of the service's clock. The same limit applies to native devices. */
const FUTURE_MS = 5 * 60_000;
/** Threshold between Unix seconds and milliseconds: seconds reach this value in the year 5138; milliseconds passed it in 1973. */
const SMALLEST_UNIX_MS = 100_000_000_000;
const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?$/i;

/** Returns a plausible time unchanged. Returns null for a time before 2020 or in the future; the caller then uses the time of receipt. */
export const discardImplausibleTime = (ms: number | null, receivedAtMs: number): number | null =>
  ms !== null && Number.isFinite(ms) && ms >= EARLIEST_MS && ms <= receivedAtMs + FUTURE_MS ? Math.round(ms) : null;

/** Converts Unix seconds or milliseconds, distinguished by size, to milliseconds. */
export const convertUnixTimeToMs = (value: number): number =>
  Math.abs(value) >= SMALLEST_UNIX_MS ? value : value * 1_000;

/**
 * Parses ISO 8601 into Unix ms. A time without a zone is local time in `tz` (IANA); if `tz` is not set, the result is null. In the hour
 * that occurs twice in autumn, the time nearer to the receipt is used.
 */
export function parseIsoTime(text: unknown, options: { tz?: string | undefined; receivedAtMs: number }): number | null {
  if (typeof text !== 'string' || text.length > 40) return null;
  const parts = ISO.exec(text.trim());
  if (!parts) return null;
  const [, date, time, zone] = parts;
  const local = `${date}T${time?.replace(',', '.')}`;
  if (zone !== undefined) {
    const read = DateTime.fromISO(local + zone.toUpperCase(), { zone: 'utc' });
    return read.isValid ? read.toMillis() : null;
  }
  return options.tz === undefined ? null : fromLocal(local, options.tz, options.receivedAtMs);
}

/**
 * Format of a message's time: Unix seconds, Unix milliseconds, ISO 8601 or the time of a P1 telegram. Undefined means one of the first
 * three formats, which the form and the size of the number distinguish.
 */
type MessageTimeFormat = 's' | 'ms' | 'iso' | 'p1' | undefined;

/** Returns the message's own time in Unix ms; null if the message has no time or an implausible time (`discardImplausibleTime`). */
export function parseMessageTime(
  value: unknown,
  form: MessageTimeFormat,
  options: { tz?: string | undefined; receivedAtMs: number },
): number | null {
  if (form === 'p1') return discardImplausibleTime(parseP1Timestamp(value, options), options.receivedAtMs);
  const iso = form === undefined || form === 'iso' ? parseIsoTime(value, options) : null;
  if (iso !== null) return discardImplausibleTime(iso, options.receivedAtMs);
  const number = form === 'iso' ? undefined : readNumber(value);
  if (typeof number !== 'number') return null;
  const ms = form === undefined ? convertUnixTimeToMs(number) : form === 's' ? number * 1_000 : number;
  return discardImplausibleTime(ms, options.receivedAtMs);
}

/** Converts local time (`2026-07-05T21:00:00`) of a time zone to Unix ms; returns null if the time or the zone is invalid. */
function fromLocal(local: string, tz: string, receivedAtMs: number): number | null {
  const read = DateTime.fromISO(local, { zone: tz });
  // A local time that the clock skips in spring is invalid. luxon would return a later time instead.
  if (!read.isValid || !read.toISO({ includeOffset: false })?.startsWith(local.slice(0, 16))) return null;
  const all = read.getPossibleOffsets().map((one) => one.toMillis());
  return all.reduce((best, ms) => (Math.abs(ms - receivedAtMs) < Math.abs(best - receivedAtMs) ? ms : best));
}

/**
 * Matches the time in a P1 telegram: two digits each for year, month, day, hour, minute and second, then S (summer time), W (winter time)
 * or nothing.
 */
const P1_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)([SW]?)$/;
/** UTC offsets of summer time (S) and winter time (W) in the countries with P1 ports. */
const OFFSETS: Record<string, string> = { S: '+02:00', W: '+01:00' };

/**
 * Parses a meter's time (`211205210829W`) into Unix ms. The letter is S for summer time or W for winter time. Without the letter, the time
 * is local in the zone `tz`. Returns null if the time is invalid, or if it has no letter and `tz` is not set.
 */
function parseP1Timestamp(text: unknown, options: { tz?: string | undefined; receivedAtMs: number }): number | null {
  if (typeof text !== 'string' || text.length > 20) return null;
  const [, year, month, day, hour, minute, second, season] = P1_TIME.exec(text.trim()) ?? [];
  if (year === undefined) return null;
  return parseIsoTime(`20${year}-${month}-${day}T${hour}:${minute}:${second}${OFFSETS[season ?? ''] ?? ''}`, options);
}
