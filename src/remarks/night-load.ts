import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { compareWithUsualPowerLevel, hasReachedLevelBefore, type WindowPowerLevel } from './levels.ts';
import { getEndOfProfileMs, type HomeProfile, QUARTER_HOURS_PER_DAY } from './profile.ts';

/** Remark that the load in the hours with the lowest usage, mostly at night, has risen, for example because a freezer hardly ever stops. */
export interface NightLoadIncrease {
  kind: 'night_rose';
  sinceMs: number;
  untilMs: number;
  /** Mean load in watts in the two consecutive hours with the lowest load of the last day, and the usual value. */
  quietW: number;
  usualW: number;
  compared: WindowPowerLevel[];
}

/** Minimum rise in watts: the additional load of a failing freezer. */
const MIN_RISE_W = 18;
const MIN_SHARE = 0.12;
const SPREADS = 6;
/** Length of the evaluated window in quarter-hours: 23 hours. A window contains a whole night. The windows of two days do not overlap. */
const WINDOW_QUARTER_HOURS = 92;
const QUIET_QUARTER_HOURS = 8;

/** Detects that the load in the two consecutive hours with the lowest load is higher than in the four weeks before. */
export function detectNightLoadIncrease(profile: HomeProfile): NightLoadIncrease | null {
  const { used, fromMs } = profile;
  const level = compareWithUsualPowerLevel(used, fromMs, WINDOW_QUARTER_HOURS, quietWatts);
  if (!level || hasReachedLevelBefore(level)) return null;
  const { now, usual, spread, high, levels } = level;
  const rise = Math.max(MIN_RISE_W, MIN_SHARE * usual, SPREADS * spread);
  if (now - usual < rise || now - high < 0.75 * rise) return null;
  const raised = levels.findLastIndex(({ watts }) => watts < (now + usual) / 2);
  // `firstMs`: end of the first window with the raised load. The window that ended a day before still had a low load, so the load rose
  // between the two ends.
  const firstMs = levels[raised + 1]?.atMs ?? getEndOfProfileMs(profile);
  return {
    kind: 'night_rose',
    sinceMs: firstMs - QUARTER_HOURS_PER_DAY * QUARTER_HOUR_MS,
    untilMs: getEndOfProfileMs(profile),
    quietW: now,
    usualW: usual,
    compared: levels,
  };
}

/** Returns the lowest mean power of two consecutive hours (`QUIET_QUARTER_HOURS`). The cycles of a fridge average out over this time. */
function quietWatts(window: Float64Array): number {
  let lowest = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (const [at, watts] of window.entries()) {
    sum += watts - (window[at - QUIET_QUARTER_HOURS] ?? 0);
    if (at >= QUIET_QUARTER_HOURS - 1) lowest = Math.min(lowest, sum / QUIET_QUARTER_HOURS);
  }
  return lowest;
}
