import { QUARTER_MS } from '#src/core/units.ts';
import { knownWatts, type Watts } from './profile.ts';
import { median, quantile, spread } from './robust.ts';

/** One time of comparison: a stretch that ended then, and its level in watts. */
export interface Level {
  atMs: number;
  watts: number;
}

/** A level of now beside that of the same hours of the days before. Watts. */
export interface ComparedLevel {
  now: number;
  usual: number;
  /** How far the days before lie from each other (robust.ts). */
  spread: number;
  /** Which only a tenth of the days before were above. */
  high: number;
  /** Oldest first; the last is now. */
  levels: Level[];
}

const DAY_QUARTERS = 96;
const DAYS = 28;
/** Fewer days tell nothing: of a home of which less is known, and after weeks of silence. */
const LEAST_DAYS = 14;
const LEAST_SHARE = 0.95;

/** The level of the last quarter-hours beside that of the same hours of the 28 days before; null: not enough is known. */
export function compareLevel(
  used: Watts,
  fromMs: number,
  windowQuarters: number,
  levelOf: (window: Float64Array) => number,
): ComparedLevel | null {
  const end = used.length;
  const levels: Level[] = [];
  for (let day = DAYS; day >= 0; day--) {
    const to = end - day * DAY_QUARTERS;
    const window = knownWatts(used, to - windowQuarters, to, LEAST_SHARE);
    if (window) levels.push({ atMs: fromMs + to * QUARTER_MS, watts: levelOf(window) });
    else if (day === 0) return null;
  }
  const before = levels.slice(0, -1).map(({ watts }) => watts);
  if (before.length < LEAST_DAYS) return null;
  return {
    now: levels.at(-1)?.watts ?? 0,
    usual: median(before),
    spread: spread(before),
    high: quantile(before, 0.9),
    levels,
  };
}

/** How near an earlier level has to come to the one of now. */
const AS_HIGH = 0.7;

/**
 * Whether it was nearly as high in the four weeks before, and not since: what a home does now and then, as a heat pump in a cold spell, is no
 * news.
 */
export function wasAsHigh({ now, usual, levels }: ComparedLevel): boolean {
  const enough = usual + AS_HIGH * (now - usual);
  const low = levels.findLastIndex(({ watts }) => watts < enough);
  return levels.slice(0, Math.max(0, low)).some(({ watts }) => watts >= enough);
}

/** Place of the first quarter-hour of the unbroken time up to now in which all that is known was at least this much. */
export function sinceWhen(used: Watts, leastW: number): number {
  let since = used.length;
  for (let place = used.length - 1; place >= 0; place--) {
    const watts = used[place] as number;
    if (watts < leastW) break;
    if (!Number.isNaN(watts)) since = place;
  }
  return since;
}
