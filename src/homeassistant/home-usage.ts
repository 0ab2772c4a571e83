import { DateTime } from 'luxon';
import type { Database } from '#src/database/connect.ts';
import { newestReadings } from '#src/devices/newest.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { insights } from '#src/energy/insights.ts';
import { powerNow } from '#src/energy/period/power-now.ts';
import { dayRange, type Range } from '#src/energy/ranges.ts';
import { costOf } from './home-report.ts';

/** What a stretch of days used, and what it costs: a decimal in the tariff's currency. Null: not known, no tariff, two currencies. */
interface Stretch {
  kwh_used: number | null;
  cost: string | null;
}

/** What the topic of a home says (docs/mqtt-homes.md). Days are those of `timezone`. */
export interface HomeUsage {
  user_id: string;
  /** When its devices were last heard of, ISO 8601; null: never. */
  as_of: string | null;
  timezone: string;
  /** The power of the home now, W. */
  power_w: number | null;
  /** The last minutes that `power_w` is the mean of; null: it is measured. */
  power_mean_minutes: number | null;
  /** ISO 4217; null: no tariff holds. */
  currency: string | null;
  today: Stretch;
  yesterday: Stretch;
  this_month: Stretch;
}

/** What the interface answers of a home at a moment, for who is told by MQTT; null where there is no such account. */
export async function homeUsage(db: Database, userId: string, now: Date): Promise<HomeUsage | null> {
  const user = await db.selectFrom('users').select('timezone').where('user_id', '=', userId).executeTakeFirst();
  if (!user) return null;
  const { timezone } = user;
  const local = DateTime.fromJSDate(now, { zone: timezone });
  const dayOf = (time: DateTime) => time.toFormat('yyyy-MM-dd');
  const [today, yesterday] = [dayOf(local), dayOf(local.minus({ days: 1 }))];
  const stretch = async (start: string, end: string, groupBy: 'day' | 'month') => {
    const range: Range = dayRange(start, end, timezone);
    const used = (await insights(db, userId, range, groupBy)).at(-1)?.kwh_used ?? null;
    return { kwh_used: used, cost: await costOf(db, { userId, range, now }, groupBy) };
  };
  const days = {
    today: await stretch(today, today, 'day'),
    yesterday: await stretch(yesterday, yesterday, 'day'),
    this_month: await stretch(dayOf(local.startOf('month')), today, 'month'),
  };
  const currency = days.today.cost?.currency ?? null;
  const told = ({ kwh_used, cost }: (typeof days)['today']): Stretch => ({
    kwh_used,
    cost: cost?.currency === currency ? (cost?.total ?? null) : null,
  });
  const [heard] = await newestReadings(db, [userId]);
  const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
  const power = await powerNow(db, home, now);
  return {
    user_id: userId,
    as_of: heard?.newest.toISOString() ?? null,
    timezone,
    power_w: power?.watts ?? null,
    power_mean_minutes: power?.minutes ?? null,
    currency,
    today: told(days.today),
    yesterday: told(days.yesterday),
    this_month: told(days.this_month),
  };
}
