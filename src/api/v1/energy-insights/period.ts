import { z } from 'zod';
import { unprocessable } from '#src/core/errors.ts';
import type { GroupBy } from '#src/energy/insights.ts';
import { CLOCK_UNITS, dayCount, isClockUnit, monthCount } from '#src/energy/ranges.ts';

/** Unit of the rows. */
export const grouping = z
  .enum(['day', 'month', 'hour', 'half_hour', 'quarter_hour'] satisfies GroupBy[])
  .describe(
    'Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.',
  );

/** Maximum number of rows in one response. */
const MAX_ROWS = 10_000;

/** Returns the requested days, or null if none were given. Throws 422 if they are inconsistent or too many. */
export function period(start: string | undefined, end: string | undefined, groupBy: GroupBy | undefined) {
  if (start === undefined && end === undefined) {
    if (groupBy === undefined) return null;
    throw unprocessable({ field: 'group_by', message: 'needs start and end' });
  }
  if (start === undefined) throw unprocessable({ field: 'start', message: 'is required together with end' });
  if (end === undefined) throw unprocessable({ field: 'end', message: 'is required together with start' });
  if (end < start) throw unprocessable({ field: 'end', message: 'must not lie before start' });
  if (countRows(start, end, groupBy ?? 'day') > MAX_ROWS) {
    const message = `the range has more than ${MAX_ROWS} rows; request a shorter range, or group by month`;
    throw unprocessable({ field: 'end', message });
  }
  return { start, end, groupBy: groupBy ?? 'day' };
}

/** Returns the number of rows of a range, with 24 hours a day. */
export function countRows(start: string, end: string, groupBy: GroupBy): number {
  if (groupBy === 'month') return monthCount(start, end);
  return dayCount(start, end) * (isClockUnit(groupBy) ? (24 * 60) / CLOCK_UNITS[groupBy] : 1);
}

/** Returns the columns of a table that identify the time of a row. */
export function timeColumns(groupBy: GroupBy): string[] {
  if (!isClockUnit(groupBy)) return ['date'];
  return ['date', groupBy === 'hour' ? 'hour' : 'time', 'starts_at'];
}
