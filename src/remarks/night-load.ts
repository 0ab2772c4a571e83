import { QUARTER_MS } from '#src/core/units.ts';
import { compareLevel, type Level, wasAsHigh } from './levels.ts';
import { DAY_QUARTERS, endOf, type Profile } from './profile.ts';

/** The hours in which a home uses least, mostly those of the night, use more than they did: a freezer that hardly stops any more. */
export interface NightRose {
  kind: 'night_rose';
  sinceMs: number;
  untilMs: number;
  /** Mean watts of the quietest two hours of the last day, and of the days before. */
  quietW: number;
  usualW: number;
  compared: Level[];
}

/** What a failing freezer adds; a meter that tells every 10 Wh tells no less of a night. */
const LEAST_RISE_W = 18;
const LEAST_SHARE = 0.12;
const SPREADS = 6;
/** 23 hours hold a night, whenever it is asked, and are over within a day. */
const WINDOW_QUARTERS = 92;
const QUIET_QUARTERS = 8;

/** Whether the quiet hours rose: the two hours in a row in which least was used, beside the same of the four weeks before. */
export function nightRose(profile: Profile): NightRose | null {
  const { used, fromMs } = profile;
  const level = compareLevel(used, fromMs, WINDOW_QUARTERS, quietWatts);
  if (!level || wasAsHigh(level)) return null;
  const { now, usual, spread, high, levels } = level;
  const rise = Math.max(LEAST_RISE_W, LEAST_SHARE * usual, SPREADS * spread);
  if (now - usual < rise || now - high < 0.75 * rise) return null;
  const raised = levels.findLastIndex(({ watts }) => watts < (now + usual) / 2);
  // It rose within the day that ended with the first high level.
  const firstMs = levels[raised + 1]?.atMs ?? endOf(profile);
  return {
    kind: 'night_rose',
    sinceMs: firstMs - DAY_QUARTERS * QUARTER_MS,
    untilMs: endOf(profile),
    quietW: now,
    usualW: usual,
    compared: levels,
  };
}

/** Of so many quarter-hours in a row the fewest watts: cycles of a fridge even out over them, and a car that charges leaves as many. */
function quietWatts(window: Float64Array): number {
  let lowest = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (const [at, watts] of window.entries()) {
    sum += watts - (window[at - QUIET_QUARTERS] ?? 0);
    if (at >= QUIET_QUARTERS - 1) lowest = Math.min(lowest, sum / QUIET_QUARTERS);
  }
  return lowest;
}
