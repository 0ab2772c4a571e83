import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '#simulators/random.ts';
import { computeForecastOutcomes, computeMeanForecastErrors } from '#test/reference/forecast-errors.ts';
import { backTestForecasts, computeMeanForecastError, sumForecastKwh } from './back-test.ts';
import { getMonthOfDay, getWeekday, parseDayNumber } from './calendar.ts';
import type { DailyUsage } from './daily-use.ts';
import { forecastMonth } from './forecast.ts';
import { computeForecastRange } from './forecast-range.ts';
import { forecastMonthEnd } from './month-end.ts';

const START = parseDayNumber('2025-01-01');
/** Returns daily usage for a number of days from 2025-01-01 on. */
const days = (count: number, kwhOf: (day: number) => number | null): DailyUsage => ({
  firstDay: START,
  kwh: Array.from({ length: count }, (_, index) => kwhOf(START + index)),
});
const on = (date: string) => parseDayNumber(date);
/** Returns the daily usage of a real home (test/data/opsd-residential4). */
function realHome(): DailyUsage {
  const file = new URL('../../test/data/opsd-residential4/daily.csv', import.meta.url);
  const rows = readFileSync(file, 'utf8').trim().split('\n').slice(1);
  const kwh = rows.map((row) => (row.endsWith(',') ? null : Number(row.split(',')[1])));
  return { firstDay: parseDayNumber(rows[0]?.split(',')[0] ?? ''), kwh };
}

describe('the forecast of a month', () => {
  test('is exact if all days are equal, and if each weekday always has the same usage', () => {
    const even = forecastMonth(
      days(120, () => 10),
      on('2025-04-11'),
    );
    expect(even && sumForecastKwh(even)).toBeCloseTo(300, 6);
    const weekly = days(400, (day) => (getWeekday(day) > 5 ? 14 : 8));
    const at = on('2025-08-04');
    const actual = weekly.kwh.slice(on('2025-08-01') - START, on('2025-09-01') - START) as number[];
    const forecast = forecastMonth(weekly, at);
    // The forecast halves the difference between a weekday and the mean of the week, so it is not exact for this home.
    const share = (forecast ? sumForecastKwh(forecast) : 0) / actual.reduce((sum, kwh) => sum + kwh, 0);
    expect(Math.abs(share - 1)).toBeLessThan(0.02);
  });

  test('does not use data of later days', () => {
    const at = on('2025-05-20');
    const known = days(at - START, (day) => 5 + (day % 4));
    const later = days(300, (day) => (day < at ? 5 + (day % 4) : 99));
    expect(forecastMonth(later, at)).toEqual(forecastMonth(known, at));
    expect(backTestForecasts(later, at)).toEqual(backTestForecasts(known, at));
  });

  test('is null for a home with a week of data, and fills in unknown days', () => {
    expect(
      forecastMonth(
        days(9, () => 10),
        START + 9,
      ),
    ).toBeNull();
    const holed = days(120, (day) => (day === on('2025-04-03') ? null : 10));
    const forecast = forecastMonth(holed, on('2025-04-11'));
    expect(forecast?.unknownDays).toBe(1);
    expect(forecast && sumForecastKwh(forecast)).toBeCloseTo(300, 6);
  });

  test('is not compared with months that have several unknown days', () => {
    const at = on('2025-06-11');
    const holed = (unknown: number) =>
      days(at - START, (day) => (day >= at - 30 && day < at - 30 + unknown ? null : 10));
    const months = (used: DailyUsage) => backTestForecasts(used, at).length;
    expect([months(holed(0)), months(holed(1)), months(holed(4))]).toEqual([5, 5, 4]);
  });

  test('changes little after one unusual week', () => {
    const at = on('2025-04-11');
    const odd = days(100, (day) => (day >= at - 10 && day < at - 7 ? 80 : 10));
    const forecast = forecastMonth(odd, at);
    expect((forecast?.restKwh ?? 0) / 20).toBeLessThan(18);
  });

  test('follows last year’s change in part', () => {
    const seasonal = days(430, (day) => 12 + 6 * Math.cos((2 * Math.PI * (day - START)) / 365));
    const at = on('2026-03-01');
    const [with_, without] = [seasonal, { firstDay: at - 200, kwh: seasonal.kwh.slice(at - 200 - START, at - START) }];
    const actual = seasonal.kwh.slice(at - START, at - START + 31).reduce<number>((sum, kwh) => sum + (kwh ?? 0), 0);
    const off = (used: DailyUsage) => Math.abs(sumForecastKwh(forecastMonth(used, at) as never) - actual);
    expect(off(with_)).toBeLessThan(off(without));
  });

  test('has a range that narrows over the month, and is wider after larger past errors', () => {
    const steady = days(400, (day) => 10 + (day % 3));
    const width = (used: DailyUsage, date: string) => {
      const at = on(date);
      const { lowKwh, highKwh } = computeForecastRange(forecastMonth(used, at) as never, backTestForecasts(used, at));
      return highKwh - lowKwh;
    };
    expect(width(steady, '2025-12-25')).toBeLessThan(width(steady, '2025-12-10') / 2);
    const restless = days(400, (day) => (getMonthOfDay(day).first % 3) * 8 + 4);
    expect(width(restless, '2025-12-10')).toBeGreaterThan(2 * width(steady, '2025-12-10'));
    expect(computeMeanForecastError(backTestForecasts(steady, on('2025-12-10')))).toBeLessThan(0.02);
    expect(computeMeanForecastError([])).toBeNull();
  });
});

