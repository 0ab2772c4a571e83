import { DateTime } from 'luxon';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { asMilliwattHours, type MilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { loadHome } from './home/home.ts';
import { addedSums, usedOf } from './home/sums.ts';
import { hourLabel } from './labels.ts';
import { dayRange, type Range } from './ranges.ts';
import { homeByDay, homeByMonth } from './usage/home-sums.ts';
import { dateOf, importsBy } from './usage/imports.ts';

/** A row of GET /v1/analytics/monthly. */
export interface MonthlyRow {
  /** YYYY-MM, of the zone. */
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

/** A user's last so many months of a zone, the current one included, each beside the one before; months without data are left out. */
export async function monthly(
  db: Database,
  userId: string,
  { months, zone, now }: { months: number; zone: string; now: Date },
): Promise<MonthlyRow[]> {
  const today = DateTime.fromJSDate(now, { zone });
  const first = today.startOf('month').minus({ months });
  const range = dayRange(first.toISODate() ?? '', today.toISODate() ?? '', zone);
  const { rows, peaks } = await read(db, userId, range, today.toISODate() ?? '');
  const peakOf = new Map(peaks.map(({ month, peakHourOfDay }) => [month.slice(0, 7), peakHourOfDay]));
  const label = (hour: number | null | undefined) => (hour === null || hour === undefined ? null : hourLabel(hour));
  return rows
    .map((row) => ({ ...row, peak_hour: label(peakOf.get(row.month)) }))
    .filter(({ month }) => month > first.toFormat('yyyy-MM'));
}

type Compared = Omit<MonthlyRow, 'peak_hour'>;

async function read(
  db: Database,
  userId: string,
  range: Range,
  today: string,
): Promise<{ rows: Compared[]; peaks: { month: string; peakHourOfDay: number | null }[] }> {
  const [days, months] = await Promise.all([
    importsBy(db, { userId }, range, 'day'),
    importsBy(db, { userId }, range, 'month'),
  ]);
  if (!days || !months) {
    const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
    const [days, peaks] = await Promise.all([homeByDay(db, home, range), homeByMonth(db, home, range)]);
    // The bound of physics is that of what is compared, not of its days.
    return { rows: compareMonths(days, today, (rows) => usedOf(addedSums(rows))), peaks };
  }
  const sum = (rows: readonly { milliwattHours: MilliwattHours }[]) =>
    rows.length === 0 ? null : asMilliwattHours(rows.reduce((total, { milliwattHours }) => total + milliwattHours, 0));
  const rows = days.milliwattHours.map((milliwattHours, place) => ({
    day: dateOf(days.at[place] as number),
    milliwattHours,
  }));
  const peaks = months.at.map((at, place) => ({ month: dateOf(at), peakHourOfDay: months.peaks[place] ?? null }));
  return { rows: compareMonths(rows, today, sum), peaks };
}

/** Months of days, each beside the one before. Pure. `today`: YYYY-MM-DD. `usedIn`: what days came to; null: nothing is known of them. */
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
      avg_daily_kwh: known === 0 ? 0 : milliwattHoursToKwh(asMilliwattHours(used / known)),
      change_kwh: change === null ? null : milliwattHoursToKwh(asMilliwattHours(change)),
      change_percent: change === null || !usedBefore ? null : Math.round((10_000 * change) / usedBefore) / 100,
      ...omitUndefined({ partial: isPartial ? (true as const) : undefined }),
    };
  });
}

function monthBefore(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
}
