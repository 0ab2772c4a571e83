import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { type createWallClock, getStartOfClockUnit } from './wall-clock.ts';

/**
 * Estimates how the energy of a long silence of a register was distributed over the hours: as on similar days before the silence. The
 * counting rules distribute it evenly. The result is labelled as an estimate, and no other figure is computed from it (docs/billing.md,
 * docs/decisions/0092).
 */

/** Imports of a device in consecutive quarter-hours (UTC), in whole mWh. */
export interface ImportedQuarterHours {
  /** Start of the first quarter-hour, Unix ms. */
  fromMs: number;
  energy: Float64Array;
  /** Part of the energy that was spread over a silence. */
  estimated: Float64Array;
  /** Known time in ms, summed over the device's channels. */
  coveredMs: Float64Array;
}

/** Quarter-hours `[first, end)`, by index, over which the counting rules distributed the energy of one gap evenly. */
export interface InterpolatedRange {
  first: number;
  end: number;
}

type Clock = ReturnType<typeof createWallClock>;

/** Data from which the distribution of a gap is computed, in addition to the gap itself. */
export interface GapDistributionContext {
  /** Returns the local time in the home's zone for any of the quarter-hours. */
  clockOf: Clock;
  /** Returns the `coveredMs` of a completely known quarter-hour that begins at a time (Unix ms). */
  wholeMs: (ms: number) => number;
}

const QUARTER_HOURS_PER_DAY = 96;
const QUARTER_HOURS_PER_HOUR = 4;
/** Minimum and maximum length of a gap whose energy is distributed. If a gap is longer, the days before it are no longer representative. */
const LEAST_QUARTER_HOURS = QUARTER_HOURS_PER_DAY;
export const MAX_GAP_QUARTER_HOURS = 400 * QUARTER_HOURS_PER_DAY;
/** Number of quarter-hours before a gap in which similar days are searched: four weeks. */
export const LOOKBACK_QUARTER_HOURS = 28 * QUARTER_HOURS_PER_DAY;
/**
 * Minimum numbers of similar hours. The four weeks before a gap contain 20 of them for a workday and eight for a weekend day. With too few
 * hours, a habit cannot be recognised.
 */
const LEAST_LIKE_HOURS = { workday: 3, weekend: 2 };
/**
 * Maximum difference in mWh between two quarter-hours of an evenly distributed gap. They differ by 1 mWh because of rounding, and by a few
 * mWh if the energy is a sum over several registers (tariffs, phases).
 */
const STEP_MWH = 4;

/**
 * Returns the ranges of quarter-hours, of any length, over which energy was distributed evenly. A range ends where the energy per
 * quarter-hour changes: the change shows that there was a reading, so the energies before and after it are known separately.
 */
export function findInterpolatedRanges({ energy, estimated }: ImportedQuarterHours): InterpolatedRange[] {
  const lines: InterpolatedRange[] = [];
  let line: InterpolatedRange | undefined;
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
 * Distributes the energy of a long gap over its quarter-hours in proportion to similar days: by the mean of the same clock hour on days of
 * the same kind (Monday to Friday, or weekend) in the four weeks before the gap. Only completely measured hours are used. Rounding down
 * applies to the sum up to each quarter-hour, so the total equals the gap's energy. Null if the gap is too short or too long, or if there
 * are too few similar hours or all of them are 0. Pure.
 */
export function distributeGapEnergy(
  quarters: ImportedQuarterHours,
  { first, end }: InterpolatedRange,
  shape: GapDistributionContext,
): Float64Array | null {
  const count = end - first;
  if (count < LEAST_QUARTER_HOURS || count > MAX_GAP_QUARTER_HOURS) return null;
  const since = Math.max(0, first - LOOKBACK_QUARTER_HOURS);
  const msAt = (at: number) => quarters.fromMs + at * QUARTER_HOUR_MS;
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

/** Similar hours form 48 groups: the 24 hours of the day from Monday to Friday, and then, from this index on, those of weekend days. */
const FIRST_OF_WEEKEND = 24;
const keyOf = ({ day, minute }: ReturnType<Clock>): number =>
  (day.weekday >= 6 ? FIRST_OF_WEEKEND : 0) + Math.floor(minute / 60);

/** Returns the energies of the completely measured hours by group of similar hours. */
function likeHours(
  quarters: ImportedQuarterHours,
  { first, end }: InterpolatedRange,
  { wholeMs, clockOf }: GapDistributionContext,
) {
  const { fromMs, energy, estimated, coveredMs } = quarters;
  const hours = new Map<number, { key: number; energy: number; measured: number }>();
  for (let at = first; at < end; at++) {
    const known = coveredMs[at] as number;
    const ms = fromMs + at * QUARTER_HOUR_MS;
    if (known <= 0 || known < wholeMs(ms) || estimated[at] !== 0) continue;
    const clock = clockOf(ms);
    const hourMs = getStartOfClockUnit(ms, clock, 'hour');
    const hour = hours.get(hourMs) ?? { key: keyOf(clock), energy: 0, measured: 0 };
    hours.set(hourMs, hour);
    hour.energy += energy[at] as number;
    hour.measured++;
  }
  const whole = [...hours.values()].filter(({ measured }) => measured === QUARTER_HOURS_PER_HOUR);
  return Map.groupBy(whole, ({ key }) => key);
}

/** Returns, for each group with enough similar hours, their mean energy in whole mWh. */
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
