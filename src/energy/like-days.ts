import { QUARTER_MS } from '#src/core/units.ts';
import type { wallClock } from './wall-clock.ts';

/**
 * How the known energy of a long silence may have come over its hours: as on like days before it, in the place of the straight line that
 * the law draws. A guess that is told as one, and that nothing is computed with (docs/billing.md, docs/decisions/0092).
 */

/** What a device imported in quarter-hours (UTC) that follow upon each other, in whole mWh. */
export interface ImportedQuarters {
  /** Start of the first, Unix ms. */
  fromMs: number;
  energy: Float64Array;
  /** Part of it that was spread over a silence. */
  estimated: Float64Array;
  /** For how long it is known, ms, summed over its channels. */
  coveredMs: Float64Array;
}

/** Quarter-hours `[first, end)` by their places, all of them estimated, by one straight line. */
export interface Line {
  first: number;
  end: number;
}

type Clock = ReturnType<typeof wallClock>;

/** Of what a shape is made. */
export interface Shape {
  /** The clock that the home lives by, over all of the quarter-hours. */
  clockOf: Clock;
  /** `coveredMs` of the quarter-hour from a time on, Unix ms, that is known throughout. */
  wholeMs: (ms: number) => number;
}

const DAY_QUARTERS = 96;
const HOUR_QUARTERS = 4;
/** A line that is shorter is no long gap, one that is longer says little of its first days by its last. */
const LEAST_QUARTERS = DAY_QUARTERS;
export const MOST_QUARTERS = 400 * DAY_QUARTERS;
/** Like days are looked for in the four weeks before a gap. */
export const LIKE_QUARTERS = 28 * DAY_QUARTERS;
/** Of 20 days from Monday to Friday, and of eight others: fewer tell of themselves, not of a habit. */
const LEAST_LIKE_HOURS = { workday: 3, weekend: 2 };
/** Quarter-hours of a line differ by a mWh, since each bound is rounded down, and registers are added up (tariffs, phases): by a few. */
const STEP_MWH = 4;

/**
 * The straight lines among quarter-hours, of any length. Where the level changes there was a reading: what flowed before it and what flowed
 * after it are known, and nothing is moved from one to the other.
 */
export function linesOf({ energy, estimated }: ImportedQuarters): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  for (let at = 0; at < energy.length; at++) {
    const level = energy[at] as number;
    if (level <= 0 || estimated[at] !== level) {
      line = undefined;
      continue;
    }
    if (line && Math.abs(level - (energy[at - 1] as number)) <= STEP_MWH) line.end = at + 1;
    else {
      line = { first: at, end: at + 1 };
      lines.push(line);
    }
  }
  return lines;
}

/**
 * The energy of each quarter-hour of a long gap by its like days: by the mean of the same hour of the clock on days of the same kind (Monday to
 * Friday, Saturday and Sunday) in the four weeks before it, of hours that were measured throughout. Cumulative shares are rounded
 * down, so the sum is that of the line. Null where the line stays: the gap is too short or too long, like hours are missing or say 0. Pure.
 */
export function sharedOut(quarters: ImportedQuarters, { first, end }: Line, shape: Shape): Float64Array | null {
  const count = end - first;
  if (count < LEAST_QUARTERS || count > MOST_QUARTERS) return null;
  const since = Math.max(0, first - LIKE_QUARTERS);
  const msAt = (at: number) => quarters.fromMs + at * QUARTER_MS;
  const { clockOf } = shape;
  const weightOf = weights(likeHours(quarters, { first: since, end: first }, shape));
  const weighed: bigint[] = [];
  let all = 0n;
  let total = 0n;
  for (let at = first; at < end; at++) {
    const weight = weightOf.get(keyOf(clockOf(msAt(at))));
    if (weight === undefined) return null;
    weighed.push(weight);
    all += weight;
    total += BigInt(quarters.energy[at] as number);
  }
  if (all === 0n) return null;
  const shared = new Float64Array(count);
  let [weightBefore, energyBefore] = [0n, 0n];
  for (const [index, weight] of weighed.entries()) {
    weightBefore += weight;
    const upTo = (total * weightBefore) / all;
    shared[index] = Number(upTo - energyBefore);
    energyBefore = upTo;
  }
  return shared;
}

/** Hours that are alike: of the day, and of one kind of days. */
const FIRST_OF_WEEKEND = 24;
const keyOf = ({ day, minute }: ReturnType<Clock>): number =>
  (day.weekday >= 6 ? FIRST_OF_WEEKEND : 0) + Math.floor(minute / 60);

/** Energies of the hours that were measured throughout, by what they are like. */
function likeHours(quarters: ImportedQuarters, { first, end }: Line, { wholeMs, clockOf }: Shape) {
  const { fromMs, energy, estimated, coveredMs } = quarters;
  const hours = new Map<number, { key: number; energy: number; measured: number }>();
  for (let at = first; at < end; at++) {
    const known = coveredMs[at] as number;
    const ms = fromMs + at * QUARTER_MS;
    if (known <= 0 || known < wholeMs(ms) || estimated[at] !== 0) continue;
    const clock = clockOf(ms);
    const hour = hours.get(clock.hourMs) ?? { key: keyOf(clock), energy: 0, measured: 0 };
    hours.set(clock.hourMs, hour);
    hour.energy += energy[at] as number;
    hour.measured++;
  }
  const whole = [...hours.values()].filter(({ measured }) => measured === HOUR_QUARTERS);
  return Map.groupBy(whole, ({ key }) => key);
}

/** Their means, in whole mWh, where there are enough of them. */
function weights(alike: ReturnType<typeof likeHours>): Map<number, bigint> {
  const means = new Map<number, bigint>();
  for (const [key, hours] of alike) {
    const least = key < FIRST_OF_WEEKEND ? LEAST_LIKE_HOURS.workday : LEAST_LIKE_HOURS.weekend;
    if (hours.length < least) continue;
    const sum = hours.reduce((all, { energy }) => all + energy, 0);
    means.set(key, BigInt(Math.floor(sum / hours.length)));
  }
  return means;
}
