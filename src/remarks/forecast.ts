import { getMonthOfDay, getWeekday, type Month } from './calendar.ts';
import { type DailyUsage, findUsageOfDay, listDaysWithKnownUsage } from './daily-use.ts';
import { computeMean, computeMedian, computeQuantile, computeStandardDeviation, sumValues } from './statistics.ts';

/** Forecast of a month's usage, made at the start of one of its days. Energies in kWh. */
export interface MonthForecast {
  month: Month;
  /** Number of days of the month that are over. */
  daysOver: number;
  /** Usage of the days that are over. Unknown days have their expected usage. */
  soFarKwh: number;
  /** Number of past days of the month with unknown usage. */
  unknownDays: number;
  /** Expected usage of the remaining days of the month. */
  restKwh: number;
  /** Recent change of the home's usage: the absolute value of ln(mean of the last 28 days ÷ mean of the 28 days before). 0 if unknown. */
  drift: number;
  /** Variation between days: the standard deviation of the logarithm of the usage of the last 28 days. */
  daySpread: number;
}

/** Number of past days from which the current level of usage is computed. */
const RECENT_DAYS = 56;
/**
 * Age in days at which a day has half the weight of the current day. This value, `RECENT_DAYS` and `WEEKDAY_DAYS` were the best of 288
 * combinations on real homes.
 */
const HALF_LIFE_DAYS = 14;
const WEEKDAY_DAYS = 84;
/** Minimum number of days with known usage among the last `RECENT_DAYS` days. */
const MIN_DAYS = 10;
/**
 * Exponents that weight last year's data in a forecast. `ofSeason`: for last year's change of usage from the days before the same date to
 * the compared days. `ofLevel`: for last year's level of usage. With 0, last year has no effect; with 1, the forecast is last year's usage.
 * The values had the smallest mean error on six homes.
 */
const LAST_YEAR = { ofSeason: 0.6, ofLevel: 0.3 };
/** Maximum factor by which last year's data may change the forecast, for years in which the home was empty. */
const MAX_FACTOR = 2;
/** Minimum number of days with known usage last year, in each of two periods: the days before the same date, and the compared days. */
const MIN_SEASON_DAYS = 12;
const YEAR_DAYS = 364;

/**
 * Forecasts the month that contains `today`: the known usage so far, plus the expected usage of each remaining day. The expected usage is
 * the current level × the factor of the weekday × the factor for last year. Null if too few days are known.
 */
export function forecastMonth(used: DailyUsage, today: number): MonthForecast | null {
  const month = getMonthOfDay(today);
  const recent = listDaysWithKnownUsage(used, today - RECENT_DAYS, today);
  if (recent.length < MIN_DAYS) return null;
  const weekday = weekdayFactors(used, today);
  const level = levelOf(recent, today, weekday);
  let [soFarKwh, unknownDays, restKwh] = [0, 0, 0];
  const end = month.first + month.days;
  for (let day = month.first; day < end; day++) {
    const kwh = day < today ? findUsageOfDay(used, day) : null;
    if (kwh !== null) soFarKwh += kwh;
    else {
      const expected = level * (weekday[getWeekday(day)] as number);
      if (day < today) [soFarKwh, unknownDays] = [soFarKwh + expected, unknownDays + 1];
      else restKwh += expected;
    }
  }
  return {
    month,
    daysOver: today - month.first,
    soFarKwh,
    unknownDays,
    restKwh: restKwh * lastYearFactor(used, { today, end, level }),
    ...unrestOf(used, today),
  };
}

/** Length in days of each of the two periods that are compared to compute `drift`. */
const UNREST_DAYS = 28;
/** Minimum usage of a day in kWh, because 0 has no logarithm. */
const MIN_DAY_KWH = 0.05;

