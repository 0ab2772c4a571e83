import { loadCosts } from '#src/cost/costs.ts';
import { isMixedCurrenciesError } from '#src/cost/running.ts';
import type { Database } from '#src/database/connect.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { formatDayNumber } from './calendar.ts';
import { type DailyUsage, findUsageOfDay } from './daily-use.ts';
import { forecastMonthEnd, type MonthEndForecast } from './month-end.ts';
import { FORECAST_HISTORY_DAYS, type ProfileQuery, readDailyUsage } from './read-profile.ts';
import { createShortLivedCache } from './short-cache.ts';

const cachedForecast = createShortLivedCache<MonthEndForecast | null>();

/**
 * Returns the forecast of a user's current month in kWh and money, cached for a minute; null if too few days are known. The caller must
 * have checked the access to the account `userId`.
 */
export function loadMonthForecast(db: Database, asked: ProfileQuery): Promise<MonthEndForecast | null> {
  const { userId, zone, now } = asked;
  return cachedForecast(`${userId} ${zone} ${Math.floor(now.getTime() / 60_000)}`, async () => {
    const { daily, today, todayKwh } = await readDailyUsage(db, asked, FORECAST_HISTORY_DAYS);
    const end = forecastMonthEnd(daily, today, todayKwh);
    return end && { ...end, cost: await costOf(db, asked, end, daily, today) };
  });
}

/** Number of past days from which the recent cost of a kWh is computed. */
const PRICE_DAYS = 28;
const MIN_PRICE_DAYS = 7;

/**
 * Returns the expected cost of the month: the cost so far plus the remaining usage × the recent cost of a kWh, which includes standing
 * charges and earnings from exports.
 */
async function costOf(
  db: Database,
  asked: ProfileQuery,
  end: MonthEndForecast,
  daily: DailyUsage,
  today: number,
): Promise<MonthEndForecast['cost']> {
  const buyer = { userId: asked.userId };
  const range = (start: string) => createDayRange(start, formatDayNumber(today), asked.zone);
  try {
    const [days, months] = await Promise.all([
      loadCosts(db, { buyer, range: range(formatDayNumber(today - PRICE_DAYS)), now: asked.now }, 'day'),
      loadCosts(db, { buyer, range: range(end.start), now: asked.now }, 'month'),
    ]);
    const [month] = months;
    if (!month) return null;
    let [kwh, amount, count] = [0, 0, 0];
    for (const { labels, cost } of days) {
      const used = findUsageOfDay(daily, Date.parse(labels.date) / 86_400_000);
      if (used === null || cost.missing_prices_kwh > 0) continue;
      [kwh, amount, count] = [kwh + used, amount + Number(cost.total), count + 1];
    }
    if (count < MIN_PRICE_DAYS || kwh <= 0) return null;
    const soFar = Number(month.cost.total);
    const at = (totalKwh: number) => soFar + (totalKwh - end.soFarKwh) * (amount / kwh);
    const [low, high] = [at(end.lowKwh), at(end.highKwh)];
    // `low` and `high` are sorted, because the higher usage has the lower cost if a kWh has a negative cost.
    return {
      currency: month.cost.currency,
      expected: at(end.expectedKwh),
      low: Math.min(low, high),
      high: Math.max(low, high),
    };
  } catch (error) {
    if (isMixedCurrenciesError(error)) return null;
    throw error;
  }
}
