import { z } from 'zod';
import { unprocessable } from '#src/core/errors.ts';
import type { GroupBy } from '#src/energy/insights.ts';
import { dayCount, monthCount } from '#src/energy/ranges.ts';

/** Unit of the rows. */
export const grouping = z
  .enum(['day', 'month', 'hour'] satisfies GroupBy[])
  .describe('What each row covers. Default: `day`. A month covers those of its days that lie in the range.');

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
  const rows = { day: dayCount(start, end), hour: dayCount(start, end) * 24, month: monthCount(start, end) };
  if (rows[groupBy ?? 'day'] > MAX_ROWS) {
    const message = `the range makes more than ${MAX_ROWS} rows; ask for a shorter one, or group by month`;
    throw unprocessable({ field: 'end', message });
  }
  return { start, end, groupBy: groupBy ?? 'day' };
}
