import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { DailyUsage } from './daily-use.ts';

/** Mean watts of consecutive quarter-hours (UTC). NaN if too little of the quarter-hour is known, or if its energy is mostly estimated. */
export type QuarterHourWatts = Float64Array;

/** Data of a home on which remarks are based, up to the last complete quarter-hour. */
export interface HomeProfile {
  /** Start of the first quarter-hour, Unix ms. */
  fromMs: number;
  used: QuarterHourWatts;
  /** Production of the home; null if the home has no production device. */
  production: QuarterHourWatts | null;
  devices: readonly { deviceId: string; used: QuarterHourWatts }[];
  /** Daily usage in the home's zone. It begins earlier than the quarter-hours. */
  daily: DailyUsage;
  /** The current day, as a day number (calendar.ts). */
  today: number;
}

export const QUARTER_HOURS_PER_DAY = 96;

/** Returns the end of a profile's data, Unix ms. */
export const getEndOfProfileMs = ({ fromMs, used }: HomeProfile): number => fromMs + used.length * QUARTER_HOUR_MS;

/** Returns the known quarter-hours of `[from, to)` (indexes); null if less than `share` of them are known. */
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
