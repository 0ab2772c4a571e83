import { DateTime } from 'luxon';
import { readNumber } from './number.ts';

/** Before this a clock was never set (1970 before NTP, 2000 after a reset), or counts its uptime. */
const EARLIEST_MS = Date.UTC(2020, 0, 1);
/** How far a clock may run ahead; as for native devices. */
const FUTURE_MS = 5 * 60_000;
/** Unix seconds reach this size in the year 5138; milliseconds had it in 1973. */
const SMALLEST_UNIX_MS = 100_000_000_000;
const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?$/i;

/** A time that can be trusted; null: before 2020, or in the future, so the time of receipt holds. */
export const trusted = (ms: number | null, receivedAtMs: number): number | null =>
  ms !== null && Number.isFinite(ms) && ms >= EARLIEST_MS && ms <= receivedAtMs + FUTURE_MS ? Math.round(ms) : null;

/** Unix seconds or milliseconds, told apart by size. */
export const fromUnix = (value: number): number => (Math.abs(value) >= SMALLEST_UNIX_MS ? value : value * 1_000);

/**
 * ISO 8601 as Unix ms. Without a zone it is local time of `tz` (IANA), and null where that is not known. Of the hour that
 * comes twice in autumn the one nearer to the receipt is meant.
 */
export function fromIso(text: unknown, options: { tz?: string | undefined; receivedAtMs: number }): number | null {
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

/** How a message spells its own time: Unix seconds, Unix milliseconds, ISO 8601. Undefined: any; its form, and the size of a number, decide. */
export type TimeForm = 's' | 'ms' | 'iso' | undefined;

/** A message's own time in Unix ms. Null: there is none, or none to be trusted (`trusted`). */
export function readTime(
  value: unknown,
  form: TimeForm,
  options: { tz?: string | undefined; receivedAtMs: number },
): number | null {
  const iso = form === undefined || form === 'iso' ? fromIso(value, options) : null;
  if (iso !== null) return trusted(iso, options.receivedAtMs);
  const number = form === 'iso' ? undefined : readNumber(value);
  if (typeof number !== 'number') return null;
  const ms = form === undefined ? fromUnix(number) : form === 's' ? number * 1_000 : number;
  return trusted(ms, options.receivedAtMs);
}

/** Wall clock time (`2026-07-05T21:00:00`) of a zone as Unix ms; null where either is none. */
function fromLocal(local: string, tz: string, receivedAtMs: number): number | null {
  const read = DateTime.fromISO(local, { zone: tz });
  // A time that the clock leaves out in spring is none: luxon moves it.
  if (!read.isValid || !read.toISO({ includeOffset: false })?.startsWith(local.slice(0, 16))) return null;
  const all = read.getPossibleOffsets().map((one) => one.toMillis());
  return all.reduce((best, ms) => (Math.abs(ms - receivedAtMs) < Math.abs(best - receivedAtMs) ? ms : best));
}
