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
/** Of a normal distribution 80 % lie so many standard deviations around its middle. */
const DEVIATIONS = 1.2816;
/** How far the level of homes moves within a month, and how much their days differ: standard deviations of the logarithm, of half of the real homes. */
const OF_LEVEL = 0.1;
const OF_A_DAY = 0.3;
/** What is known of other homes counts like so many months of one's own. */
const PRIOR_MONTHS = 6;

/**
 * The range of a forecast, by how far those of the home's own past months were off on the same day of the month; of a home with few of them
 * mostly by what is usual.
 */
export function rangeOf(forecast: MonthForecast, past: readonly PastForecast[]): ForecastRange {
  const { month, daysOver, unknownDays, soFarKwh, restKwh } = forecast;
  const daysToCome = month.days - daysOver;
  const usual = OF_LEVEL ** 2 + OF_A_DAY ** 2 / daysToCome;
  const squares = past.flatMap(({ restRatio }) => (restRatio > 0 ? [Math.log(restRatio) ** 2] : []));
  const deviation = Math.sqrt((PRIOR_MONTHS * usual + sum(squares)) / (PRIOR_MONTHS + squares.length));
  // Days that are over and not known are as uncertain as those to come.
  const uncertainKwh = restKwh + (unknownDays === 0 ? 0 : (restKwh / daysToCome) * unknownDays);
  const certainKwh = soFarKwh + restKwh - uncertainKwh;
  const at = (deviations: number) => certainKwh + uncertainKwh * Math.exp(deviations * deviation);
  return { lowKwh: at(-DEVIATIONS), highKwh: at(DEVIATIONS) };
}
