import { backTestForecasts, sumForecastKwh } from '#src/remarks/back-test.ts';
import { getMonthOfDay, type Month } from '#src/remarks/calendar.ts';
import { type DailyUsage, listDaysWithKnownUsage } from '#src/remarks/daily-use.ts';
import { forecastMonth } from '#src/remarks/forecast.ts';
import { computeForecastDeviation, computeForecastRange } from '#src/remarks/forecast-range.ts';

/**
 * Forecast of a month's usage, made on one of the month's days. Also contains the actual usage and simple forecasts for comparison, all in
 * kWh.
 */
export interface ForecastOutcome {
  home: string;
  month: Month;
  /** Day of the month (from 1) on which the forecast is made. The usage of earlier days is known. */
  day: number;
  actual: number;
  forecast: number;
  isWithinRange: boolean;
  /**
   * Error of the forecast, as a multiple of the deviation that the forecast expects (`computeForecastDeviation`). The width of the
   * published range is calibrated with these multiples.
   */
  deviations: number;
  /**
   * Simple forecasts of the month: from the daily mean of the previous month, and from the daily mean of the same month in the previous
   * year. Null: unknown.
   */
  lastMonth: number | null;
  lastYear: number | null;
  /** The same simple forecasts for the month's remaining days only, added to the known usage of its past days. */
  lastMonthOfRest: number | null;
  lastYearOfRest: number | null;
}

/** Minimum share of a month's days whose usage must be known. A month with fewer known days is not used for comparison. */
const MIN_SHARE = 0.9;

/** Returns the forecasts of a home, made on the given days (from 1) of every month whose usage is known. */
export function computeForecastOutcomes(home: string, used: DailyUsage, days: readonly number[]): ForecastOutcome[] {
  const outcomes: ForecastOutcome[] = [];
  const end = used.firstDay + used.kwh.length;
  for (
    let month = getMonthOfDay(used.firstDay, 1);
    month.first + month.days <= end;
    month = getMonthOfDay(month.first, 1)
  ) {
    const actual = mean(used, month, 1 - 1 / month.days);
    if (actual === null) continue;
    for (const day of days) {
      const forecast = forecastMonth(used, month.first + day - 1);
      if (!forecast) continue;
      const past = backTestForecasts(used, month.first + day - 1);
      const { lowKwh, highKwh } = computeForecastRange(forecast, past);
      const total = actual * month.days;
      const restRatio = (total - forecast.soFarKwh) / forecast.restKwh;
      const [lastMonth, lastYear] = [-1, -12].map((later) => mean(used, getMonthOfDay(month.first, later), MIN_SHARE));
      const whole = (perDay: number | null | undefined) => (perDay ?? null) && (perDay as number) * month.days;
      const rest = (perDay: number | null | undefined) =>
        (perDay ?? null) && forecast.soFarKwh + (perDay as number) * (month.days - day + 1);
      outcomes.push({
        home,
        month,
        day,
        actual: total,
        forecast: sumForecastKwh(forecast),
        isWithinRange: lowKwh <= total && total <= highKwh,
        deviations:
          restRatio > 0
            ? Math.abs(Math.log(restRatio)) / computeForecastDeviation(forecast, past)
            : Number.POSITIVE_INFINITY,
        lastMonth: whole(lastMonth),
        lastYear: whole(lastYear),
        lastMonthOfRest: rest(lastMonth),
        lastYearOfRest: rest(lastYear),
      });
    }
  }
  return outcomes;
}

/** Returns the mean daily usage of a month in kWh; null if the usage of too few days is known. */
function mean(used: DailyUsage, { first, days }: Month, leastShare: number): number | null {
  const known = listDaysWithKnownUsage(used, first, first + days);
  return known.length < leastShare * days ? null : known.reduce((sum, { kwh }) => sum + kwh, 0) / known.length;
}

type Naive = 'lastMonth' | 'lastYear' | 'lastMonthOfRest' | 'lastYearOfRest';

/**
 * Compares the forecast with the simple forecast `naive`, in the months for which both are known. Returns the mean absolute error of each,
 * in percent of the usage. Null if there is no such month.
 */
export function computeMeanForecastErrors(
  said: readonly ForecastOutcome[],
  naive: Naive,
): { forecast: number; naive: number; months: number } | null {
  const both = said.filter((one) => one[naive] !== null);
  if (both.length === 0) return null;
  const error = (of: (one: ForecastOutcome) => number) =>
    (100 * both.reduce((sum, one) => sum + Math.abs(of(one) - one.actual) / one.actual, 0)) / both.length;
  return {
    forecast: error((one) => one.forecast),
    naive: error((one) => one[naive] as number),
    months: both.length,
  };
}

/**
 * Share of months that must lie within the range in the calibration. As a reserve, it is five percentage points above the published
 * `FORECAST_RANGE_PERCENT`.
 */
const CALIBRATED_SHARE = 0.85;

/**
 * Returns the half-width of the range in deviations, by split conformal prediction: the 85th percentile of the forecast errors. Each home
 * has the same weight, whatever the number of its months.
 */
export function computeCalibratedHalfWidth(said: readonly ForecastOutcome[]): number {
  const monthsOf = new Map([...Map.groupBy(said, ({ home }) => home)].map(([home, own]) => [home, own.length]));
  const weightOf = ({ home }: ForecastOutcome) => 1 / (monthsOf.get(home) as number);
  let remainingWeight = CALIBRATED_SHARE * monthsOf.size;
  for (const one of said.toSorted((a, b) => a.deviations - b.deviations)) {
    remainingWeight -= weightOf(one);
    if (remainingWeight <= 1e-9) return one.deviations;
  }
  return Number.NaN;
}

/**
 * Calibrates the range for each home with all other homes. Returns the half-width of this range, and the percentage of the home's own
 * months within it.
 */
export function crossValidateForecastRanges(
  said: readonly ForecastOutcome[],
): { home: string; halfWidth: number; withinPercent: number }[] {
  return [...Map.groupBy(said, ({ home }) => home)].map(([home, own]) => {
    const halfWidth = computeCalibratedHalfWidth(said.filter((one) => one.home !== home));
    const within = own.filter(({ deviations }) => deviations <= halfWidth);
    return { home, halfWidth, withinPercent: (100 * within.length) / own.length };
  });
}
