import { castToMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { createRowTimeLabeller, findTimeOfDayLabel } from '../clock-labels.ts';
import type { HomeInsight } from '../home/insights.ts';
import { hasKnownRequestedValue, selectIncludedFields } from '../include.ts';
import type { GroupBy } from '../insights.ts';
import { formatHour, getHourOfDay } from '../labels.ts';
import {
  createDayRange,
  type DayRange,
  isSubDayUnit,
  SUB_DAY_UNIT_MINUTES,
  splitByMonth,
  splitRangeByDays,
} from '../ranges.ts';
import { computeGroupBuckets, type GroupBucket, UNKNOWN_HOME_MEASURES } from './add-up.ts';
import { findMissingDays, getFirstDayOfMonth, isWholeMonth, listDays } from './buckets.ts';
import type { GroupOfHomes } from './homes.ts';
import { computeCurrentMonthSums, type StoredGroupSums } from './stored-sums.ts';

/** Number of days in a page of rows by hour or day. Each page is a separate query. */
const DAYS_OF_A_PAGE = 31;

/**
 * Yields the combined usage of a group's homes page by page, in rows by the range's time zone. Omits rows without known usage. `stored`:
 * stored sums of days or months; missing ones are computed.
 */
export async function* streamGroupInsights(
  db: Database,
  group: GroupOfHomes,
  range: DayRange,
  groupBy: GroupBy,
  stored: StoredGroupSums | null = null,
): AsyncGenerator<HomeInsight[]> {
  const days = isSubDayUnit(groupBy)
    ? Math.floor((DAYS_OF_A_PAGE * SUB_DAY_UNIT_MINUTES[groupBy]) / 60)
    : DAYS_OF_A_PAGE;
  const stretches = groupBy === 'month' ? splitByMonth(range) : splitRangeByDays(range, days);
  for (const stretch of stretches) {
    const { found, missing } = keptIn(stored, stretch, groupBy);
    for (const part of missing)
      found.push(
        ...(stored && hasBegun(stored, part, groupBy)
          ? await computeCurrentMonthSums(db, stored.groupId, group, part)
          : await computeGroupBuckets(db, group, part, groupBy)),
      );
    found.sort((a, b) => (a.bucket < b.bucket ? -1 : 1));
    yield rowsOf(found, group, stretch, groupBy);
  }
}

/** Returns the totals of a group over a range. */
export async function loadGroupSummary(db: Database, group: GroupOfHomes, range: DayRange) {
  const [whole] = await computeGroupBuckets(db, group, range, 'span');
  const { measures, peak } = whole ?? { measures: UNKNOWN_HOME_MEASURES, peak: null };
  return {
    kwh_used: milliwattHoursToKwh(measures.used ?? castToMilliwattHours(0)),
    peak_usage_time: peak === null ? null : formatHour(peak),
    ...selectIncludedFields(measures, group.include),
  };
}

/** Returns the stored sums for a page, and the ranges without a stored sum. */
function keptIn(
  stored: StoredGroupSums | null,
  page: DayRange,
  groupBy: GroupBy,
): { found: GroupBucket[]; missing: DayRange[] } {
  if (!stored || stored.sums.size === 0 || isSubDayUnit(groupBy)) return { found: [], missing: [page] };
  const { sums } = stored;
  if (groupBy === 'month') {
    const month = isWholeMonth(page) && sums.get(getFirstDayOfMonth(page));
    return month ? { found: [month], missing: [] } : { found: [], missing: [page] };
  }
  const days = [...listDays(page)];
  return {
    found: days.flatMap((day) => sums.get(day) ?? []),
    missing: findMissingDays(days, (day) => sums.has(day)).map(({ start, end }) =>
      createDayRange(start, end, page.zone),
    ),
  };
}

/** Whether a sum of the month's first days is stored, and the range contains all of these days. */
const hasBegun = ({ monthToDate }: StoredGroupSums, { start, end }: DayRange, groupBy: GroupBy): boolean =>
  groupBy === 'month' && monthToDate !== null && monthToDate.month === start && monthToDate.end <= end;

function rowsOf(
  found: readonly GroupBucket[],
  { include }: GroupOfHomes,
  range: DayRange,
  groupBy: GroupBy,
): HomeInsight[] {
  const labelsOf = isSubDayUnit(groupBy) ? createRowTimeLabeller(range, groupBy) : null;
  return found.flatMap(({ bucket, measures, peak }) => {
    if (!hasKnownRequestedValue(measures, include)) return [];
    const kwh_used = measures.used === null ? null : milliwattHoursToKwh(measures.used);
    const more = selectIncludedFields(measures, include);
    if (labelsOf) {
      const labels = labelsOf(new Date(Number(bucket) * 1_000));
      return [{ ...labels, kwh_used, peak_hour: findTimeOfDayLabel(labels), ...more }];
    }
    const hour = peak !== null && groupBy === 'day' ? getHourOfDay(peak * 1_000, range.zone) : peak;
    return [{ date: bucket, kwh_used, peak_hour: hour === null ? null : formatHour(hour), ...more }];
  });
}
