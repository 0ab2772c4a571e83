import { DateTime } from 'luxon';
import { DAY_MS, HOUR_MS, QUARTER_MS } from '#src/core/units.ts';
import { endsOfHours, offsetsIn } from '../local-time.ts';
import { dayRange, type Range, stretchesOf } from '../ranges.ts';
import type { GroupUnit } from '../usage/groups.ts';

/** A bucket by the name that it is read with. */
export interface Bucket {
  name: string;
  fromMs: number;
  toMs: number;
}

/** The buckets of a range, by the names that they are read with. */
export function bucketsOf(range: Range, unit: GroupUnit): Bucket[] {
  const [fromMs, toMs] = [range.from.getTime(), range.to.getTime()];
  if (unit === 'span') return [{ name: '', fromMs, toMs }];
  if (unit === 'month') return [{ name: `${range.start.slice(0, 7)}-01`, fromMs, toMs }];
  const buckets: Bucket[] = [];
  if (unit === 'day') {
    for (const { start, from, to } of stretchesOf(range, 1))
      buckets.push({ name: start, fromMs: from.getTime(), toMs: to.getTime() });
    return buckets;
  }
  const endOf = endsOfHours(range);
  for (const startMs of startsOfHours(range))
    buckets.push({ name: String(startMs / 1_000), fromMs: startMs, toMs: endOf(startMs) });
  return buckets;
}

/** Starts of the clock hours of a range, Unix ms, as `startOfHour` tells them in SQL. */
function startsOfHours(range: Range): Iterable<number> {
  const { firstMs, changes } = offsetsIn(range);
  const starts = new Set<number>();
  for (let ms = range.from.getTime(); ms < range.to.getTime(); ms += QUARTER_MS) {
    const change = changes.findLast(({ atMs }) => atMs <= ms);
    const offsetMs = change?.offsetMs ?? firstMs;
    const hourMs = Math.floor((ms + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
    starts.add(Math.max(hourMs, change?.atMs ?? Number.NEGATIVE_INFINITY));
  }
  return starts;
}

/** Hours of a range, one that is begun counted. */
export const hoursIn = ({ from, to }: Range): number => Math.ceil((to.getTime() - from.getTime()) / HOUR_MS);

/** The first day of the month that a range lies in. */
export const monthOf = ({ start }: Range): string => `${start.slice(0, 8)}01`;

/** Whether a range is all days of its month. */
export const isWholeMonth = (range: Range): boolean =>
  range.start === monthOf(range) &&
  range.end === DateTime.fromISO(range.start, { zone: 'utc' }).endOf('month').toISODate();

/** The calendar months of a range, of each the days that lie in it. */
export function monthsOf({ start, end, zone }: Range): Range[] {
  const months: Range[] = [];
  for (let first = start; first <= end; ) {
    const month = DateTime.fromISO(first, { zone: 'utc' });
    const last = month.endOf('month').toISODate() ?? end;
    months.push(dayRange(first, last < end ? last : end, zone));
    first = month.startOf('month').plus({ months: 1 }).toISODate() ?? '9999';
  }
  return months;
}

/**
 * The UTC month that the range is more than half of, and what of it is not in the range; null where hours of the day that are kept by month
 * do not tell it faster.
 */
export function mostOfUtcMonth(
  range: Range,
): { from: Date; to: Date; rest: { from: Date; to: Date }[]; restHours: number } | null {
  if (range.zone !== 'UTC') return null;
  const start = DateTime.fromJSDate(range.from, { zone: 'utc' }).startOf('month');
  const month = { from: start.toJSDate(), to: start.plus({ months: 1 }).toJSDate() };
  if (range.to > month.to) return null;
  const rest = [
    { from: month.from, to: range.from },
    { from: range.to, to: month.to },
  ].filter(({ from, to }) => from < to);
  const restHours = rest.reduce((sum, { from, to }) => sum + (to.getTime() - from.getTime()) / HOUR_MS, 0);
  return restHours < hoursIn(range) ? { ...month, rest, restHours } : null;
}

/** The days of a range, YYYY-MM-DD. */
export function* daysOf({ start, end }: Pick<Range, 'start' | 'end'>): Generator<string> {
  for (let ms = Date.parse(start); ms <= Date.parse(end); ms += DAY_MS) yield new Date(ms).toISOString().slice(0, 10);
}

/** The days that are missing, as stretches without a gap. */
export function gapsIn(days: Iterable<string>, isThere: (day: string) => boolean): { start: string; end: string }[] {
  const gaps: { start: string; end: string }[] = [];
  let isGap = false;
  for (const day of days) {
    const last = gaps.at(-1);
    if (isThere(day)) isGap = false;
    else if (isGap && last) last.end = day;
    else {
      gaps.push({ start: day, end: day });
      isGap = true;
    }
  }
  return gaps;
}
