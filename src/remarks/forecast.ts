import { getMonth, getWeekday, type Month } from './calendar.ts';
import { type DailyUsage, findUsageOfDay, listDaysWithKnownUsage } from './daily-use.ts';
import { computeMean, median, quantile, standardDeviation, sumValues } from './robust.ts';

/** Expected usage of a month, as of the start of one of its days. Energies in kWh. */
export interface MonthForecast {
  month: Month;
  /** Number of past days of the month. */
  daysOver: number;
  /** Usage of the month's past days; for unknown past days, the expected usage. */
  soFarKwh: number;
  /** Number of past days with unknown usage. */
  unknownDays: number;
  /** Expected usage of the remaining days. */
  restKwh: number;
  /**
   * Recent change of the home's level of usage: the absolute logarithm of the mean of the last 28 days ÷ the mean of the 28 days before. 0:
   * unknown.
   */
  drift: number;
  /** Variation between days: the standard deviation of the logarithm of usage over the last 28 days. */
  daySpread: number;
}

/** Number of days from which the recent level of usage is computed. */
const RECENT_DAYS = 56;
/**
 * Age in days at which a day has half the weight of today. This value, `RECENT_DAYS` and `WEEKDAY_DAYS` were the best of 288 combinations
 * on half of the real homes, and were then measured on the other half.
 */
const HALF_LIFE_DAYS = 14;
const WEEKDAY_DAYS = 84;
/** Minimum number of known days among the `RECENT_DAYS`. */
const LEAST_DAYS = 10;
/**
 * Exponents for last year's seasonal change and for last year's level in the forecast. With 0 and 0 the forecast is the
 * recent level; with 1 and 1 it is last year's usage of the same days. These values had the smallest mean error over
 * six homes, and a smaller error than 0.3 and 0 on each home with two known years.
 */
const LAST_YEAR = { ofSeason: 0.6, ofLevel: 0.3 };
/**
 * Maximum factor by which last year's seasonal change and last year's level may each change the forecast. The maximum limits the effect of
 * a year in which the home was empty.
 */
const MAX_FACTOR = 2;
/** Minimum number of days with known usage before and after the seasonal change. */
const LEAST_SEASON_DAYS = 12;
const YEAR_DAYS = 364;

/**
 * Forecasts the month of `today`: known usage so far, and for each remaining day the recent level times the factor of its weekday times the
 * seasonal change of last year (docs/plain-words.md). Ignores data of `today` and later. Null if too few days are known.
 */
export function forecastMonth(used: DailyUsage, today: number): MonthForecast | null {
  const month = getMonth(today);
  const recent = listDaysWithKnownUsage(used, today - RECENT_DAYS, today);
  if (recent.length < LEAST_DAYS) return null;
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

/** Length in days of each of the two periods whose usage is compared for the drift. */
const UNREST_DAYS = 28;
/** Minimum usage of a day in kWh for logarithms, because 0 has no logarithm. */
const LEAST_DAY_KWH = 0.05;

/** Returns the recent change of the home's level and the variation between its days. Both values make a forecast uncertain. */
function unrestOf(used: DailyUsage, today: number): Pick<MonthForecast, 'drift' | 'daySpread'> {
  const [last, before] = [1, 2].map((back) =>
    listDaysWithKnownUsage(used, today - back * UNREST_DAYS, today - (back - 1) * UNREST_DAYS).map(({ kwh }) =>
      Math.max(LEAST_DAY_KWH, kwh),
    ),
  ) as [number[], number[]];
  const isKnown = last.length >= LEAST_DAYS && before.length >= LEAST_DAYS;
  return {
    drift: isKnown ? Math.abs(Math.log(computeMean(last) / computeMean(before))) : 0,
    daySpread: standardDeviation(last.map(Math.log)),
  };
}

/** Returns the recent usage of a day in kWh. Newer days have more weight, and outliers are limited to the range of the other days. */
function levelOf(recent: readonly { day: number; kwh: number }[], today: number, weekday: readonly number[]): number {
  const flat = recent.map(({ day, kwh }) => ({
    kwh: kwh / (weekday[getWeekday(day)] as number),
    weight: 0.5 ** ((today - day) / HALF_LIFE_DAYS),
  }));
  const values = flat.map(({ kwh }) => kwh);
  const [low, high] = [quantile(values, 0.05), quantile(values, 0.95)];
  const clamped = flat.map(({ kwh, weight }) => Math.min(high, Math.max(low, kwh)) * weight);
  return sumValues(clamped) / sumValues(flat.map(({ weight }) => weight));
}

/**
 * Returns the ratio of each weekday (1 to 7) to the mean of its week, as the median over the weeks, moved halfway towards 1 because there
 * are few weeks.
 */
function weekdayFactors(used: DailyUsage, today: number): number[] {
  const ratios: number[][] = Array.from({ length: 8 }, () => []);
  for (let end = today; end > today - WEEKDAY_DAYS; end -= 7) {
    const week = listDaysWithKnownUsage(used, end - 7, end);
    const weekMean = computeMean(week.map(({ kwh }) => kwh));
    if (week.length === 7 && weekMean > 0)
      for (const { day, kwh } of week) ratios[getWeekday(day)]?.push(kwh / weekMean);
  }
  const factors = ratios.map((of) => (of.length < 4 ? 1 : (1 + median(of)) / 2));
  const middle = computeMean(factors.slice(1));
  return factors.map((factor) => factor / middle);
}

/**
 * Returns the factor by which last year changes a forecast from the recent `level` (kWh a day) for the days from `today` to `end`; 1 if
 * last year is unknown.
 */
function lastYearFactor(
  used: DailyUsage,
  { today, end, level }: { today: number; end: number; level: number },
): number {
  const then = today - YEAR_DAYS;
  const before = listDaysWithKnownUsage(used, then - RECENT_DAYS, then);
  // The compared period of last year is centred on the remaining days and has a minimum length, so that a few days have no excessive
  // effect.
  const middle = then + (end - today) / 2;
  const half = Math.max((end - today) / 2, LEAST_SEASON_DAYS / 2 + 1);
  const after = listDaysWithKnownUsage(used, Math.floor(middle - half), Math.ceil(middle + half));
  if (before.length < LEAST_SEASON_DAYS || after.length < LEAST_SEASON_DAYS) return 1;
  const [low, high] = [median(before.map(({ kwh }) => kwh)), median(after.map(({ kwh }) => kwh))];
  if (low <= 0 || level <= 0) return 1;
  const bounded = (factor: number) => Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, factor));
  const levelThen = levelOf(before, then, EVEN_WEEK);
  return bounded(high / low) ** LAST_YEAR.ofSeason * bounded(levelThen / level) ** LAST_YEAR.ofLevel;
}

/** Weekday factors of a home whose weekdays do not differ. */
const EVEN_WEEK = Array.from({ length: 8 }, () => 1);
