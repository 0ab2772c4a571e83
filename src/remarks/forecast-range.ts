import type { PastForecast } from './back-test.ts';
import type { MonthForecast } from './forecast.ts';
import { sumValues } from './statistics.ts';

/** Range in kWh in which the usage of a month will lie with a probability of `FORECAST_RANGE_PERCENT` %. */
interface ForecastRange {
  lowKwh: number;
  highKwh: number;
}

/** Probability, in percent, that a month's usage lies within the range. */
export const FORECAST_RANGE_PERCENT = 80;
/**
 * Half-width of the range, in units of the usual error. It is the 85th percentile of the forecast errors of six homes (split conformal
 * prediction), five percentiles above the promised 80 % for safety on other homes.
 */
const HALF_WIDTH = 1.1;
/**
 * Parameters of the usual error of homes, for a home with a short history. `level`: error because the usage changes within a month. `day`:
 * error because it changes from day to day. `drift` and `spread`: weights of the home's own recent change of usage, and of its variation
 * between days.
 */
const USUAL = { level: 0.16, day: 0.3, drift: 0.6, spread: 0.3 };
/** Weight of the usual error of homes, as a number of past months of this home. */
const PRIOR_MONTHS = 10;

/**
 * Returns the usual error of a forecast: the standard deviation of the logarithm of actual ÷ expected usage of the remaining days. It
 * combines the errors of the home's past forecasts with those of similar homes.
 */
export function computeForecastDeviation(forecast: MonthForecast, past: readonly PastForecast[]): number {
  const { month, daysOver, drift, daySpread } = forecast;
  const daysToCome = month.days - daysOver;
  const usual =
    USUAL.level ** 2 + USUAL.day ** 2 / daysToCome + (USUAL.drift * drift) ** 2 + (USUAL.spread * daySpread) ** 2;
  const squares = past.flatMap(({ restRatio }) => (restRatio > 0 ? [Math.log(restRatio) ** 2] : []));
  return Math.sqrt((PRIOR_MONTHS * usual + sumValues(squares)) / (PRIOR_MONTHS + squares.length));
}

/** Returns the range of a forecast. `halfWidth`: in units of the usual error. */
export function computeForecastRange(
  forecast: MonthForecast,
  past: readonly PastForecast[],
  halfWidth: number = HALF_WIDTH,
): ForecastRange {
  const { month, daysOver, unknownDays, soFarKwh, restKwh } = forecast;
  const reach = halfWidth * computeForecastDeviation(forecast, past);
  // Past days with unknown usage are as uncertain as future days.
  const uncertainKwh = restKwh + (unknownDays === 0 ? 0 : (restKwh / (month.days - daysOver)) * unknownDays);
  const certainKwh = soFarKwh + restKwh - uncertainKwh;
  return { lowKwh: certainKwh + uncertainKwh * Math.exp(-reach), highKwh: certainKwh + uncertainKwh * Math.exp(reach) };
}
