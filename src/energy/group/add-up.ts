import { setImmediate } from 'node:timers/promises';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { Home } from '../home/home.ts';
import { listHoursOfRoleChanges, MAX_HOURS_OF_ROLE_CHANGES } from '../home/role-periods.ts';
import { computeExpectedCoverageMs } from '../home/roles.ts';
import { computeHomeMeasures, type HomeMeasures, type HomeSums } from '../home/sums.ts';
import { createDayRange, type DayRange, isSubDayUnit } from '../ranges.ts';
import {
  type GroupBucketUnit,
  readMonthUsageOfPlainHomes,
  readUsageOfComposedHomes,
  readUsageOfPlainHomes,
} from '../usage/groups.ts';
import { countRowsToRead, findCoveringUtcMonth, listBuckets, type NamedBucket } from './buckets.ts';
import { type GroupOfHomes, splitIntoChunks } from './homes.ts';
import type { MonthToDate } from './month-to-date.ts';
import type { BucketPartUsage } from './part.ts';
import { GroupTotalsAccumulator } from './totals.ts';

/**
 * Maximum numbers of rows per statement, which then takes some tenths of a second. `PLAIN_HOURS`: rows read for homes whose usage is the
 * sum of their imports. `COMPOSED_HOURS`: rows read for other homes. `MAX_ROWS`: rows returned for other homes.
 */
const PLAIN_HOURS = 1_000_000;
const COMPOSED_HOURS = 100_000;
const MAX_ROWS = 20_000;

/** Sums of a group in one row of a response. `peak`: the hour, or hour of the day, with the highest usage of all homes together. */
export interface GroupBucket {
  bucket: string;
  measures: HomeMeasures;
  peak: number | null;
}

/**
 * Returns the combined sums of a group's homes. Omits rows for which nothing is known. `monthToDate`: stored sums of the current month's
 * first days, read in the same database snapshot. They are added to those of the later days.
 */
export async function computeGroupBuckets(
  db: Database,
  group: GroupOfHomes,
  range: DayRange,
  unit: GroupBucketUnit,
  monthToDate: MonthToDate | null = null,
): Promise<GroupBucket[]> {
  const totals = await totalsOf(db, group, range, unit, monthToDate);
  return totals.names().map((bucket) => ({ bucket, measures: totals.measures(bucket), peak: totals.peak(bucket) }));
}

async function totalsOf(
  db: Database,
  group: GroupOfHomes,
  range: DayRange,
  unit: GroupBucketUnit,
  monthToDate: MonthToDate | null,
): Promise<GroupTotalsAccumulator> {
  const totals = new GroupTotalsAccumulator();
  if (monthToDate) totals.addParts(monthToDate.parts, true);
  const rest = monthToDate ? getRangeAfterDay(monthToDate.end, range) : range;
  for await (const parts of streamUsageOfPlainHomes(db, group.plain, rest, unit)) totals.addParts(parts, true);
  const buckets = group.include.has('coverage') ? listBuckets(range, unit) : [];
  for await (const composed of group.composed())
    await addComposed(db, totals, composed, { range: rest, unit, buckets, monthToDate });
  return totals;
}

/** Returns the days of a range after a given day. */
export const getRangeAfterDay = (day: string, { end, zone }: DayRange): DayRange =>
  createDayRange(new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10), end, zone);

/** Yields the combined usage of homes whose usage is the sum of their devices' imports. */
export async function* streamUsageOfPlainHomes(
  db: Database,
  userIds: readonly string[],
  range: DayRange,
  unit: GroupBucketUnit,
): AsyncGenerator<BucketPartUsage[]> {
  if (range.from >= range.to) return;
  const month = unit === 'month' ? findCoveringUtcMonth(range) : null;
  if (month) {
    for (const ids of splitIntoChunks(userIds, PLAIN_HOURS / (24 + month.restHours)))
      yield await readMonthUsageOfPlainHomes(db, ids, month, month.rest);
  } else {
    for (const ids of splitIntoChunks(userIds, PLAIN_HOURS / countRowsToRead(range, unit)))
      yield await readUsageOfPlainHomes(db, ids, range, unit);
  }
}

