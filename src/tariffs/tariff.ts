import type { Billionths } from '#src/core/decimal.ts';

/**
 * What a home pays for energy, and gets for what it feeds in, from a day on. Money is exact: every price is a decimal with up to 9
 * places, in billionths of its currency.
 */
export interface Tariff {
  tariffId: string;
  userId: string;
  name: string;
  /** First day on which it holds, YYYY-MM-DD in the user's zone; it holds until the next one's. */
  validFrom: string;
  /** ISO 4217. */
  currency: string;
  /** For each local day, spread evenly over its quarter-hours; null: none. */
  standingPerDay: Billionths | null;
  capacity: CapacityCharge | null;
  import: Rates;
  /** Null: what is fed in earns nothing. */
  export: Rates | null;
}

/** What a kWh costs: always the same, by the clock, or as a series of prices tells. */
export type Rates =
  | { kind: 'flat'; perKwh: Billionths }
  | { kind: 'periods'; periods: readonly RatePeriod[] }
  /** price = series × multiply + add */
  | { kind: 'series'; seriesId: string; multiply: Billionths; add: Billionths };

/** A price for quarter-hours whose wall clock, at their start, fits; the first that fits holds, and the last one has no condition. */
export interface RatePeriod {
  perKwh: Billionths;
  /** ISO weekdays, 1 is Monday; null: every day. */
  days: ReadonlySet<number> | null;
  /** 1 to 12; null: every month. */
  months: ReadonlySet<number> | null;
  /** Minutes after midnight, multiples of 15; `toMinute` is exclusive, up to 1440. `fromMinute` after `toMinute` goes over midnight. */
  fromMinute: number;
  toMinute: number;
}

/** A price for the highest quarter-hour of what a month drew from the grid. */
export interface CapacityCharge {
  perKwMonth: Billionths;
  /** Over how many months the peaks are averaged, 1 to 12. */
  monthsAveraged: number;
  /** A peak is at least this, kW. */
  minimumKw: Billionths;
}
