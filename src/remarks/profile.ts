import { QUARTER_MS } from '#src/core/units.ts';
import type { DailyUse } from './daily-use.ts';

/** Mean watts of quarter-hours (UTC) that follow upon each other. NaN: not known for nearly all of it, or mostly estimated. */
export type Watts = Float64Array;

/** What is known of a home, for the decisions of this folder: up to a quarter-hour that is over. */
export interface Profile {
  /** Start of the first quarter-hour, Unix ms. */
  fromMs: number;
  /** What the home used. */
  used: Watts;
  /** What its panels made; null: it has none. */
  production: Watts | null;
  devices: readonly { deviceId: string; used: Watts }[];
  /** The same and what was before, by the day of the home's zone. */
  daily: DailyUse;
  /** The day that is not over (calendar.ts). */
  today: number;
}

export const DAY_QUARTERS = 96;

/** End of what is known, Unix ms. */
export const endOf = ({ fromMs, used }: Profile): number => fromMs + used.length * QUARTER_MS;

/** Those quarter-hours of `[from, to)`, by their places, that are known; null where that is less than this share of them. */
export function knownWatts(watts: Watts, from: number, to: number, share: number): Float64Array | null {
  if (from < 0) return null;
  const known = watts.subarray(from, to).filter((one) => !Number.isNaN(one));
  return known.length < share * (to - from) ? null : known;
}
