import { backTestForecasts, computeMeanForecastError, type PastForecast, sumForecastKwh } from './back-test.ts';
import { formatDayNumber } from './calendar.ts';
import type { DailyUsage } from './daily-use.ts';
import { forecastMonth } from './forecast.ts';
import { computeForecastRange, FORECAST_RANGE_PERCENT } from './forecast-range.ts';

/** Forecast of the current month. */
export interface MonthEndForecast {
  /** First and last day of the month in the user's zone, YYYY-MM-DD. */
  start: string;
  end: string;
  /** Number of days of the month that are over. */
  daysOver: number;
  soFarKwh: number;
  expectedKwh: number;
  lowKwh: number;
  highKwh: number;
  /** Probability in percent that the month's usage lies between `lowKwh` and `highKwh`. */
  rangePercent: number;
  /** Expected cost. Null if no tariff is valid, or if the cost of too few recent days is known. */
  cost: { currency: string; expected: number; low: number; high: number } | null;
  /**
   * The forecasts that the service would have made in earlier months on this day of the month, newest first. `actualKwh`: usage of the month.
   * `lastYearKwh`: usage of the same month a year before. `meanError`: mean relative error of these forecasts.
   */
  past: { month: string; forecastKwh: number; actualKwh: number; lastYearKwh: number | null }[];
  meanError: number | null;
}

/**
 * Forecasts the current month, without costs. Null if too few days are known. `todayKwh`: usage of today so far. No forecast is lower than
 * the usage so far.
 */
export function forecastMonthEnd(daily: DailyUsage, today: number, todayKwh: number): MonthEndForecast | null {
  const forecast = forecastMonth(daily, today);
  if (!forecast) return null;
  const { month, daysOver, soFarKwh } = forecast;
  const past = backTestForecasts(daily, today);
  const { lowKwh, highKwh } = computeForecastRange(forecast, past);
  const leastKwh = soFarKwh + todayKwh;
  return {
    start: formatDayNumber(month.first),
    end: formatDayNumber(month.first + month.days - 1),
    daysOver,
    soFarKwh: leastKwh,
    expectedKwh: Math.max(sumForecastKwh(forecast), leastKwh),
    lowKwh: Math.max(lowKwh, leastKwh),
    highKwh: Math.max(highKwh, leastKwh),
    rangePercent: FORECAST_RANGE_PERCENT,
    cost: null,
    past: past.map(toRecord),
    meanError: computeMeanForecastError(past),
  };
}

const toRecord = ({
  firstDay,
  forecastKwh,
  actualKwh,
  lastYearKwh,
}: PastForecast): MonthEndForecast['past'][number] => ({
  month: formatDayNumber(firstDay).slice(0, 7),
  forecastKwh,
  actualKwh,
  lastYearKwh,
});
