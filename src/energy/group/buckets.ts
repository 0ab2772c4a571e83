import { DateTime } from 'luxon';
import { DAY_MS, HOUR_MS } from '#src/core/units.ts';
import { createSubDayUnitEndFinder, findOffset, listOffsets } from '../local-time.ts';
import { type DayRange, isSubDayUnit, SUB_DAY_UNIT_MINUTES, splitRangeByDays } from '../ranges.ts';
import type { GroupBucketUnit } from '../usage/groups.ts';
import { getStartOfSubDayUnit } from '../wall-clock.ts';

export interface NamedBucket {
  name: string;
  fromMs: number;
  toMs: number;
}

export function listBuckets(range: DayRange, unit: GroupBucketUnit): NamedBucket[] {
  const [fromMs, toMs] = [range.from.getTime(), range.to.getTime()];
  if (unit === 'span') return [{ name: '', fromMs, toMs }];
  if (unit === 'month') return [{ name: `${range.start.slice(0, 7)}-01`, fromMs, toMs }];
  const buckets: NamedBucket[] = [];
  if (unit === 'day') {
    for (const { start, from, to } of splitRangeByDays(range, 1))
      buckets.push({ name: start, fromMs: from.getTime(), toMs: to.getTime() });
    return buckets;
  }
  const endOf = createSubDayUnitEndFinder(range, unit);
  const offset = findOffset(listOffsets(range), fromMs);
  for (let startMs = getStartOfSubDayUnit(fromMs, { offset }, unit), endMs = 0; startMs < toMs; startMs = endMs) {
    endMs = endOf(startMs);
    buckets.push({ name: String(startMs / 1_000), fromMs: startMs, toMs: endMs });
  }
  return buckets;
}

/** Returns the number of hours in a range. A partial hour counts as one. */
const countHours = ({ from, to }: DayRange): number => Math.ceil((to.getTime() - from.getTime()) / HOUR_MS);

/** Returns the number of rows that are read per home. */
export const countRowsToRead = (range: DayRange, unit: GroupBucketUnit): number =>
  countHours(range) * (isSubDayUnit(unit) ? 60 / SUB_DAY_UNIT_MINUTES[unit] : 1);

export const getFirstDayOfMonth = ({ start }: DayRange): string => `${start.slice(0, 8)}01`;

/** Whether a range consists of all days of one month. */
export const isWholeMonth = (range: DayRange): boolean =>
  range.start === getFirstDayOfMonth(range) &&
  range.end === DateTime.fromISO(range.start, { zone: 'utc' }).endOf('month').toISODate();

/**
 * Returns the UTC month that contains a range, and the parts of the month outside the range. Null if the range is less than half of the
 * month or its zone is not UTC.
 */
export function findCoveringUtcMonth(
  range: DayRange,
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
  return restHours < countHours(range) ? { ...month, rest, restHours } : null;
}

export function* listDays({ start, end }: Pick<DayRange, 'start' | 'end'>): Generator<string> {
  for (let ms = Date.parse(start); ms <= Date.parse(end); ms += DAY_MS) yield new Date(ms).toISOString().slice(0, 10);
}

/** Returns the missing days as ranges of consecutive days. */
export function findMissingDays(
  days: Iterable<string>,
  isThere: (day: string) => boolean,
): { start: string; end: string }[] {
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