/** Returns the recent change of the home's usage and its variation between days. High values mean an uncertain forecast. */
function unrestOf(used: DailyUsage, today: number): Pick<MonthForecast, 'drift' | 'daySpread'> {
  const [last, before] = [1, 2].map((back) =>
    listDaysWithKnownUsage(used, today - back * UNREST_DAYS, today - (back - 1) * UNREST_DAYS).map(({ kwh }) =>
      Math.max(MIN_DAY_KWH, kwh),
    ),
  ) as [number[], number[]];
  const isKnown = last.length >= MIN_DAYS && before.length >= MIN_DAYS;
  return {
    drift: isKnown ? Math.abs(Math.log(computeMean(last) / computeMean(before))) : 0,
    daySpread: computeStandardDeviation(last.map(Math.log)),
  };
}

/** Returns the current level of usage in kWh a day. Newer days have more weight. Outliers are capped. */
function levelOf(recent: readonly { day: number; kwh: number }[], today: number, weekday: readonly number[]): number {
  const flat = recent.map(({ day, kwh }) => ({
    kwh: kwh / (weekday[getWeekday(day)] as number),
    weight: 0.5 ** ((today - day) / HALF_LIFE_DAYS),
  }));
  const values = flat.map(({ kwh }) => kwh);
  const [low, high] = [computeQuantile(values, 0.05), computeQuantile(values, 0.95)];
  const clamped = flat.map(({ kwh, weight }) => Math.min(high, Math.max(low, kwh)) * weight);
  return sumValues(clamped) / sumValues(flat.map(({ weight }) => weight));
}

/**
 * Returns a factor for each weekday (1 to 7): its usage divided by the mean of the week, as the median over the weeks. Each factor is moved
 * halfway towards 1, because there are only a few weeks.
 */
function weekdayFactors(used: DailyUsage, today: number): number[] {
  const ratios: number[][] = Array.from({ length: 8 }, () => []);
  for (let end = today; end > today - WEEKDAY_DAYS; end -= 7) {
    const week = listDaysWithKnownUsage(used, end - 7, end);
    const weekMean = computeMean(week.map(({ kwh }) => kwh));
    if (week.length === 7 && weekMean > 0)
      for (const { day, kwh } of week) ratios[getWeekday(day)]?.push(kwh / weekMean);
  }
  const factors = ratios.map((of) => (of.length < 4 ? 1 : (1 + computeMedian(of)) / 2));
  const middle = computeMean(factors.slice(1));
  return factors.map((factor) => factor / middle);
}

/**
 * Returns the factor by which last year's data change the forecast for the days from `today` to `end`; 1 if unknown. `level`: current level
 * in kWh a day.
 */
function lastYearFactor(
  used: DailyUsage,
  { today, end, level }: { today: number; end: number; level: number },
): number {
  const then = today - YEAR_DAYS;
  const before = listDaysWithKnownUsage(used, then - RECENT_DAYS, then);
  // The compared days of last year are centred on the remaining days of the month. If few days remain, more days are compared, so that
  // single days have no excessive effect.
  const middle = then + (end - today) / 2;
  const half = Math.max((end - today) / 2, MIN_SEASON_DAYS / 2 + 1);
  const after = listDaysWithKnownUsage(used, Math.floor(middle - half), Math.ceil(middle + half));
  if (before.length < MIN_SEASON_DAYS || after.length < MIN_SEASON_DAYS) return 1;
  const [low, high] = [computeMedian(before.map(({ kwh }) => kwh)), computeMedian(after.map(({ kwh }) => kwh))];
  if (low <= 0 || level <= 0) return 1;
  const bounded = (factor: number) => Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, factor));
  const levelThen = levelOf(before, then, EVEN_WEEK);
  return bounded(high / low) ** LAST_YEAR.ofSeason * bounded(levelThen / level) ** LAST_YEAR.ofLevel;
}

/** Weekday factors of a home that uses the same on every day. */
const EVEN_WEEK = Array.from({ length: 8 }, () => 1);
