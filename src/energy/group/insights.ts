import { asMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { HomeInsight } from '../home/insights.ts';
import { hourLabels } from '../hour-labels.ts';
import { included, isAnythingKnown } from '../include.ts';
import type { GroupBy } from '../insights.ts';
import { hourLabel, hourOfDay } from '../labels.ts';
import { dayRange, type Range, stretchesOf } from '../ranges.ts';
import { addedUp, NOTHING_KNOWN, type Told } from './add-up.ts';
import { daysOf, gapsIn, isWholeMonth, monthOf, monthsOf } from './buckets.ts';
import type { GroupOfHomes } from './homes.ts';
import { goneOn, type KeptSums } from './kept.ts';

/** Days of a page; each page is a separate query. */
const DAYS_OF_A_PAGE = 31;

/**
 * Yields the combined usage of a group's homes by day, month or hour of the range's zone, with the requested fields, page by page. A bucket
 * is the sum of the known usage of each home, and is left out if nothing is known. `kept`: stored sums of days or months; missing ones are
 * computed, and a begun month continues from its stored days.
 */
export async function* groupPages(
  db: Database,
  group: GroupOfHomes,
  range: Range,
  groupBy: GroupBy,
  kept: KeptSums | null = null,
): AsyncGenerator<HomeInsight[]> {
  const stretches = groupBy === 'month' ? monthsOf(range) : stretchesOf(range, DAYS_OF_A_PAGE);
  for (const stretch of stretches) {
    const { told, missing } = keptIn(kept, stretch, groupBy);
    for (const part of missing)
      told.push(
        ...(kept && hasBegun(kept, part, groupBy)
          ? await goneOn(db, kept.groupId, group, part)
          : await addedUp(db, group, part, groupBy)),
      );
    told.sort((a, b) => (a.bucket < b.bucket ? -1 : 1));
    yield rowsOf(told, group, stretch, groupBy);
  }
}

/** Returns totals of a group over a range, as the endpoint variant without dates reports them. */
export async function groupSummary(db: Database, group: GroupOfHomes, range: Range) {
  const [told] = await addedUp(db, group, range, 'span');
  const { measures, peak } = told ?? { measures: NOTHING_KNOWN, peak: null };
  return {
    kwh_used: milliwattHoursToKwh(measures.used ?? asMilliwattHours(0)),
    peak_usage_time: peak === null ? null : hourLabel(peak),
    ...included(measures, group.include),
  };
}

/** Returns the stored sums of a page, and the ranges of the page without stored sums. */
function keptIn(kept: KeptSums | null, page: Range, groupBy: GroupBy): { told: Told[]; missing: Range[] } {
  if (!kept || kept.sums.size === 0 || groupBy === 'hour') return { told: [], missing: [page] };
  const { sums } = kept;
  if (groupBy === 'month') {
    const told = isWholeMonth(page) && sums.get(monthOf(page));
    return told ? { told: [told], missing: [] } : { told: [], missing: [page] };
  }
  const days = [...daysOf(page)];
  return {
    told: days.flatMap((day) => sums.get(day) ?? []),
    missing: gapsIn(days, (day) => sums.has(day)).map(({ start, end }) => dayRange(start, end, page.zone)),
  };
}

/** Whether the first days of a month are stored and lie in the requested range. */
const hasBegun = ({ begun }: KeptSums, { start, end }: Range, groupBy: GroupBy): boolean =>
  groupBy === 'month' && begun !== null && begun.month === start && begun.end <= end;

function rowsOf(told: readonly Told[], { include }: GroupOfHomes, range: Range, groupBy: GroupBy): HomeInsight[] {
  const labelsOf = hourLabels(range);
  return told.flatMap(({ bucket, measures, peak }) => {
    if (!isAnythingKnown(measures, include)) return [];
    const kwh_used = measures.used === null ? null : milliwattHoursToKwh(measures.used);
    const more = included(measures, include);
    if (groupBy === 'hour') {
      const labels = labelsOf(new Date(Number(bucket) * 1_000));
      return [{ ...labels, kwh_used, peak_hour: labels.hour, ...more }];
    }
    const hour = peak !== null && groupBy === 'day' ? hourOfDay(new Date(peak * 1_000), range.zone) : peak;
    return [{ date: bucket, kwh_used, peak_hour: hour === null ? null : hourLabel(hour), ...more }];
  });
}
