import { DateTime } from 'luxon';
import { mapWithoutBlocking } from '#src/core/turns.ts';
import { castToMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { createRowTimeLabeller, findTimeOfDayLabel, type RowTimeLabels } from '../clock-labels.ts';
import { hasKnownRequestedValue, type IncludableField, type IncludedFields, selectIncludedFields } from '../include.ts';
import { formatHour, getHourOfDay } from '../labels.ts';
import { createSubDayUnitEndFinder } from '../local-time.ts';
import { createDayRange, type DayRange, isSubDayUnit, type SubDayUnit } from '../ranges.ts';
import {
  readHomeSummary,
  readHomeSumsByDay,
  readHomeSumsByMonth,
  readHomeSumsBySubDayUnit,
} from '../usage/home-sums.ts';
import type { Home } from './home.ts';
import { computeExpectedCoverageMs } from './roles.ts';
import { computeHomeMeasures, computeHomeUsage, type HomeMeasures, type HomeSums } from './sums.ts';

/** A row about the usage of a home. `kwh_used` is null if only other fields are known. */
export type HomeInsight = RowTimeLabels &
  IncludedFields & {
    kwh_used: number | null;
    peak_hour: string | null;
  };

interface HomeBucketInsight {
  insight: HomeInsight;
  /** Time in ms for which the home's usage is known, and for which it is expected to be. Both are 0 if coverage is not requested. */
  knownMs: number;
  expectedMs: number;
}

/** Derives the measures of a row from its sums. `expectedMs`: time for which data are expected. */
type Tell = (sums: HomeSums, expectedMs: number) => HomeMeasures;

/** Returns the usage of a home, in rows by the range's time zone. Omits rows in which no requested field is known. */
export async function loadHomeInsights(...asked: Parameters<typeof loadHomeBuckets>): Promise<HomeInsight[]> {
  return (await loadHomeBuckets(...asked)).map(({ insight }) => insight);
}

/** Returns the usage of a home with the coverage of each row. */
export async function loadHomeBuckets(
  db: Database,
  home: Home,
  range: DayRange,
  groupBy: SubDayUnit | 'day' | 'month',
  include: ReadonlySet<IncludableField>,
  tell: Tell = (sums, expected) => computeHomeMeasures(sums, home.had, expected),
): Promise<HomeBucketInsight[]> {
  const buckets: HomeBucketInsight[] = [];
  const add = (
    head: RowTimeLabels,
    peak_hour: string | null,
    sums: HomeSums,
    bucket: () => { fromMs: number; toMs: number },
  ) => {
    const expectedMs = expectedIn(home, include, bucket);
    const measures = tell(sums, expectedMs);
    if (!hasKnownRequestedValue(measures, include)) return;
    const insight = { ...head, kwh_used: kwhOf(measures), peak_hour, ...selectIncludedFields(measures, include) };
    buckets.push({ insight, knownMs: include.has('coverage') ? (sums.countedMs ?? 0) : 0, expectedMs });
  };
  if (isSubDayUnit(groupBy)) {
    const [labelsOf, endOf] = [createRowTimeLabeller(range, groupBy), createSubDayUnitEndFinder(range, groupBy)];
    await mapWithoutBlocking(await readHomeSumsBySubDayUnit(db, home, range, groupBy), ({ startsAt, ...sums }) => {
      const labels = labelsOf(startsAt);
      const bucket = () => ({ fromMs: startsAt.getTime(), toMs: endOf(startsAt.getTime()) });
      add(labels, findTimeOfDayLabel(labels), sums, bucket);
    });
  } else if (groupBy === 'day') {
    for (const { day, peak, ...sums } of await readHomeSumsByDay(db, home, range)) {
      const label = peak && formatHour(getHourOfDay(peak.getTime(), range.zone));
      add({ date: day }, label, sums, () => boundsOf(createDayRange(day, day, range.zone)));
    }
  } else {
    for (const { month, peakHourOfDay, ...sums } of await readHomeSumsByMonth(db, home, range)) {
      const last = DateTime.fromISO(month).endOf('month').toISODate() ?? month;
      const [start, end] = [month < range.start ? range.start : month, last > range.end ? range.end : last];
      const label = peakHourOfDay === null ? null : formatHour(peakHourOfDay);
      add({ date: month }, label, sums, () => boundsOf(createDayRange(start, end, range.zone)));
    }
  }
  return buckets;
}

export async function loadHomeTotals(db: Database, home: Home, range: DayRange, include: ReadonlySet<IncludableField>) {
  const { days, peakHourOfDay, ...sums } = await readHomeSummary(db, home, range);
  const used = computeHomeUsage(sums) ?? 0;
  return {
    total_kwh: milliwattHoursToKwh(castToMilliwattHours(used)),
    avg_daily_kwh: days === 0 ? 0 : milliwattHoursToKwh(castToMilliwattHours(used / days)),
    peak_usage_time: peakHourOfDay === null ? null : formatHour(peakHourOfDay),
    included: selectIncludedFields(
      computeHomeMeasures(
        sums,
        home.had,
        expectedIn(home, include, () => boundsOf(range)),
      ),
      include,
    ),
  };
}

const boundsOf = ({ from, to }: DayRange) => ({ fromMs: from.getTime(), toMs: to.getTime() });

/** Returns the time for which data are expected in each row. Computed only on request, because it takes long. */
const expectedIn = (
  home: Home,
  include: ReadonlySet<IncludableField>,
  bucket: () => { fromMs: number; toMs: number },
): number => (include.has('coverage') ? computeExpectedCoverageMs(home.devices, home.stretches, bucket()) : 0);

const kwhOf = ({ used }: HomeMeasures): number | null => (used === null ? null : milliwattHoursToKwh(used));
