import { getMonthOfDay, type Month } from './calendar.ts';
import { type DailyUsage, listDaysWithKnownUsage } from './daily-use.ts';
import { forecastMonth, type MonthForecast } from './forecast.ts';
import { computeMean, sumValues } from './statistics.ts';

/** A past month, with a forecast for it and its actual usage, in kWh. */
export interface PastForecast {
  firstDay: number;
  forecastKwh: number;
  actualKwh: number;
  /** Actual usage divided by forecast usage, from the day of the forecast to the end of the month. */
  restRatio: number;
  /** Usage of the same month of the previous year, scaled to the same number of days. Null if unknown. */
  lastYearKwh: number | null;
}

const MONTHS = 24;
/** Maximum number of days with unknown usage in a compared month. */
const MAX_UNKNOWN_DAYS = 1;

/**
 * Returns forecasts for the home's months of the last two years, newest first. Each forecast is for the same day of the month as `today`,
 * and uses only data from before that day. Omits months with more than one day of unknown usage.
 */
export function backTestForecasts(used: DailyUsage, today: number): PastForecast[] {
  const { first } = getMonthOfDay(today);
  const past: PastForecast[] = [];
  for (let back = 1; back <= MONTHS; back++) {
    const month = getMonthOfDay(first, -back);
    if (month.first < used.firstDay) break;
    const end = month.first + month.days;
    const days = listDaysWithKnownUsage(used, month.first, end);
    if (days.length < month.days - MAX_UNKNOWN_DAYS) continue;
    const asOf = Math.min(month.first + (today - first), end - 1);
    const forecast = forecastMonth(used, asOf);
    if (!forecast || forecast.restKwh <= 0) continue;
    const total = (of: typeof days) => sumValues(of.map(({ kwh }) => kwh));
    const rest = days.filter(({ day }) => day >= asOf);
    // An unknown day gets the mean of the known days.
    const actualRest = (total(rest) * (end - asOf)) / Math.max(1, rest.length);
    past.push({
      firstDay: month.first,
      forecastKwh: sumForecastKwh(forecast),
      actualKwh: (total(days) * month.days) / days.length,
      restRatio: actualRest / forecast.restKwh,
      lastYearKwh: lastYearOf(used, month),
    });
  }
  return past;
}

function lastYearOf(used: DailyUsage, { first, days }: Month): number | null {
  const before = getMonthOfDay(first, -12);
  const known = listDaysWithKnownUsage(used, before.first, before.first + before.days);
  return known.length < before.days - MAX_UNKNOWN_DAYS ? null : computeMean(known.map(({ kwh }) => kwh)) * days;
}

/** Returns the expected usage of the whole month, in kWh. */
export const sumForecastKwh = ({ soFarKwh, restKwh }: MonthForecast): number => soFarKwh + restKwh;

/** Returns the mean absolute error of past forecasts, relative to actual usage, or null. */
export function computeMeanForecastError(past: readonly PastForecast[]): number | null {
  const errors = past.flatMap(({ forecastKwh, actualKwh }) =>
    actualKwh > 0 ? [Math.abs(forecastKwh - actualKwh) / actualKwh] : [],
  );
  return errors.length === 0 ? null : sumValues(errors) / errors.length;
}
