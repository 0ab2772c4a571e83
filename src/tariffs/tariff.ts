import type { Billionths } from '#src/core/decimal.ts';

/**
 * Prices that a home pays for energy and receives for exported energy, from a day on. Prices are exact: decimals with up to 9 places,
 * stored as billionths of the currency.
 */
export interface Tariff {
  tariffId: string;
  userId: string;
  name: string;
  /** First day, YYYY-MM-DD in the user's zone. The tariff is valid until the first day of the next tariff. */
  validFrom: string;
  currency: string;
  /** Standing charge for each local day, distributed evenly over the quarter-hours of the day; null if there is none. */
  standingPerDay: Billionths | null;
  capacity: CapacityCharge | null;
  import: TariffRates;
  /** Prices of exported energy; null if exported energy earns nothing. */
  export: TariffRates | null;
}

/** Price of a kWh: constant, by time of day, or from a price series. */
export type TariffRates =
  | { kind: 'flat'; perKwh: Billionths }
  | { kind: 'periods'; periods: readonly RatePeriod[] }
  /** From a price series: series price × multiply + add. */
  | { kind: 'series'; seriesId: string; multiply: Billionths; add: Billionths };

/**
 * A price per kWh for the quarter-hours whose local start time matches the conditions. If several periods match, the first one applies. The
 * last period has no condition, so it always matches.
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

/** Price per kW for a month's peak: the quarter-hour in which the home imported the most energy. */
export interface CapacityCharge {
  perKwMonth: Billionths;
  /** Number of months whose peaks are averaged, 1 to 12. */
  monthsAveraged: number;
  /** Minimum for each peak, in kW. A lower peak is replaced by this value. */
  minimumKw: Billionths;
}