/**
 * Adds homes whose usage is not the sum of their imports. `buckets`: the rows to which the expected time of each home is added; empty
 * unless coverage is requested.
 */
async function addComposed(
  db: Database,
  totals: GroupTotalsAccumulator,
  composed: readonly Home[],
  {
    range,
    unit,
    buckets,
    monthToDate,
  }: { range: DayRange; unit: GroupBucketUnit; buckets: readonly NamedBucket[]; monthToDate: MonthToDate | null },
): Promise<void> {
  for (const homes of splitHomesIntoBatches(composed, range, unit)) {
    const read = await readUsageOfComposedHomes(db, homes, range, unit, monthToDate);
    totals.addParts(read.parts, false);
    const byHome = Map.groupBy(read.buckets, ({ home }) => home);
    for (const [place, home] of homes.entries()) {
      const bucketsOfHome = byHome.get(place) ?? [];
      if (buckets.length > 0) addCovered(totals, home, bucketsOfHome, buckets);
      else
        for (const sums of bucketsOfHome) totals.addHome(sums.bucket, computeHomeMeasures(sums, home.had, 0), sums, 0);
    }
    // Other requests are served between batches.
    await setImmediate();
  }
}

/** Adds a home to every row for which its data are expected, even if there are none. */
function addCovered(
  totals: GroupTotalsAccumulator,
  home: Home,
  told: readonly (HomeSums & { bucket: string })[],
  buckets: readonly NamedBucket[],
): void {
  const byName = new Map(told.map((sums) => [sums.bucket, sums]));
  for (const { name, fromMs, toMs } of buckets) {
    const sums = byName.get(name);
    const expected = computeExpectedCoverageMs(home.devices, home.stretches, { fromMs, toMs });
    if (!sums && expected === 0) continue;
    totals.addHome(
      name,
      sums ? computeHomeMeasures(sums, home.had, expected) : UNKNOWN_HOME_MEASURES,
      sums ?? null,
      expected,
    );
  }
}

/** Measures of a row without data. */
export const UNKNOWN_HOME_MEASURES: HomeMeasures = {
  used: null,
  gridImport: null,
  gridExport: null,
  production: null,
  charged: null,
  discharged: null,
  consumption: null,
  untracked: null,
  exported: null,
  selfConsumed: null,
  autarky: null,
  estimated: null,
  coverage: null,
  isComplete: null,
};

/** Splits homes into batches, each for one statement with a limited number of rows. */
export function* splitHomesIntoBatches(
  homes: readonly Home[],
  range: DayRange,
  unit: GroupBucketUnit,
): Generator<readonly Home[]> {
  const hours = Math.max(1, countRowsToRead(range, unit));
  const rows = isSubDayUnit(unit) ? hours : { day: hours / 24, month: 1, span: 1 }[unit];
  const size = Math.max(1, Math.floor(Math.min(COMPOSED_HOURS / hours, MAX_ROWS / rows)));
  let batch: Home[] = [];
  let cut = new Set<number>();
  const ordered = [...homes].sort(
    (a, b) => listHoursOfRoleChanges(a, range).length - listHoursOfRoleChanges(b, range).length,
  );
  for (const home of ordered) {
    const more = new Set([...cut, ...listHoursOfRoleChanges(home, range)]);
    if (batch.length > 0 && (batch.length >= size || more.size > MAX_HOURS_OF_ROLE_CHANGES)) {
      yield batch;
      batch = [];
      cut = new Set(listHoursOfRoleChanges(home, range));
    } else cut = more;
    batch.push(home);
  }
  if (batch.length > 0) yield batch;
}
