import { backTest, meanError, type PastForecast, totalOf } from './back-test.ts';
import { dateOf } from './calendar.ts';
import type { DailyUse } from './daily-use.ts';
import { forecastMonth } from './forecast.ts';
import { RANGE_PERCENT, rangeOf } from './forecast-range.ts';

/** What the month under way will come to. */
export interface MonthEnd {
  /** First and last day, YYYY-MM-DD of the user's zone. */
  start: string;
  end: string;
  /** Days that are over. */
  daysOver: number;
  soFarKwh: number;
  expectedKwh: number;
  lowKwh: number;
  highKwh: number;
  /** In how many of a hundred months it will lie between these. */
  rangePercent: number;
  /** Null: no tariff holds, or not long enough. */
  cost: { currency: string; expected: number; low: number; high: number } | null;
  /** The same forecast on the same day of the home's own months before, youngest first, and by how much it was off, as a share; with what the same month of the year before used. */
  past: { month: string; forecastKwh: number; actualKwh: number; lastYearKwh: number | null }[];
  meanError: number | null;
}

/** What the month will come to by what is known of its days, without money; null: of too few it is known. Pure. `todayKwh`: of today so far, which is at least used. */
export function monthEnd(daily: DailyUse, today: number, todayKwh: number): MonthEnd | null {
  const forecast = forecastMonth(daily, today);
  if (!forecast) return null;
  const { month, daysOver, soFarKwh } = forecast;
  const past = backTest(daily, today);
  const { lowKwh, highKwh } = rangeOf(forecast, past);
  const leastKwh = soFarKwh + todayKwh;
  return {
    start: dateOf(month.first),
    end: dateOf(month.first + month.days - 1),
    daysOver,
    soFarKwh: leastKwh,
    expectedKwh: Math.max(totalOf(forecast), leastKwh),
    lowKwh: Math.max(lowKwh, leastKwh),
    highKwh: Math.max(highKwh, leastKwh),
    rangePercent: RANGE_PERCENT,
    cost: null,
    past: past.map(toRecord),
    meanError: meanError(past),
  };
}

const toRecord = ({ firstDay, forecastKwh, actualKwh, lastYearKwh }: PastForecast): MonthEnd['past'][number] => ({
  month: dateOf(firstDay).slice(0, 7),
  forecastKwh,
  actualKwh,
  lastYearKwh,
});
