import { DateTime } from 'luxon';
import { formatRounded } from '#src/core/decimal.ts';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { createWallClock, getStartOfSubDayUnit } from '#src/energy/wall-clock.ts';
import { loadCostSources } from './costs.ts';
import { findEnergyPrice, findTariffOfDay, type PriceIn18Decimals } from './prices.ts';

/** Prices of imported energy by the hour, today and tomorrow. */
interface PriceCurve {
  currency: string | null;
  /** Mean price of the hour. Null if the price of a quarter-hour is unknown. */
  hours: { starts_at: string; per_kwh: string | null }[];
}

/** Number of exact price units (18 decimals) in one unit of the currency. */
const UNIT = 10n ** 18n;
const DECIMALS = 5;

/**
 * Returns the price of a kWh in each local hour of today and tomorrow. Empty if neither day's tariff has prices that change with the
 * market.
 */
export async function loadPriceCurve(db: Database, userId: string, now: Date): Promise<PriceCurve> {
  const { tariffs, zone, pricesIn } = await loadCostSources(db, { userId });
  const today = DateTime.fromJSDate(now, { zone });
  const days = [today, today.plus({ days: 1 })].map((day) => day.toISODate() ?? '');
  const held = days.flatMap((day) => findTariffOfDay(tariffs, day) ?? []);
  const [first] = held;
  if (!first || !held.some((tariff) => tariff.import.kind === 'series')) return { currency: null, hours: [] };
  const range = createDayRange(days[0] as string, days[1] as string, zone);
  const seriesPrice = await pricesIn(range);
  const [fromMs, toMs] = [range.from.getTime(), range.to.getTime()];
  const clockAt = createWallClock(fromMs, toMs, zone);
  const quarters = new Map<number, (PriceIn18Decimals | null)[]>();
  for (let ms = Math.ceil(fromMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS; ms < toMs; ms += QUARTER_HOUR_MS) {
    const clock = clockAt(ms);
    // Prices of another currency cannot be drawn on the same axis.
    const tariff = findTariffOfDay(tariffs, clock.day.date);
    const isSame = tariff?.currency === first.currency;
    const price = tariff && isSame ? findEnergyPrice(tariff.import, ms, clock, seriesPrice) : null;
    const hour = getStartOfSubDayUnit(ms, clock, 'hour');
    quarters.set(hour, [...(quarters.get(hour) ?? []), price]);
  }
  const hours = [...quarters].map(([ms, prices]) => ({
    starts_at: DateTime.fromMillis(ms, { zone }).toISO({ suppressMilliseconds: true }) as string,
    per_kwh: meanOf(prices),
  }));
  return { currency: first.currency, hours };
}

function meanOf(prices: readonly (PriceIn18Decimals | null)[]): string | null {
  const known = prices.filter((price) => price !== null);
  if (known.length < prices.length) return null;
  const numerator = known.reduce((sum, price) => sum + price, 0n);
  return formatRounded({ numerator, denominator: BigInt(prices.length) * UNIT }, DECIMALS);
}
