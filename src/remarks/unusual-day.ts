import { formatDayNumber, getWeekday } from './calendar.ts';
import { type DailyUsage, findUsageOfDay, listDaysWithKnownUsage } from './daily-use.ts';
import type { HomeProfile } from './profile.ts';
import { computeMedian, computeMedianAbsoluteDeviation, computeQuantile, sumValues } from './statistics.ts';

/** Remark that a home used far more on one day than usual on this weekday. */
export interface UnusualDay {
  kind: 'unusual_day';
  /** Date in the home's zone, YYYY-MM-DD. */
  date: string;
  /** ISO weekday of the date; 1 is Monday. */
  weekday: number;
  kwh: number;
  /** Median usage in kWh of the same weekday in the eight weeks before, without the least typical week. */
  usualKwh: number;
  compared: { date: string; kwh: number }[];
}

const WEEKS = 8;
const MIN_WEEKS = 6;
/** Number of days after an unusual day for which the remark is shown. */
const TOLD_DAYS = 3;
/** Number of days after an unusual day in which no other unusual day is reported. */
const QUIET_DAYS = 30;
/**
 * An unusual day exceeds the usual usage of its weekday by at least `MIN_SHARE` of it, by `MIN_KWH` and by `SPREADS` times the spread. It
 * also exceeds nearly all other days by the factor `ABOVE_HIGHEST`.
 */
const MIN_SHARE = 0.4;
const MIN_KWH = 2;
const SPREADS = 5;
const ABOVE_HIGHEST = 1.15;

/** Returns the latest unusual day of the last three days. Null if there is none, or if the 30 days before it contain another one. */
export function detectUnusualDay({ daily, today }: HomeProfile): UnusualDay | null {
  for (let day = today - 1; day >= today - TOLD_DAYS; day--) {
    const found = judge(daily, day);
    if (!found) continue;
    for (let before = day - QUIET_DAYS; before < day; before++) if (judge(daily, before)) return null;
    return found;
  }
  return null;
}

/** Returns a remark if a day was unusual by the data up to its end; otherwise null. */
function judge(daily: DailyUsage, day: number): UnusualDay | null {
  const kwh = findUsageOfDay(daily, day);
  if (kwh === null) return null;
  const weeks = withoutOddest(weeksBefore(daily, day));
  const same = weeks.flatMap((week) => week.filter((one) => getWeekday(one.day) === getWeekday(day)));
  const all = weeks.flat().map((one) => one.kwh);
  if (same.length < MIN_WEEKS - 1 || all.length < 7 * (MIN_WEEKS - 1)) return null;
  const usualKwh = computeMedian(same.map((one) => one.kwh));
  const rise = Math.max(
    MIN_KWH,
    MIN_SHARE * usualKwh,
    SPREADS * computeMedianAbsoluteDeviation(same.map((one) => one.kwh)),
  );
  if (kwh - usualKwh < rise || kwh < ABOVE_HIGHEST * computeQuantile(all, 0.98)) return null;
  return {
    kind: 'unusual_day',
    date: formatDayNumber(day),
    weekday: getWeekday(day),
    kwh,
    usualKwh,
    compared: same.map((one) => ({ date: formatDayNumber(one.day), kwh: one.kwh })),
  };
}

type Week = { day: number; kwh: number }[];

/** Returns the weeks before a day, oldest first. Omits weeks with fewer than five known days. */
function weeksBefore(daily: DailyUsage, day: number): Week[] {
  return Array.from({ length: WEEKS }, (_, back) =>
    listDaysWithKnownUsage(daily, day - 7 * (WEEKS - back), day - 7 * (WEEKS - back - 1)),
  ).filter((week) => week.length >= 5);
}

/** Removes the week whose mean differs most from the median of all weeks. */
function withoutOddest(weeks: Week[]): Week[] {
  const means = weeks.map((week) => sumValues(week.map(({ kwh }) => kwh)) / week.length);
  const middle = computeMedian(means);
  const offs = means.map((mean) => Math.abs(mean - middle));
  const oddest = offs.indexOf(Math.max(...offs));
  return weeks.filter((_, index) => index !== oddest);
}
