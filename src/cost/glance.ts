import { DateTime } from 'luxon';
import type { Database } from '#src/database/connect.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { tariffsOf } from '#src/tariffs/store.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import type { Buyer } from './bought.ts';
import type { Cost } from './cost.ts';
import { costsOf } from './costs.ts';

const DAYS = 30;
const MONTHS = 12;

/** What the Home page of the dashboard says of money, beside `energy/overview.ts`. Rows in which no tariff held are left out. */
export interface CostGlance {
  has_tariff: boolean;
  today: Cost | null;
  yesterday: Cost | null;
  month: Cost | null;
  last_month: Cost | null;
  /** Of today and the two days before. */
  hours: { starts_at: string; cost: Cost }[];
  /** The last 30 days, today included. */
  days: { date: string; cost: Cost }[];
  /** The last 12 months, YYYY-MM, this one included. */
  months: { month: string; cost: Cost }[];
}

/**
 * Costs at a glance, by the clock of the user's zone. Where the currency changed, what lies before it is left out: a picture has one
 * scale.
 */
export async function costGlance(
  db: Database,
  buyer: Buyer,
  { zone, now }: { zone: string; now: Date },
): Promise<CostGlance> {
  const tariffs = await tariffsOf(db, buyer.userId);
  const nothing = { today: null, yesterday: null, month: null, last_month: null, hours: [], days: [], months: [] };
  const time = DateTime.fromJSDate(now, { zone });
  const dayBefore = (days: number) => time.minus({ days }).toFormat('yyyy-MM-dd');
  const monthBefore = (months: number) => time.startOf('month').minus({ months }).toFormat('yyyy-MM-dd');
  const today = dayBefore(0);
  const since = currencySince(tariffs, today);
  if (since === null) return { has_tariff: tariffs.length > 0, ...nothing };
  const from = async (start: string, groupBy: 'hour' | 'day' | 'month') => {
    const range = dayRange(start > since ? start : since, today, zone);
    const rows = await costsOf(db, { buyer, range, now }, groupBy);
    // A month of which only a part is of this currency.
    return rows.filter(({ labels }) => labels.date >= since);
  };
  const [hours, days, months] = await Promise.all([
    from(dayBefore(2), 'hour'),
    from(dayBefore(DAYS - 1), 'day'),
    from(monthBefore(MONTHS - 1), 'month'),
  ]);
  const on = (rows: typeof days, date: string) => rows.find(({ labels }) => labels.date === date)?.cost ?? null;
  return {
    has_tariff: true,
    today: on(days, today),
    yesterday: on(days, dayBefore(1)),
    month: on(months, monthBefore(0)),
    last_month: on(months, monthBefore(1)),
    hours: hours.map(({ labels, cost }) => ({ starts_at: labels.starts_at ?? '', cost })),
    days: days.map(({ labels, cost }) => ({ date: labels.date, cost })),
    months: months.map(({ labels, cost }) => ({ month: labels.date.slice(0, 7), cost })),
  };
}

/** Since which day the currency of today holds without a change, '' where it always did; null where no tariff holds today. */
function currencySince(tariffs: readonly Tariff[], today: string): string | null {
  const held = tariffs.filter(({ validFrom }) => validFrom <= today);
  const current = held.at(-1);
  if (!current) return null;
  const last = held.findLastIndex(({ currency }) => currency !== current.currency);
  return last < 0 ? '' : (held[last + 1]?.validFrom ?? '');
}
