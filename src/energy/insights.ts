import { mapWithoutBlocking } from '#src/core/turns.ts';
import { castToMilliwattHours, type MilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { createRowTimeLabeller, findTimeOfDayLabel, type RowTimeLabels } from './clock-labels.ts';
import { type HomeLoadingOptions, loadHome } from './home/home.ts';
import { type HomeInsight, loadHomeInsights, loadHomeTotals } from './home/insights.ts';
import type { IncludableField } from './include.ts';
import { formatHour, getHourOfDay } from './labels.ts';
import { type DayRange, isSubDayUnit, SUB_DAY_UNIT_MINUTES, splitRangeByDays } from './ranges.ts';
import {
  type BucketUnit,
  formatEpochDate,
  type ImportedEnergyByBucket,
  readImportedEnergy,
  readTotalImportedEnergy,
  type UserOrDevice,
} from './usage/imports.ts';

export type GroupBy = BucketUnit;

export interface UsageInsight extends RowTimeLabels {
  kwh_used: number;
  peak_hour: string | null;
}

const labelled = (hour: number | null): string | null => (hour === null ? null : formatHour(hour));
const NOTHING_MORE: ReadonlySet<IncludableField> = new Set();
/** Number of days in a page of rows by hour. With pages of 31 days, a year of hours took twice as long. */
const DAYS_OF_A_PAGE = 124;

/** Splits a range into pages, each of which one query reads. */
export const splitRangeIntoPages = (range: DayRange, groupBy: GroupBy): DayRange[] =>
  isSubDayUnit(groupBy)
    ? splitRangeByDays(range, Math.floor((DAYS_OF_A_PAGE * SUB_DAY_UNIT_MINUTES[groupBy]) / 60))
    : [range];

/** Returns the usage of a user's home with the fields of `include`. Omits rows without data. */
export async function loadUsageInsights(
  db: Database,
  userId: string,
  range: DayRange,
  groupBy: GroupBy,
  include = NOTHING_MORE,
): Promise<HomeInsight[]> {
  const rows: HomeInsight[] = [];
  for await (const page of streamInsightPages(db, userId, range, groupBy, include)) rows.push(...page);
  return rows;
}

/** Yields the rows of `loadUsageInsights` page by page, each from a separate query. */
export async function* streamInsightPages(
  db: Database,
  userId: string,
  range: DayRange,
  groupBy: GroupBy,
  include = NOTHING_MORE,
): AsyncGenerator<HomeInsight[]> {
  let home = include.size === 0 ? null : await loadHome(db, userId, needsOf(include));
  for (const stretch of splitRangeIntoPages(range, groupBy)) {
    const rows = home ? null : await loadImportedEnergyInsights(db, { userId }, stretch, groupBy);
    home ??= rows ? null : await loadHome(db, userId, needsOf(include));
    yield rows ?? (home ? await loadHomeInsights(db, home, stretch, groupBy, include) : []);
  }
}

const needsOf = (include: ReadonlySet<IncludableField>): HomeLoadingOptions => ({
  isMoreAsked: include.size > 0,
  needsConsumption: include.has('consumption') || include.has('untracked'),
});

/** Returns imports in rows by the range's time zone. Null if the home's usage is not the sum of its imports. */
export async function loadImportedEnergyInsights(
  db: Database,
  whose: UserOrDevice,
  range: DayRange,
  groupBy: GroupBy,
): Promise<UsageInsight[] | null> {
  const found = await readImportedEnergy(db, whose, range, groupBy);
  return found && insightsOf(found, range, groupBy);
}

/** Yields to the event loop between batches of rows. */
function insightsOf(
  { at, milliwattHours, peaks }: ImportedEnergyByBucket,
  range: DayRange,
  groupBy: GroupBy,
): Promise<UsageInsight[]> {
  const used = (place: number) => milliwattHoursToKwh(milliwattHours[place] as MilliwattHours);
  if (isSubDayUnit(groupBy)) {
    const labelsOf = createRowTimeLabeller(range, groupBy);
    return mapWithoutBlocking(at, (second, place) => {
      const labels = labelsOf(new Date(second * 1_000));
      return { ...labels, kwh_used: used(place), peak_hour: findTimeOfDayLabel(labels) };
    });
  }
  return mapWithoutBlocking(at, (second, place) => {
    const peak = peaks[place] ?? null;
    const hour = groupBy === 'day' && peak !== null ? getHourOfDay(peak * 1_000, range.zone) : peak;
    return { date: formatEpochDate(second), kwh_used: used(place), peak_hour: labelled(hour) };
  });
}

/** Returns the totals of a range with the requested fields. */
export async function loadUsageSummary(db: Database, userId: string, range: DayRange, include = NOTHING_MORE) {
  const total = include.size > 0 ? null : await readTotalImportedEnergy(db, { userId }, range);
  if (!total) return loadHomeTotals(db, await loadHome(db, userId, needsOf(include)), range, include);
  const { milliwattHours, days, peakHourOfDay } = total;
  return {
    total_kwh: milliwattHoursToKwh(milliwattHours),
    avg_daily_kwh: days === 0 ? 0 : milliwattHoursToKwh(castToMilliwattHours(milliwattHours / days)),
    peak_usage_time: labelled(peakHourOfDay),
    included: {},
  };
}
