import { type Month, monthOf, weekdayOf } from './calendar.ts';
import { type DailyUse, knownDays, usedOn } from './daily-use.ts';
import { deviation, mean, median, quantile, sum } from './robust.ts';

/** What a month will come to, as of the start of one of its days. kWh. */
export interface MonthForecast {
  month: Month;
  /** Days of the month that are over. */
  daysOver: number;
  /** What was used in them; of those of which it is not known, what is expected. */
  soFarKwh: number;
  /** Of the days over, those of which it is not known. */
  unknownDays: number;
  /** What the days to come are expected to use. */
  restKwh: number;
  /** How far the home's level moved lately: the logarithm of the mean of the last 28 days over that of the 28 before, without its sign. 0: unknown. */
  drift: number;
  /** How much its days differ: the standard deviation of the logarithm of the last 28. */
  daySpread: number;
}

/** Days that tell how much a home uses lately, and how its weekdays differ. */
const RECENT_DAYS = 56;
/** A day so long ago counts half. (This, the days and the share below are the best of 288 on half of the real homes; the other half measures them.) */
const HALF_LIFE_DAYS = 14;
const WEEKDAY_DAYS = 84;
/** Fewer known days of the recent ones tell nothing. */
const LEAST_DAYS = 10;
/**
 * The forecast takes over this share of last year's change from the same days to the days to come, and this share of last year's level; as exponents.
 * With 0 and 0 it is the recent level, with 1 and 1 what the same days used last year. These two had the smallest mean error over six homes, and a
 * smaller one than 0.3 and 0 on each home of which two years are known.
 */
const LAST_YEAR = { ofSeason: 0.6, ofLevel: 0.3 };
/** Neither moves the forecast by more than this factor: a home that was empty last year says nothing of this one. */
const MAX_FACTOR = 2;
/** Of the days that it is made of, on either side. */
const LEAST_SEASON_DAYS = 12;
const YEAR_DAYS = 364;

/**
 * What the month of `today` will come to: what was used up to now, and for each day to come the recent level, times how its weekday differs
 * from others, times how last year went on from the same days (docs/plain-words.md). `today` and what is after it is not looked at. Null:
 * not enough is known.
 */
export function forecastMonth(used: DailyUse, today: number): MonthForecast | null {
  const month = monthOf(today);
  const recent = knownDays(used, today - RECENT_DAYS, today);
  if (recent.length < LEAST_DAYS) return null;
  const weekday = weekdayFactors(used, today);
  const level = levelOf(recent, today, weekday);
  let [soFarKwh, unknownDays, restKwh] = [0, 0, 0];
  const end = month.first + month.days;
  for (let day = month.first; day < end; day++) {
    const kwh = day < today ? usedOn(used, day) : null;
    if (kwh !== null) soFarKwh += kwh;
    else {
      const expected = level * (weekday[weekdayOf(day)] as number);
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

/** Days whose level is compared with that of as many before them. */
const UNREST_DAYS = 28;
/** A day of nothing has no logarithm. kWh */
const LEAST_DAY_KWH = 0.05;

/** How much the home's level and its days move lately: what makes a forecast uncertain. */
function unrestOf(used: DailyUse, today: number): Pick<MonthForecast, 'drift' | 'daySpread'> {
  const [last, before] = [1, 2].map((back) =>
    knownDays(used, today - back * UNREST_DAYS, today - (back - 1) * UNREST_DAYS).map(({ kwh }) =>
      Math.max(LEAST_DAY_KWH, kwh),
    ),
  ) as [number[], number[]];
  const isKnown = last.length >= LEAST_DAYS && before.length >= LEAST_DAYS;
  return {
    drift: isKnown ? Math.abs(Math.log(mean(last) / mean(before))) : 0,
    daySpread: deviation(last.map(Math.log)),
  };
}

/** What a day uses lately: the younger, the more it counts; days that are far off count as far as the others go. */
function levelOf(recent: readonly { day: number; kwh: number }[], today: number, weekday: readonly number[]): number {
  const flat = recent.map(({ day, kwh }) => ({
    kwh: kwh / (weekday[weekdayOf(day)] as number),
    weight: 0.5 ** ((today - day) / HALF_LIFE_DAYS),
  }));
  const values = flat.map(({ kwh }) => kwh);
  const [low, high] = [quantile(values, 0.05), quantile(values, 0.95)];
  const clamped = flat.map(({ kwh, weight }) => Math.min(high, Math.max(low, kwh)) * weight);
  return sum(clamped) / sum(flat.map(({ weight }) => weight));
}

/** How days of a weekday (1 to 7) differ from their weeks, by medians, halfway to 1: weeks are few. */
function weekdayFactors(used: DailyUse, today: number): number[] {
  const ratios: number[][] = Array.from({ length: 8 }, () => []);
  for (let end = today; end > today - WEEKDAY_DAYS; end -= 7) {
    const week = knownDays(used, end - 7, end);
    const weekMean = mean(week.map(({ kwh }) => kwh));
    if (week.length === 7 && weekMean > 0)
      for (const { day, kwh } of week) ratios[weekdayOf(day)]?.push(kwh / weekMean);
  }
  const factors = ratios.map((of) => (of.length < 4 ? 1 : (1 + median(of)) / 2));
  const middle = mean(factors.slice(1));
  return factors.map((factor) => factor / middle);
}

/** What last year changes of a forecast by the recent `level` (kWh a day) of the days from `today` to `end`; 1 if last year is unknown. */
function lastYearFactor(used: DailyUse, { today, end, level }: { today: number; end: number; level: number }): number {
  const then = today - YEAR_DAYS;
  const before = knownDays(used, then - RECENT_DAYS, then);
  // Days around those to come, so that a few of them say no more than they can.
  const middle = then + (end - today) / 2;
  const half = Math.max((end - today) / 2, LEAST_SEASON_DAYS / 2 + 1);
  const after = knownDays(used, Math.floor(middle - half), Math.ceil(middle + half));
  if (before.length < LEAST_SEASON_DAYS || after.length < LEAST_SEASON_DAYS) return 1;
  const [low, high] = [median(before.map(({ kwh }) => kwh)), median(after.map(({ kwh }) => kwh))];
  if (low <= 0 || level <= 0) return 1;
  const bounded = (factor: number) => Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, factor));
  const levelThen = levelOf(before, then, EVEN_WEEK);
  return bounded(high / low) ** LAST_YEAR.ofSeason * bounded(levelThen / level) ** LAST_YEAR.ofLevel;
}

/** Weekdays that do not differ. */
const EVEN_WEEK = Array.from({ length: 8 }, () => 1);
