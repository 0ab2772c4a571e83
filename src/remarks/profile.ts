import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { DailyUsage } from './daily-use.ts';

/**
 * Mean power in watts of consecutive quarter-hours (UTC). NaN if too little of a quarter-hour is known, or if its energy is mostly
 * estimated.
 */
export type QuarterHourWatts = Float64Array;

/** Data of a home from which remarks are computed, up to the last complete quarter-hour. */
export interface HomeProfile {
  /** Start of the first quarter-hour, Unix ms. */
  fromMs: number;
  used: QuarterHourWatts;
  /** Production of the home; null if the home has no production device. */
  production: QuarterHourWatts | null;
  devices: readonly { deviceId: string; used: QuarterHourWatts }[];
  /** Daily usage in the home's zone. These data begin earlier than the quarter-hours. */
  daily: DailyUsage;
  /** The current day, as the number of days since 1970-01-01 (calendar.ts). */
  today: number;
}

export const QUARTER_HOURS_PER_DAY = 96;

/** Returns the end of a profile's data, Unix ms. */
export const getEndOfProfileMs = ({ fromMs, used }: HomeProfile): number => fromMs + used.length * QUARTER_HOUR_MS;

/** Returns the known values of the quarter-hours with index in `[from, to)`; null if less than `share` of them are known. */
export function filterKnownWatts(
  watts: QuarterHourWatts,
  from: number,
  to: number,
  share: number,
): Float64Array | null {
  if (from < 0) return null;
  const known = watts.subarray(from, to).filter((one) => !Number.isNaN(one));
  return known.length < share * (to - from) ? null : known;
}
