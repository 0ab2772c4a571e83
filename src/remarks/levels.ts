import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { filterKnownWatts, type QuarterHourWatts } from './profile.ts';
import { computeMedian, computeMedianAbsoluteDeviation, computeQuantile } from './statistics.ts';

/** Level of power in a time window, in watts. `atMs`: end of the window. */
export interface WindowPowerLevel {
  atMs: number;
  watts: number;
}

/** Current level of power, and the levels in the same hours on earlier days, in watts. */
export interface PowerLevelComparison {
  now: number;
  usual: number;
  /** Spread of the levels on earlier days (scaled median absolute deviation). */
  spread: number;
  /** Level that only a tenth of the earlier days exceeded. */
  high: number;
  /** Levels on the compared days, oldest first. The last entry is the current level. */
  levels: WindowPowerLevel[];
}

const QUARTER_HOURS_PER_DAY = 96;
const DAYS = 28;
/** Minimum number of earlier days with known levels to which a day is compared. */
const MIN_DAYS = 14;
const MIN_SHARE = 0.95;

/**
 * Compares the current level, in a window up to the end of the data, with the level in the same hours on each of the 28 days before. Null
 * if too few quarter-hours are known.
 */
export function compareWithUsualPowerLevel(
  used: QuarterHourWatts,
  fromMs: number,
  windowQuarterHours: number,
  levelOf: (window: Float64Array) => number,
): PowerLevelComparison | null {
  const end = used.length;
  const levels: WindowPowerLevel[] = [];
  for (let day = DAYS; day >= 0; day--) {
    const to = end - day * QUARTER_HOURS_PER_DAY;
    const window = filterKnownWatts(used, to - windowQuarterHours, to, MIN_SHARE);
    if (window) levels.push({ atMs: fromMs + to * QUARTER_HOUR_MS, watts: levelOf(window) });
    else if (day === 0) return null;
  }
  const before = levels.slice(0, -1).map(({ watts }) => watts);
  if (before.length < MIN_DAYS) return null;
  return {
    now: levels.at(-1)?.watts ?? 0,
    usual: computeMedian(before),
    spread: computeMedianAbsoluteDeviation(before),
    high: computeQuantile(before, 0.9),
    levels,
  };
}

/** An earlier rise counts as similarly high if it is at least this share of the current rise. */
const AS_HIGH = 0.7;

/**
 * Whether the level was similarly high, and then lower again, in the four weeks before. Such a rise (for example of a heat pump) causes no
 * remark.
 */
export function hasReachedLevelBefore({ now, usual, levels }: PowerLevelComparison): boolean {
  const enough = usual + AS_HIGH * (now - usual);
  const low = levels.findLastIndex(({ watts }) => watts < enough);
  return levels.slice(0, Math.max(0, low)).some(({ watts }) => watts >= enough);
}

/** Returns the index of the quarter-hour from which on every known value is at least `leastW`. */
export function findPowerRiseStartIndex(used: QuarterHourWatts, leastW: number): number {
  let since = used.length;
  for (let place = used.length - 1; place >= 0; place--) {
    const watts = used[place] as number;
    if (watts < leastW) break;
    if (!Number.isNaN(watts)) since = place;
  }
  return since;
}
