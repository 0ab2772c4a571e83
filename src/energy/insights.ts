import { DateTime } from 'luxon';
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
import type { Range } from './ranges.ts';

export type GroupBy = 'day' | 'month' | 'hour';

/** A row of GET /v1/energy-insights (specification, EnergyInsight). */
export interface Insight {
  date: string;
  hour?: string;
  starts_at?: string;
  kwh_used: number;
  peak_hour: string | null;
}

export const clock = (hourOfDay: number | null) =>
  hourOfDay === null ? null : `${String(hourOfDay).padStart(2, '0')}:00`;

/** Hour of the day of an instant in a zone. In UTC without a detour: it is the usual case, thirty times an answer. */
const hourIn = (instant: Date, zone: string): number =>
  zone === 'UTC' ? instant.getUTCHours() : DateTime.fromJSDate(instant, { zone }).hour;

/** Consumption by day, month or hour of the range's zone; buckets about which nothing is known are left out. */
export async function insights(db: Database, whose: Whose, range: Range, groupBy: GroupBy): Promise<Insight[]> {
  if (groupBy === 'hour') {
    const rows = await consumptionByHour(db, whose, range);
    return rows.map(({ hour, milliwattHours }) => {
      const local = DateTime.fromJSDate(hour, { zone: range.zone });
      const label = clock(local.hour) as string;
      return {
        date: local.toFormat('yyyy-MM-dd'),
        hour: label,
        starts_at: local.toISO({ suppressMilliseconds: true }) as string,
        kwh_used: milliwattHoursToKwh(milliwattHours),
        peak_hour: label,
      };
    });
  }
  if (groupBy === 'day') {
    const rows = await consumptionByDay(db, whose, range);
    return rows.map(({ day, milliwattHours, peak }) => ({
      date: day,
      kwh_used: milliwattHoursToKwh(milliwattHours),
      peak_hour: peak && clock(hourIn(peak, range.zone)),
    }));
  }
  const rows = await byMonth(db, whose, range);
  return rows.map(({ month, milliwattHours, peakHourOfDay }) => ({
    date: month,
    kwh_used: milliwattHoursToKwh(milliwattHours),
    peak_hour: clock(peakHourOfDay),
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

/** Totals of a range, as the variant of GET and as POST answer them. */
export async function summary(db: Database, userId: string, range: Range) {
  const { milliwattHours, daysWithData, peakHourOfDay } = await consumptionSummary(db, { userId }, range);
  return {
    total_kwh: milliwattHoursToKwh(milliwattHours),
    avg_daily_kwh: daysWithData === 0 ? 0 : milliwattHoursToKwh(asMilliwattHours(milliwattHours / daysWithData)),
    peak_usage_time: clock(peakHourOfDay),
  };
}
