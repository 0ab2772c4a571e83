import { type Month, monthOf } from './calendar.ts';
import { type DailyUse, knownDays } from './daily-use.ts';
import { forecastMonth, type MonthForecast } from './forecast.ts';
import { mean, sum } from './robust.ts';

/** A month that is over: what would have been said of it on the same day, and what it came to. kWh. */
export interface PastForecast {
  /** Of its first day. */
  firstDay: number;
  forecastKwh: number;
  actualKwh: number;
  /** What its days from that one on came to, as a share of what was expected of them. */
  restRatio: number;
  /** What the same month of the year before used, by the day, in a month of this length; null: unknown. */
  lastYearKwh: number | null;
}

const MONTHS = 24;
/** Days of a month that may be unknown. */
const MOST_UNKNOWN_DAYS = 1;

/**
 * The forecast of `today` for each of the home's months of the last two years, as of the same day of the month, with no more than was
 * known then; youngest first. Months of which a day or two are not known are left out.
 */
export function backTest(used: DailyUse, today: number): PastForecast[] {
  const { first } = monthOf(today);
  const past: PastForecast[] = [];
  for (let back = 1; back <= MONTHS; back++) {
    const month = monthOf(first, -back);
    if (month.first < used.firstDay) break;
    const end = month.first + month.days;
    const days = knownDays(used, month.first, end);
    if (days.length < month.days - MOST_UNKNOWN_DAYS) continue;
    const asOf = Math.min(month.first + (today - first), end - 1);
    const forecast = forecastMonth(used, asOf);
    if (!forecast || forecast.restKwh <= 0) continue;
    const total = (of: typeof days) => sum(of.map(({ kwh }) => kwh));
    const rest = days.filter(({ day }) => day >= asOf);
    // A day that is not known is taken to be like the others.
    const actualRest = (total(rest) * (end - asOf)) / Math.max(1, rest.length);
    past.push({
      firstDay: month.first,
      forecastKwh: totalOf(forecast),
      actualKwh: (total(days) * month.days) / days.length,
      restRatio: actualRest / forecast.restKwh,
      lastYearKwh: lastYearOf(used, month),
    });
  }
  return past;
}

function lastYearOf(used: DailyUse, { first, days }: Month): number | null {
  const before = monthOf(first, -12);
  const known = knownDays(used, before.first, before.first + before.days);
  return known.length < before.days - MOST_UNKNOWN_DAYS ? null : mean(known.map(({ kwh }) => kwh)) * days;
}

/** What a month is expected to come to. */
export const totalOf = ({ soFarKwh, restKwh }: MonthForecast): number => soFarKwh + restKwh;

/** By how much past forecasts were off, as a share of what the months came to: the mean of what they were off, up or down. Null of none. */
export function meanError(past: readonly PastForecast[]): number | null {
  const errors = past.flatMap(({ forecastKwh, actualKwh }) =>
    actualKwh > 0 ? [Math.abs(forecastKwh - actualKwh) / actualKwh] : [],
  );
  return errors.length === 0 ? null : sum(errors) / errors.length;
}
