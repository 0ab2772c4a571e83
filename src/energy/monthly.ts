import { DateTime } from 'luxon';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { castToMilliwattHours, type MilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { loadHome } from './home/home.ts';
import { addHomeSums, computeHomeUsage } from './home/sums.ts';
import { formatHour } from './labels.ts';
import { createDayRange, type DayRange } from './ranges.ts';
import { readHomeSumsByDay, readHomeSumsByMonth } from './usage/home-sums.ts';
import { formatEpochDate, readImportedEnergy } from './usage/imports.ts';

/** A row of GET /v1/analytics/monthly: the usage of one month. */
interface MonthlyUsageRow {
  /** Month in the time zone of the range, YYYY-MM. */
  month: string;
  kwh_used: number;
  /** Mean usage per day, over the days with known usage. */
  avg_daily_kwh: number;
  peak_hour: string | null;
  /** Difference from the previous month or, in the current month, from the same days of the previous month. Null if unknown. */
  change_kwh: number | null;
  change_percent: number | null;
  /** Whether the month has not ended yet. */
  partial?: true;
}

/** Returns the usage of a user's last `months` months, with a comparison of each month with the previous one. Omits months without data. */
export async function loadMonthlyUsage(
  db: Database,
  userId: string,
  { months, zone, now }: { months: number; zone: string; now: Date },
): Promise<MonthlyUsageRow[]> {
  const today = DateTime.fromJSDate(now, { zone });
  const first = today.startOf('month').minus({ months });
  const range = createDayRange(first.toISODate() ?? '', today.toISODate() ?? '', zone);
  const { rows, peaks } = await read(db, userId, range, today.toISODate() ?? '');
  const peakOf = new Map(peaks.map(({ month, peakHourOfDay }) => [month.slice(0, 7), peakHourOfDay]));
  const label = (hour: number | null | undefined) => (hour === null || hour === undefined ? null : formatHour(hour));
  return rows
    .map((row) => ({ ...row, peak_hour: label(peakOf.get(row.month)) }))
    .filter(({ month }) => month > first.toFormat('yyyy-MM'));
}

type Compared = Omit<MonthlyUsageRow, 'peak_hour'>;

async function read(
  db: Database,
  userId: string,
  range: DayRange,
  today: string,
): Promise<{ rows: Compared[]; peaks: { month: string; peakHourOfDay: number | null }[] }> {
  const [days, months] = await Promise.all([
    readImportedEnergy(db, { userId }, range, 'day'),
    readImportedEnergy(db, { userId }, range, 'month'),
  ]);
  if (!days || !months) {
    const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
    const [days, peaks] = await Promise.all([readHomeSumsByDay(db, home, range), readHomeSumsByMonth(db, home, range)]);
    // Adds up the sums of the days before usage is computed, because the lower bound of the usage applies to the whole month.
    return { rows: compareMonths(days, today, (rows) => computeHomeUsage(addHomeSums(rows))), peaks };
  }
  const sum = (rows: readonly { milliwattHours: MilliwattHours }[]) =>
    rows.length === 0
      ? null
      : castToMilliwattHours(rows.reduce((total, { milliwattHours }) => total + milliwattHours, 0));
  const rows = days.milliwattHours.map((milliwattHours, place) => ({
    day: formatEpochDate(days.at[place] as number),
    milliwattHours,
  }));
  const peaks = months.at.map((at, place) => ({
    month: formatEpochDate(at),
    peakHourOfDay: months.peaks[place] ?? null,
  }));
  return { rows: compareMonths(rows, today, sum), peaks };
}

/** Groups days into months, and compares each month with the previous one. `today`: YYYY-MM-DD. */
function compareMonths<Day extends { day: string }>(
  days: readonly Day[],
  today: string,
  usedIn: (days: readonly Day[]) => MilliwattHours | null,
): Compared[] {
  const ofMonth = Map.groupBy(days, ({ day }) => day.slice(0, 7));
  return [...ofMonth].flatMap(([month, rows]) => {
    const isPartial = month === today.slice(0, 7);
    const before = (ofMonth.get(monthBefore(month)) ?? []).filter(
      ({ day }) => !isPartial || day.slice(8) <= today.slice(8),
    );
    const [used, usedBefore] = [usedIn(rows), usedIn(before)];
    if (used === null) return [];
    const known = rows.filter((day) => usedIn([day]) !== null).length;
    const change = usedBefore === null ? null : used - usedBefore;
    return {
      month,
      kwh_used: milliwattHoursToKwh(used),
      avg_daily_kwh: known === 0 ? 0 : milliwattHoursToKwh(castToMilliwattHours(used / known)),
      change_kwh: change === null ? null : milliwattHoursToKwh(castToMilliwattHours(change)),
      change_percent: change === null || !usedBefore ? null : Math.round((10_000 * change) / usedBefore) / 100,
      ...omitUndefined({ partial: isPartial ? (true as const) : undefined }),
    };
  });
}

function monthBefore(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
}
