import { fileURLToPath } from 'node:url';
import {
  computeCalibratedHalfWidth,
  computeForecastOutcomes,
  computeMeanForecastErrors,
  crossValidateForecastRanges,
  type ForecastOutcome,
} from '#test/reference/forecast-errors.ts';
import type { BenchmarkResult } from './answer.ts';
import { readHomes } from './forecast/homes.ts';

const CARRIED = fileURLToPath(new URL('../test/data/opsd-residential4/daily.csv', import.meta.url));
const DAYS = [1, 5, 10, 15, 20, 25, 28];
/** Day of the month on which the error of the forecast must be lower than that of the naive forecasts. */
const GOAL_DAY = 10;
/**
 * Measures the error of the forecast of a month's usage on each day of the month, compared with two simple forecasts. `files`: usage of
 * real homes, as days (`date,kwh`) or in the format of a public data set.
 */
export async function runBenchmark(files: readonly string[] = []): Promise<BenchmarkResult> {
  const homes = (files.length > 0 ? files : [CARRIED]).flatMap(readHomes);
  const outcomes = homes.flatMap(({ name, used }) => computeForecastOutcomes(name, used, DAYS));
  const groups: [string, ForecastOutcome[]][] = [
    ['all homes', outcomes],
    ...[...Map.groupBy(outcomes, ({ home }) => home)].map(([name, own]): [string, ForecastOutcome[]] => [name, own]),
  ];
  const tables = groups.map(([name, own]) => ({ name, rows: DAYS.map((day) => rowOf(day, own)) }));
  const lines = tables.flatMap(({ name, rows }) => [
    '',
    `${name}: mean absolute error in % of the month, by day of the month (the same of the days to come alone)`,
    'day   months  forecast  as last month    within 80 %  |  months  forecast  as last year',
    ...rows.map(textOf),
  ]);
  const ranges = groups.length > 2 ? crossValidateForecastRanges(outcomes) : [];
  return {
    lines: [...lines, ...rangeLines(ranges, outcomes)],
    json: { tables, ranges },
    goals: (tables[0]?.rows ?? []).flatMap(({ day, rest_as_last_month: rest }) =>
      rest && day === GOAL_DAY
        ? [
            {
              what: `Error of the forecast on day ${day} ÷ of "the days to come as last month"`,
              measured: Math.round((100 * rest.forecast) / rest.naive) / 100,
              goal: { atMost: 1 },
            },
          ]
        : [],
    ),
  };
}

/** Formats, for each home, the share of its months whose usage was within the forecast range, calibrated on the other homes. */
function rangeLines(
  ranges: ReturnType<typeof crossValidateForecastRanges>,
  outcomes: readonly ForecastOutcome[],
): string[] {
  if (ranges.length === 0) return ['', 'The range on homes that are held out: give files of two homes or more.'];
  const mean = ranges.reduce((sum, { withinPercent }) => sum + withinPercent, 0) / ranges.length;
  return [
    '',
    'the range, calibrated on the other homes: months within it, and its half-width in deviations',
    ...ranges.map(
      ({ home, halfWidth, withinPercent }) =>
        `${withinPercent.toFixed(0).padStart(4)} %  ${halfWidth.toFixed(2)}  ${home}`,
    ),
    `${mean.toFixed(0).padStart(4)} %  mean of the homes; calibrated on all of them: ${computeCalibratedHalfWidth(outcomes).toFixed(2)}`,
  ];
}

function rowOf(day: number, all: readonly ForecastOutcome[]) {
  const ofDay = all.filter((one) => one.day === day);
  return {
    day,
    beside_last_month: computeMeanForecastErrors(ofDay, 'lastMonth'),
    rest_as_last_month: computeMeanForecastErrors(ofDay, 'lastMonthOfRest'),
    beside_last_year: computeMeanForecastErrors(ofDay, 'lastYear'),
    rest_as_last_year: computeMeanForecastErrors(ofDay, 'lastYearOfRest'),
    within_range_percent:
      ofDay.length === 0 ? null : (100 * ofDay.filter((one) => one.isWithinRange).length) / ofDay.length,
  };
}

function textOf(row: ReturnType<typeof rowOf>): string {
  const beside = (
    whole: ReturnType<typeof computeMeanForecastErrors>,
    rest: ReturnType<typeof computeMeanForecastErrors>,
  ) =>
    whole === null
      ? '     –         –               '
      : `${String(whole.months).padStart(6)}  ${whole.forecast.toFixed(1).padStart(8)}  ${`${whole.naive.toFixed(1)} (${rest?.naive.toFixed(1)})`.padStart(13)}`;
  return `${String(row.day).padStart(3)}   ${beside(row.beside_last_month, row.rest_as_last_month)}   ${(row.within_range_percent ?? 0).toFixed(0).padStart(8)} %  |  ${beside(row.beside_last_year, row.rest_as_last_year)}`;
}
