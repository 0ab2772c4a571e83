import { DateTime } from 'luxon';
import { mapInTurns } from '#src/core/turns.ts';
import { asMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import {
  consumptionByDay,
  consumptionByHour,
  consumptionByMonth,
  consumptionByWholeMonth,
  consumptionSummary,
  type MonthRow,
  type Whose,
} from './consumption.ts';
import { type Home, isComposed, loadHome } from './home/home.ts';
import { type HomeInsight, homeInsights, homeTotals } from './home/insights.ts';
import { hourLabels } from './hour-labels.ts';
import type { Include } from './include.ts';
import { hourLabel, hourOfDay } from './labels.ts';
import { type Range, stretchesOf } from './ranges.ts';

export type GroupBy = 'day' | 'month' | 'hour';

/** A row of GET /v1/energy-insights (specification, EnergyInsight). */
export interface Insight {
  date: string;
  hour?: string;
  starts_at?: string;
  kwh_used: number;
  peak_hour: string | null;
}

const labelled = (hour: number | null): string | null => (hour === null ? null : hourLabel(hour));
const NOTHING_MORE: ReadonlySet<Include> = new Set();
/** Of hours: 2,208 rows. With pages of 31 days a year took twice as long, for a first byte that was there a few milliseconds sooner. */
const DAYS_OF_A_PAGE = 92;

/**
 * What a user's home used by day, month or hour of the range's zone, with what was asked for beside that; buckets about which nothing is
 * known are left out.
 */
export async function insights(
  db: Database,
  userId: string,
  range: Range,
  groupBy: GroupBy,
  include = NOTHING_MORE,
): Promise<HomeInsight[]> {
  const rows: HomeInsight[] = [];
  for await (const page of insightPages(db, userId, range, groupBy, include)) rows.push(...page);
  return rows;
}

/** The same rows, those of many hours by stretches of days: each stretch is a question of its own to the database, about the same home. */
export async function* insightPages(
  db: Database,
  userId: string,
  range: Range,
  groupBy: GroupBy,
  include = NOTHING_MORE,
): AsyncGenerator<HomeInsight[]> {
  const home = await composedHome(db, userId, include);
  for (const stretch of groupBy === 'hour' ? stretchesOf(range, DAYS_OF_A_PAGE) : [range])
    yield home
      ? await homeInsights(db, home, stretch, groupBy, include)
      : await imports(db, { userId }, stretch, groupBy);
}

/** The home of a user, where the sum of its imports does not tell what is asked; null where it does. */
export async function composedHome(db: Database, userId: string, include = NOTHING_MORE): Promise<Home | null> {
  if (include.size === 0 && !(await isComposed(db, userId))) return null;
  return loadHome(db, userId, {
    isMoreAsked: include.size > 0,
    needsConsumption: include.has('consumption') || include.has('untracked'),
  });
}

/** What was imported by day, month or hour of the range's zone; buckets about which nothing is known are left out. */
export async function imports(db: Database, whose: Whose, range: Range, groupBy: GroupBy): Promise<Insight[]> {
  if (groupBy === 'hour') {
    const rows = await consumptionByHour(db, whose, range);
    const labelsOf = hourLabels(range);
    return mapInTurns(rows, ({ hour, milliwattHours }) => {
      const labels = labelsOf(hour);
      return { ...labels, kwh_used: milliwattHoursToKwh(milliwattHours), peak_hour: labels.hour };
    });
  }
  if (groupBy === 'day') {
    const rows = await consumptionByDay(db, whose, range);
    return rows.map(({ day, milliwattHours, peak }) => ({
      date: day,
      kwh_used: milliwattHoursToKwh(milliwattHours),
      peak_hour: peak && hourLabel(hourOfDay(peak, range.zone)),
    }));
  }
  const rows = await byMonth(db, whose, range);
  return rows.map(({ month, milliwattHours, peakHourOfDay }) => ({
    date: month,
    kwh_used: milliwattHoursToKwh(milliwattHours),
    peak_hour: labelled(peakHourOfDay),
  }));
}

/** Whole UTC months come from the monthly aggregate, parts of months and other zones from hours. */
async function byMonth(db: Database, whose: Whose, range: Range): Promise<MonthRow[]> {
  if (range.zone !== 'UTC' || !('userId' in whose)) return consumptionByMonth(db, whose, range);
  const firstWhole = monthAtOrAfter(range.from);
  const afterWhole = DateTime.fromJSDate(range.to, { zone: 'utc' }).startOf('month').toJSDate();
  if (firstWhole >= afterWhole) return consumptionByMonth(db, whose, range);
  const part = (from: Date, to: Date) =>
    from < to ? consumptionByMonth(db, whose, { ...range, from, to }) : Promise.resolve([]);
  const parts = await Promise.all([
    part(range.from, firstWhole),
    consumptionByWholeMonth(db, whose.userId, firstWhole, afterWhole),
    part(afterWhole, range.to),
  ]);
  return parts.flat();
}

function monthAtOrAfter(date: Date): Date {
  const start = DateTime.fromJSDate(date, { zone: 'utc' }).startOf('month');
  return (start.toMillis() === date.getTime() ? start : start.plus({ months: 1 })).toJSDate();
}

/** Totals of a range, as the variant of GET and as POST answer them, with what was asked for beside them. */
export async function summary(db: Database, userId: string, range: Range, include = NOTHING_MORE) {
  const home = await composedHome(db, userId, include);
  if (home) return homeTotals(db, home, range, include);
  const { milliwattHours, daysWithData, peakHourOfDay } = await consumptionSummary(db, { userId }, range);
  return {
    total_kwh: milliwattHoursToKwh(milliwattHours),
    avg_daily_kwh: daysWithData === 0 ? 0 : milliwattHoursToKwh(asMilliwattHours(milliwattHours / daysWithData)),
    peak_usage_time: labelled(peakHourOfDay),
    included: {},
  };
}
