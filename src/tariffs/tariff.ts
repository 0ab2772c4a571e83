import type { Billionths } from '#src/core/decimal.ts';

/**
 * Prices that a home pays for energy, and receives for exported energy, from a first day on. Prices are exact: decimals with up to 9
 * places, in billionths of the currency.
 */
export interface Tariff {
  tariffId: string;
  userId: string;
  name: string;
  /** First day, YYYY-MM-DD in the user's zone. The tariff is valid until the first day of the next tariff. */
  validFrom: string;
  /** Currency code by ISO 4217. */
  currency: string;
  /** Standing charge for each local day, distributed evenly over the quarter-hours of the day; null if there is none. */
  standingPerDay: Billionths | null;
  capacity: CapacityCharge | null;
  import: Rates;
  /** Prices of exported energy; null if exported energy earns nothing. */
  export: Rates | null;
}

/** Price of a kWh: constant, by time of day, or from a price series. */
export type Rates =
  | { kind: 'flat'; perKwh: Billionths }
  | { kind: 'periods'; periods: readonly RatePeriod[] }
  /** Price of a kWh: series price × multiply + add. */
  | { kind: 'series'; seriesId: string; multiply: Billionths; add: Billionths };

/**
 * A price for the quarter-hours whose local start time matches. Of several matching periods, the first applies. The last period has no
 * condition.
 */
export interface RatePeriod {
  perKwh: Billionths;
  /** ISO weekdays on which the period applies, 1 is Monday; null: every day. */
  days: ReadonlySet<number> | null;
  /** Months in which the period applies, 1 to 12; null: every month. */
  months: ReadonlySet<number> | null;
  /**
   * Minutes after midnight, multiples of 15; `toMinute` is exclusive, up to 1440. If `fromMinute` is greater than `toMinute`, the period
   * spans midnight.
   */
  fromMinute: number;
  toMinute: number;
}

/** A price for the quarter-hour of a month with the highest grid import. */
export interface CapacityCharge {
  perKwMonth: Billionths;
  /** Number of months over which peaks are averaged, 1 to 12. */
  monthsAveraged: number;
  /** Minimum value of each peak, in kW. */
  minimumKw: Billionths;
}
