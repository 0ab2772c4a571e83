import type { PastForecast } from './back-test.ts';
import type { MonthForecast } from './forecast.ts';
import { sum } from './robust.ts';

/** Between which what a month comes to will lie, in so many of a hundred cases. kWh. */
export interface ForecastRange {
  lowKwh: number;
  highKwh: number;
}

/** Of a hundred months so many lie within the range. */
export const RANGE_PERCENT = 80;
/**
 * The half-width of the range, in deviations (`deviationOf`). By split conformal prediction: the 85th percentile of how far forecasts were off, in
 * deviations, over the months of six homes of which each counts the same. Calibrated without the home that it was tried on (`npm run bench -- forecast`),
 * the range held in 80 of 100 months or more over all homes; hence five more than are promised.
 */
const HALF_WIDTH = 1.1;
/** What moves a home that is known for a short time: its level within a month, how its days differ, what it drifted lately, how restless its days are. */
const USUAL = { level: 0.16, day: 0.3, drift: 0.6, spread: 0.3 };
/** The usual deviation counts like so many months of the home's own. */
const PRIOR_MONTHS = 10;

/**
 * How far a forecast is usually off: the standard deviation of the logarithm of what its days to come use, over what is expected of them. By the home's own
 * past forecasts for the same day of the month; of a home with few of them mostly by what is usual of one that drifts as it does.
 */
export function deviationOf(forecast: MonthForecast, past: readonly PastForecast[]): number {
  const { month, daysOver, drift, daySpread } = forecast;
  const daysToCome = month.days - daysOver;
  const usual =
    USUAL.level ** 2 + USUAL.day ** 2 / daysToCome + (USUAL.drift * drift) ** 2 + (USUAL.spread * daySpread) ** 2;
  const squares = past.flatMap(({ restRatio }) => (restRatio > 0 ? [Math.log(restRatio) ** 2] : []));
  return Math.sqrt((PRIOR_MONTHS * usual + sum(squares)) / (PRIOR_MONTHS + squares.length));
}

/** The range of a forecast (docs/plain-words.md). `halfWidth`: in deviations. */
export function rangeOf(
  forecast: MonthForecast,
  past: readonly PastForecast[],
  halfWidth: number = HALF_WIDTH,
): ForecastRange {
  const { month, daysOver, unknownDays, soFarKwh, restKwh } = forecast;
  const reach = halfWidth * deviationOf(forecast, past);
  // Days that are over and not known are as uncertain as those to come.
  const uncertainKwh = restKwh + (unknownDays === 0 ? 0 : (restKwh / (month.days - daysOver)) * unknownDays);
  const certainKwh = soFarKwh + restKwh - uncertainKwh;
  return { lowKwh: certainKwh + uncertainKwh * Math.exp(-reach), highKwh: certainKwh + uncertainKwh * Math.exp(reach) };
}
