import { DateTime } from 'luxon';
import { defined } from '#src/core/defined.ts';
import { asMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { consumptionByDay, consumptionByMonth, type DayRow } from './consumption.ts';
import { clock } from './insights.ts';
import { dayRange } from './ranges.ts';

/** A row of GET /v1/analytics/monthly. */
export interface MonthlyRow {
  /** YYYY-MM, UTC. */
  month: string;
  kwh_used: number;
  /** Over the days of the month about which something is known. */
  avg_daily_kwh: number;
  peak_hour: string | null;
  /** Against the month before; null where nothing is known of it. Of the current month: against the same days of it. */
  change_kwh: number | null;
  change_percent: number | null;
  /** The month is not over. */
  partial?: true;
}

/** A user's last so many months, the current one included, each beside the one before; months without data are left out. */
export async function monthly(db: Database, userId: string, months: number, now: Date): Promise<MonthlyRow[]> {
  const today = DateTime.fromJSDate(now, { zone: 'utc' });
  const first = today.startOf('month').minus({ months });
  const range = dayRange(first.toISODate() ?? '', today.toISODate() ?? '', 'UTC');
  const [days, peaks] = await Promise.all([
    consumptionByDay(db, { userId }, range),
    consumptionByMonth(db, { userId }, range),
  ]);
  const peakOf = new Map(peaks.map(({ month, peakHourOfDay }) => [month.slice(0, 7), clock(peakHourOfDay)]));
  return compareMonths(days, today.toISODate() ?? '')
    .map((row) => ({ ...row, peak_hour: peakOf.get(row.month) ?? null }))
    .filter(({ month }) => month > first.toFormat('yyyy-MM'));
}

/** Months of days, each beside the one before. Pure. `today`: YYYY-MM-DD. */
function compareMonths(days: readonly DayRow[], today: string): Omit<MonthlyRow, 'peak_hour'>[] {
  const ofMonth = new Map<string, DayRow[]>();
  for (const row of days) {
    const month = row.day.slice(0, 7);
    ofMonth.set(month, [...(ofMonth.get(month) ?? []), row]);
  }
  const sum = (rows: readonly DayRow[]) =>
    asMilliwattHours(rows.reduce((total, { milliwattHours }) => total + milliwattHours, 0));
  return [...ofMonth].map(([month, rows]) => {
    const isPartial = month === today.slice(0, 7);
    const before = (ofMonth.get(monthBefore(month)) ?? []).filter(
      ({ day }) => !isPartial || day.slice(8) <= today.slice(8),
    );
    const [milliwattHours, milliwattHoursBefore] = [sum(rows), sum(before)];
    const change = before.length === 0 ? null : milliwattHours - milliwattHoursBefore;
    return {
      month,
      kwh_used: milliwattHoursToKwh(milliwattHours),
      avg_daily_kwh: milliwattHoursToKwh(asMilliwattHours(milliwattHours / rows.length)),
      change_kwh: change === null ? null : milliwattHoursToKwh(asMilliwattHours(change)),
      change_percent:
        change === null || milliwattHoursBefore === 0
          ? null
          : Math.round((10_000 * change) / milliwattHoursBefore) / 100,
      ...defined({ partial: isPartial ? (true as const) : undefined }),
    };
  });
}

function monthBefore(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
}
