import type { LocalDay, LocalQuarterHour } from '#src/energy/wall-clock.ts';
import type { RatePeriod, Tariff, TariffRates } from '#src/tariffs/tariff.ts';

/** A price per kWh in 10^-18 of its currency, in which products of billionths are exact. */
export type PriceIn18Decimals = bigint;

const BILLION = 1_000_000_000n;

/** Returns the price in a quarter-hour (UTC), in billionths. Null if unknown. */
export type SeriesPriceLookup = (seriesId: string, quarterMs: number) => bigint | null;

/** Returns the tariff that is valid on a day (YYYY-MM-DD), or null. `tariffs`: in order of `validFrom`. */
export const findTariffOfDay = (tariffs: readonly Tariff[], date: string): Tariff | null =>
  tariffs.findLast(({ validFrom }) => validFrom <= date) ?? null;

/** Returns the price of a kWh in a quarter-hour, which is given with its local time. Null if unknown. */
export function findEnergyPrice(
  rates: TariffRates,
  quarterMs: number,
  clock: LocalQuarterHour,
  seriesPrice: SeriesPriceLookup,
): PriceIn18Decimals | null {
  switch (rates.kind) {
    case 'flat':
      return rates.perKwh * BILLION;
    case 'periods':
      // The last period has no condition, so at least one period always matches.
      return (rates.periods.find((period) => isIn(period, clock))?.perKwh ?? 0n) * BILLION;
    case 'series': {
      const price = seriesPrice(rates.seriesId, quarterMs);
      return price === null ? null : price * rates.multiply + rates.add * BILLION;
    }
  }
}

/** Whether a period of a tariff applies to a quarter-hour. After midnight, the weekday and month of the new day decide. */
function isIn(
  { days, months, fromMinute, toMinute }: RatePeriod,
  { day, minute }: { day: LocalDay; minute: number },
): boolean {
  if (days !== null && !days.has(day.weekday)) return false;
  if (months !== null && !months.has(day.month)) return false;
  return fromMinute < toMinute ? fromMinute <= minute && minute < toMinute : fromMinute <= minute || minute < toMinute;
}
