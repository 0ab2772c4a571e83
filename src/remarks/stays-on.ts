import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import {
  compareWithUsualPowerLevel,
  findPowerRiseStartIndex,
  hasReachedLevelBefore,
  type PowerLevelComparison,
  type WindowPowerLevel,
} from './levels.ts';
import { getEndOfProfileMs, type HomeProfile } from './profile.ts';

/** Remark that a load is always on, although it used to be off at times, for example a forgotten heater. */
export interface ContinuousLoad {
  kind: 'stays_on';
  sinceMs: number;
  untilMs: number;
  /** Lowest load of the home since `sinceMs`, and usual lowest load in the same hours. Means over a quarter-hour, in watts. */
  leastW: number;
  usualW: number;
  /** The separately measured device that causes most of the rise; null if there is none. */
  deviceId: string | null;
  compared: WindowPowerLevel[];
}

/** Length of the evaluated window in quarter-hours: 22 hours. A window contains most of a night. The windows of two days do not overlap. */
const WINDOW_QUARTER_HOURS = 88;
/** Minimum rise in watts: the load of a fridge that does not stop. */
const MIN_RISE_W = 45;
/** Minimum rise as a share of the usual level. */
const MIN_SHARE = 0.2;
const SPREADS = 6;
/** Minimum share of the rise that a device must cause to be named in the remark. */
const MAX_SHARE = 0.7;
/** Number of the lowest quarter-hours of a window that are ignored, because the data of meters may not be synchronous. */
const PASSED = 2;

/** Detects that a load stays on: the lowest load of the last 22 hours is far above that of the four weeks before. */
export function detectContinuousLoad(profile: HomeProfile): ContinuousLoad | null {
  const { used, fromMs } = profile;
  const level = compareWithUsualPowerLevel(used, fromMs, WINDOW_QUARTER_HOURS, lowWatts);
  if (!level || !isHigh(level) || hasReachedLevelBefore(level)) return null;
  const { now, usual, levels } = level;
  return {
    kind: 'stays_on',
    sinceMs: fromMs + findPowerRiseStartIndex(used, (now + usual) / 2) * QUARTER_HOUR_MS,
    untilMs: getEndOfProfileMs(profile),
    leastW: now,
    usualW: usual,
    deviceId: mostOf(profile, now - usual),
    compared: levels,
  };
}

/** Returns the device whose own lowest load rose by more than `MAX_SHARE` of `riseW`; null if there is none. */
function mostOf({ devices, fromMs }: HomeProfile, riseW: number): string | null {
  const rises = devices.map(({ deviceId, used }) => {
    const level = compareWithUsualPowerLevel(used, fromMs, WINDOW_QUARTER_HOURS, lowWatts);
    return { deviceId, rise: level ? level.now - level.usual : 0 };
  });
  return rises.find(({ rise }) => rise >= MAX_SHARE * riseW)?.deviceId ?? null;
}

/** Returns the lowest value of a window, without its `PASSED` lowest values. */
function lowWatts(window: Float64Array): number {
  const lowest = new Array<number>(PASSED + 1).fill(Number.POSITIVE_INFINITY);
  for (const watts of window) {
    let moved = watts;
    // Most values are higher than the lowest ones found so far, so the loop ends at once.
    for (let place = 0; place <= PASSED && moved < (lowest[PASSED] as number); place++) {
      const low = lowest[place] as number;
      if (moved < low) [lowest[place], moved] = [moved, low];
    }
  }
  return lowest[PASSED] as number;
}

function isHigh({ now, usual, spread, high }: PowerLevelComparison): boolean {
  const rise = Math.max(MIN_RISE_W, MIN_SHARE * usual, SPREADS * spread);
  return now - usual >= rise && now - high >= rise / 2;
}