test('the month’s forecast is at least the usage so far, including today, and states the compared months', () => {
  const at = on('2025-04-30');
  const end = forecastMonthEnd(
    days(at - START, () => 10),
    at,
    4,
  );
  expect(end).toMatchObject({ start: '2025-04-01', end: '2025-04-30', daysOver: 29, soFarKwh: 294, cost: null });
  expect(end?.expectedKwh).toBeCloseTo(300, 6);
  expect(end?.past.map(({ month }) => month)).toEqual(['2025-03', '2025-02', '2025-01']);
  expect(end?.meanError).toBeCloseTo(0, 6);
  const party = forecastMonthEnd(
    days(at - START, () => 10),
    at,
    90,
  );
  expect([party?.lowKwh, party?.expectedKwh, party?.highKwh]).toEqual([380, 380, 380]);
  expect(
    forecastMonthEnd(
      days(5, () => 10),
      START + 5,
      1,
    ),
  ).toBeNull();
});

test('four of five months lie within the range, for homes in their first two years with drift and seasons', () => {
  const outcomes = Array.from({ length: 24 }, (_, seed) =>
    computeForecastOutcomes(`home ${seed}`, restlessHome(seed), [1, 15]),
  ).flat();
  const within = outcomes.filter(({ isWithinRange }) => isWithinRange);
  expect(outcomes.length).toBeGreaterThan(1_000);
  expect(within.length / outcomes.length).toBeGreaterThan(0.8);
  // If no month lay outside the range, it would be too wide to be useful.
  expect(within.length / outcomes.length).toBeLessThan(0.95);
});

/**
 * Returns two years of daily usage of a simulated home, with seasons (up to twofold), a drift of some percent a week, and variation between
 * days.
 */
function restlessHome(seed: number): DailyUsage {
  const { next: random } = createSeededRandom('restless home', seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const [season, restlessness, noise] = [0.35 * random(), 0.01 + 0.02 * random(), 0.1 + 0.4 * random()];
  let level = 0;
  return days(730, (day) => {
    level = 0.99 * level + restlessness * normal();
    return 12 * Math.exp(season * Math.cos((2 * Math.PI * (day - START)) / 365) + level + noise * normal());
  });
}

test('forecasts a real home with a smaller error than last month’s or last year’s usage, from the fifth day of a month on', () => {
  const used = realHome();
  for (const day of [5, 10, 15, 20, 25]) {
    const ofDay = computeForecastOutcomes('real', used, [day]);
    for (const naive of ['lastMonth', 'lastYear', 'lastMonthOfRest', 'lastYearOfRest'] as const) {
      const errors = computeMeanForecastErrors(ofDay, naive);
      expect(errors?.forecast, `${naive}, day ${day}`).toBeLessThan(errors?.naive ?? 0);
    }
  }
  const all = computeForecastOutcomes('real', used, [1, 5, 10, 15, 20, 25]);
  const errors = computeMeanForecastErrors(all, 'lastMonth');
  expect(errors?.months).toBeGreaterThan(60);
  expect(errors?.forecast).toBeLessThan(0.65 * (errors?.naive ?? 0));
});
