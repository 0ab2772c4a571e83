import { QUARTER_MS } from '#src/core/units.ts';
import { type ComparedLevel, compareLevel, type Level, sinceWhen, wasAsHigh } from './levels.ts';
import { endOf, type Profile } from './profile.ts';

/** Something that used to be off at times has not been: a heater that was forgotten, a fridge whose door is open. */
export interface StaysOn {
  kind: 'stays_on';
  sinceMs: number;
  untilMs: number;
  /** Less than this the home has not used since, and did in the same hours before; mean watts of quarter-hours. */
  leastW: number;
  usualW: number;
  /** The device that most of it is, of those that are measured by themselves; null: of none. */
  deviceId: string | null;
  compared: Level[];
}

/** 22 hours hold most of a night, whenever it is asked, and are over within a day. */
const WINDOW_QUARTERS = 88;
/** Less than a fridge that does not stop is no news. */
const LEAST_RISE_W = 45;
/** Of what is usual: a home that always uses much differs by more. */
const LEAST_SHARE = 0.2;
const SPREADS = 6;
/** Of what rose, to say that it is one device. */
const MOST_SHARE = 0.7;
/** Two quarter-hours may be lower: one meter was a moment behind another. */
const PASSED = 2;

/** Whether something stays on: the lowest quarter-hours of the last 22 hours are far above those of the four weeks before. */
export function staysOn(profile: Profile): StaysOn | null {
  const { used, fromMs } = profile;
  const level = compareLevel(used, fromMs, WINDOW_QUARTERS, lowWatts);
  if (!level || !isHigh(level) || wasAsHigh(level)) return null;
  const { now, usual, levels } = level;
  return {
    kind: 'stays_on',
    sinceMs: fromMs + sinceWhen(used, (now + usual) / 2) * QUARTER_MS,
    untilMs: endOf(profile),
    leastW: now,
    usualW: usual,
    deviceId: mostOf(profile, now - usual),
    compared: levels,
  };
}

/** The device whose own level rose by most of this; null: none did. */
function mostOf({ devices, fromMs }: Profile, riseW: number): string | null {
  const rises = devices.map(({ deviceId, used }) => {
    const level = compareLevel(used, fromMs, WINDOW_QUARTERS, lowWatts);
    return { deviceId, rise: level ? level.now - level.usual : 0 };
  });
  return rises.find(({ rise }) => rise >= MOST_SHARE * riseW)?.deviceId ?? null;
}

/** The lowest of a window but for those that are passed over. */
function lowWatts(window: Float64Array): number {
  const lowest = new Array<number>(PASSED + 1).fill(Number.POSITIVE_INFINITY);
  for (const watts of window) {
    let moved = watts;
    // Most are above all of them.
    for (let place = 0; place <= PASSED && moved < (lowest[PASSED] as number); place++) {
      const low = lowest[place] as number;
      if (moved < low) [lowest[place], moved] = [moved, low];
    }
  }
  return lowest[PASSED] as number;
}

function isHigh({ now, usual, spread, high }: ComparedLevel): boolean {
  const rise = Math.max(LEAST_RISE_W, LEAST_SHARE * usual, SPREADS * spread);
  return now - usual >= rise && now - high >= rise / 2;
}
