import { costsOf } from '#src/cost/costs.ts';
import { isOfTwoCurrencies } from '#src/cost/running.ts';
import type { Database } from '#src/database/connect.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { dateOf } from './calendar.ts';
import { type DailyUse, usedOn } from './daily-use.ts';
import { keptShortly } from './kept-shortly.ts';
import { type MonthEnd, monthEnd } from './month-end.ts';
import { type AskedProfile, FORECAST_DAYS, readDailyUse } from './read-profile.ts';

const kept = keptShortly<MonthEnd | null>();

/**
 * What a user's month will come to, in kWh and money; null: of too few days is known what they used. It is what the dashboard shows and what may be
 * told to others; cheap to ask again, being the same for a minute. `userId` must have been found within the caller's reach.
 */
export function monthForecast(db: Database, asked: AskedProfile): Promise<MonthEnd | null> {
  const { userId, zone, now } = asked;
  return kept(`${userId} ${zone} ${Math.floor(now.getTime() / 60_000)}`, async () => {
    const { daily, today, todayKwh } = await readDailyUse(db, asked, FORECAST_DAYS);
    const end = monthEnd(daily, today, todayKwh);
    return end && { ...end, cost: await costOf(db, asked, end, daily, today) };
  });
}

/** Days of which it is known what they cost and used: what a kWh of the home costs lately, all in all. */
const PRICE_DAYS = 28;
const LEAST_PRICE_DAYS = 7;

/** What it costs: so far, and the rest as a kWh cost lately, with standing charges and what was fed in. */
async function costOf(
  db: Database,
  asked: AskedProfile,
  end: MonthEnd,
  daily: DailyUse,
  today: number,
): Promise<MonthEnd['cost']> {
  const buyer = { userId: asked.userId };
  const range = (start: string) => dayRange(start, dateOf(today), asked.zone);
  try {
    const [days, months] = await Promise.all([
      costsOf(db, { buyer, range: range(dateOf(today - PRICE_DAYS)), now: asked.now }, 'day'),
      costsOf(db, { buyer, range: range(end.start), now: asked.now }, 'month'),
    ]);
    const [month] = months;
    if (!month) return null;
    let [kwh, amount, count] = [0, 0, 0];
    for (const { labels, cost } of days) {
      const used = usedOn(daily, Date.parse(labels.date) / 86_400_000);
      if (used === null || cost.missing_prices_kwh > 0) continue;
      [kwh, amount, count] = [kwh + used, amount + Number(cost.total), count + 1];
    }
    if (count < LEAST_PRICE_DAYS || kwh <= 0) return null;
    const soFar = Number(month.cost.total);
    const at = (totalKwh: number) => soFar + (totalKwh - end.soFarKwh) * (amount / kwh);
    const [low, high] = [at(end.lowKwh), at(end.highKwh)];
    // A home that earns by what it uses is none that we know, but it would not be shown upside down.
    return {
      currency: month.cost.currency,
      expected: at(end.expectedKwh),
      low: Math.min(low, high),
      high: Math.max(low, high),
    };
  } catch (error) {
    if (isOfTwoCurrencies(error)) return null;
    throw error;
  }
}
