import { dateOf, weekdayOf } from './calendar.ts';
import { type DailyUse, knownDays, usedOn } from './daily-use.ts';
import type { Profile } from './profile.ts';
import { median, quantile, spread, sum } from './robust.ts';

/** A day on which far more was used than on days of its kind. */
export interface UnusualDay {
  kind: 'unusual_day';
  /** YYYY-MM-DD of the home's zone. */
  date: string;
  /** 1 is Monday. */
  weekday: number;
  kwh: number;
  /** Of the same weekdays of the eight weeks before, without the oddest week. */
  usualKwh: number;
  compared: { date: string; kwh: number }[];
}

const WEEKS = 8;
const LEAST_WEEKS = 6;
/** For so many days it is told. */
const TOLD_DAYS = 3;
/** A second one within so many days is not unusual any more. */
const QUIET_DAYS = 30;
/** Above the usual of its weekday, and above what days of any kind reach. */
const LEAST_SHARE = 0.4;
const LEAST_KWH = 2;
const SPREADS = 5;
const ABOVE_HIGHEST = 1.15;

/** The last unusual day of the last three; null: there is none, or there was another one in the month before it. */
export function unusualDay({ daily, today }: Profile): UnusualDay | null {
  for (let day = today - 1; day >= today - TOLD_DAYS; day--) {
    const found = judge(daily, day);
    if (!found) continue;
    for (let before = day - QUIET_DAYS; before < day; before++) if (judge(daily, before)) return null;
    return found;
  }
  return null;
}

/** Whether a day is unusual, by what was known when it was over. */
function judge(daily: DailyUse, day: number): UnusualDay | null {
  const kwh = usedOn(daily, day);
  if (kwh === null) return null;
  const weeks = withoutOddest(weeksBefore(daily, day));
  const same = weeks.flatMap((week) => week.filter((one) => weekdayOf(one.day) === weekdayOf(day)));
  const all = weeks.flat().map((one) => one.kwh);
  if (same.length < LEAST_WEEKS - 1 || all.length < 7 * (LEAST_WEEKS - 1)) return null;
  const usualKwh = median(same.map((one) => one.kwh));
  const rise = Math.max(LEAST_KWH, LEAST_SHARE * usualKwh, SPREADS * spread(same.map((one) => one.kwh)));
  if (kwh - usualKwh < rise || kwh < ABOVE_HIGHEST * quantile(all, 0.98)) return null;
  return {
    kind: 'unusual_day',
    date: dateOf(day),
    weekday: weekdayOf(day),
    kwh,
    usualKwh,
    compared: same.map((one) => ({ date: dateOf(one.day), kwh: one.kwh })),
  };
}

type Week = { day: number; kwh: number }[];

/** The weeks up to a day, oldest first, as far as most of their days are known. */
function weeksBefore(daily: DailyUse, day: number): Week[] {
  return Array.from({ length: WEEKS }, (_, back) =>
    knownDays(daily, day - 7 * (WEEKS - back), day - 7 * (WEEKS - back - 1)),
  ).filter((week) => week.length >= 5);
}

/** The week whose mean lies farthest from those of the others says nothing of what is usual. */
function withoutOddest(weeks: Week[]): Week[] {
  const means = weeks.map((week) => sum(week.map(({ kwh }) => kwh)) / week.length);
  const middle = median(means);
  const offs = means.map((mean) => Math.abs(mean - middle));
  const oddest = offs.indexOf(Math.max(...offs));
  return weeks.filter((_, index) => index !== oddest);
}
