import type { Billionths } from '#src/core/decimal.ts';

/**
 * Prices that a home pays for energy and receives for exported energy, from a day on. They are exact decimals, in billionths of the
 * currency.
 */
export interface Tariff {
  tariffId: string;
  userId: string;
  name: string;
  /** First day in the user's zone, YYYY-MM-DD. The tariff is valid until the next one begins. */
  validFrom: string;
  currency: string;
  /** Standing charge for each local day, distributed evenly over the day; null if there is none. */
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
 * A price per kWh at certain local times. If several periods match, the first one applies. The last one has no condition and always
 * matches.
 */
export interface RatePeriod {
  perKwh: Billionths;
  /** ISO weekdays on which the period applies, 1 is Monday; null: every day. */
  days: ReadonlySet<number> | null;
  /** Months in which the period applies, 1 to 12; null: every month. */
  months: ReadonlySet<number> | null;
  /** Minutes after midnight, multiples of 15; `toMinute` is exclusive. If `fromMinute` is greater, the period spans midnight. */
  fromMinute: number;
  toMinute: number;
}

/** Price per kW of a month's peak, the quarter-hour with the highest import. */
export interface CapacityCharge {
  perKwMonth: Billionths;
  /** Number of months whose peaks are averaged, 1 to 12. */
  monthsAveraged: number;
  /** Minimum for each peak, in kW. A lower peak is replaced by this value. */
  minimumKw: Billionths;
}
