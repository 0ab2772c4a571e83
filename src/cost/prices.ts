import type { ClockDay, ClockQuarter } from '#src/energy/wall-clock.ts';
import type { RatePeriod, Rates, Tariff } from '#src/tariffs/tariff.ts';

/** A price in 10^-18 of its currency for a kWh: exact for billionths times billionths, as `series × multiply + add` has them. */
export type ExactPrice = bigint;

const BILLION = 1_000_000_000n;

/** The price of a series for a quarter-hour (UTC), in billionths; null: none is known. */
export type SeriesPrice = (seriesId: string, quarterMs: number) => bigint | null;

/** The tariff of a day, YYYY-MM-DD of the user's zone: of those in order of `validFrom` the latest up to it; null: none yet. */
export const tariffOf = (tariffs: readonly Tariff[], date: string): Tariff | null =>
  tariffs.findLast(({ validFrom }) => validFrom <= date) ?? null;

/**
 * What a kWh costs by some rates in a quarter-hour that begins so on the user's wall clock; null: its price is not known. Pure
 * (docs/cost.md, prices).
 */
export function priceOf(
  rates: Rates,
  quarterMs: number,
  clock: ClockQuarter,
  seriesPrice: SeriesPrice,
): ExactPrice | null {
  switch (rates.kind) {
    case 'flat':
      return rates.perKwh * BILLION;
    case 'periods':
      // The last one has no condition.
      return (rates.periods.find((period) => isIn(period, clock))?.perKwh ?? 0n) * BILLION;
    case 'series': {
      const price = seriesPrice(rates.seriesId, quarterMs);
      return price === null ? null : price * rates.multiply + rates.add * BILLION;
    }
  }
}

/** Whether a period holds: by the day of the quarter-hour itself, which after midnight is the next one. */
function isIn(
  { days, months, fromMinute, toMinute }: RatePeriod,
  { day, minute }: { day: ClockDay; minute: number },
): boolean {
  if (days !== null && !days.has(day.weekday)) return false;
  if (months !== null && !months.has(day.month)) return false;
  return fromMinute < toMinute ? fromMinute <= minute && minute < toMinute : fromMinute <= minute || minute < toMinute;
}
