import type { PastForecast } from './back-test.ts';
import type { MonthForecast } from './forecast.ts';
import { sumValues } from './robust.ts';

/** Range in kWh in which the usage of a month will lie with a probability of `RANGE_PERCENT` %. */
export interface ForecastRange {
  lowKwh: number;
  highKwh: number;
}

/** Share of months, in percent, whose usage lies within the range. */
export const RANGE_PERCENT = 80;
/**
 * Half-width of the range, in deviations (`computeDeviation`), by split conformal prediction: the 85th percentile of forecast errors over
 * the months of six homes with equal weight. In tests on homes that were left out of the calibration (`npm run bench -- forecast`), the
 * 85th percentile contained at least 80 of 100 months, so it is five above the promised share.
 */
const HALF_WIDTH = 1.1;
/**
 * Usual values of homes, for a home with a short history: variation of the level of usage within a month (`level`) and between days
 * (`day`), the recent drift, and the variation between days.
 */
const USUAL = { level: 0.16, day: 0.3, drift: 0.6, spread: 0.3 };
/** Weight of the usual deviation of homes, as a number of months of the home's own history. */
const PRIOR_MONTHS = 10;

/**
 * Returns the usual error of a forecast: the standard deviation of the logarithm of actual ÷ expected usage of the remaining days. Computed
 * from the home's own past forecasts for the same day of the month. For a home with few past forecasts, computed mostly from the usual
 * values of homes with similar drift.
 */
export function computeDeviation(forecast: MonthForecast, past: readonly PastForecast[]): number {
  const { month, daysOver, drift, daySpread } = forecast;
  const daysToCome = month.days - daysOver;
  const usual =
    USUAL.level ** 2 + USUAL.day ** 2 / daysToCome + (USUAL.drift * drift) ** 2 + (USUAL.spread * daySpread) ** 2;
  const squares = past.flatMap(({ restRatio }) => (restRatio > 0 ? [Math.log(restRatio) ** 2] : []));
  return Math.sqrt((PRIOR_MONTHS * usual + sumValues(squares)) / (PRIOR_MONTHS + squares.length));
}

/** Returns the range of a forecast (docs/plain-words.md). `halfWidth`: half-width in deviations. */
export function computeForecastRange(
  forecast: MonthForecast,
  past: readonly PastForecast[],
  halfWidth: number = HALF_WIDTH,
): ForecastRange {
  const { month, daysOver, unknownDays, soFarKwh, restKwh } = forecast;
  const reach = halfWidth * computeDeviation(forecast, past);
  // Past days with unknown usage are as uncertain as future days.
  const uncertainKwh = restKwh + (unknownDays === 0 ? 0 : (restKwh / (month.days - daysOver)) * unknownDays);
  const certainKwh = soFarKwh + restKwh - uncertainKwh;
  return { lowKwh: certainKwh + uncertainKwh * Math.exp(-reach), highKwh: certainKwh + uncertainKwh * Math.exp(reach) };
}
