import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { type createWallClock, getStartOfSubDayUnit } from './wall-clock.ts';

/**
 * If a register was silent for long, its energy is stored as if it had flowed evenly. This file estimates a better distribution from
 * similar days before the silence. No other figure is computed from this estimate (docs/decisions/0092).
 */

/** Imports of a device in consecutive quarter-hours (UTC), in whole mWh. */
export interface ImportedQuarterHours {
  fromMs: number;
  energy: Float64Array;
  /** Part of the energy that was spread over a silence. */
  estimated: Float64Array;
  /** Known time in ms, summed over the device's channels. */
  coveredMs: Float64Array;
}

/** Quarter-hours `[first, end)`, by index, over which the energy of one gap was spread evenly. */
export interface InterpolatedRange {
  first: number;
  end: number;
}

type Clock = ReturnType<typeof createWallClock>;

interface GapDistributionContext {
  /** Returns the local time of a quarter-hour. */
  clockOf: Clock;
  /** Returns the `coveredMs` of a completely known quarter-hour that starts at `ms`. */
  wholeMs: (ms: number) => number;
}

const QUARTER_HOURS_PER_DAY = 96;
const QUARTER_HOURS_PER_HOUR = 4;
/** Minimum and maximum length of a gap whose energy is distributed. */
const MIN_QUARTER_HOURS = QUARTER_HOURS_PER_DAY;
export const MAX_GAP_QUARTER_HOURS = 400 * QUARTER_HOURS_PER_DAY;
/** Similar days are searched in this number of quarter-hours before a gap: four weeks. */
export const LOOKBACK_QUARTER_HOURS = 28 * QUARTER_HOURS_PER_DAY;
/** Minimum numbers of similar hours from which the usage can be estimated. */
const MIN_LIKE_HOURS = { workday: 3, weekend: 2 };
/** Maximum difference in mWh between two quarter-hours of an evenly distributed gap. It results from rounding. */
const STEP_MWH = 4;

/**
 * Returns the ranges of quarter-hours over which energy was spread evenly. A range ends where the energy per quarter-hour changes, because
 * there was a reading.
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
 * Distributes the energy of a long gap in proportion to similar hours: the same hour on other workdays, or on other weekend days, in the
 * four weeks before. The total equals the energy of the gap. Null if the gap is too short or too long, or if there are too few similar
 * hours.
 */
export function distributeGapEnergy(
  quarters: ImportedQuarterHours,
  { first, end }: InterpolatedRange,
  shape: GapDistributionContext,
): Float64Array | null {
  const count = end - first;
  if (count < MIN_QUARTER_HOURS || count > MAX_GAP_QUARTER_HOURS) return null;
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

/** Similar hours form 48 groups: by hour of the day, first of workdays, then of weekend days. */
const FIRST_OF_WEEKEND = 24;
const keyOf = ({ day, minute }: ReturnType<Clock>): number =>
  (day.weekday >= 6 ? FIRST_OF_WEEKEND : 0) + Math.floor(minute / 60);

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
    const hourMs = getStartOfSubDayUnit(ms, clock, 'hour');
    const hour = hours.get(hourMs) ?? { key: keyOf(clock), energy: 0, measured: 0 };
    hours.set(hourMs, hour);
    hour.energy += energy[at] as number;
    hour.measured++;
  }
  const whole = [...hours.values()].filter(({ measured }) => measured === QUARTER_HOURS_PER_HOUR);
  return Map.groupBy(whole, ({ key }) => key);
}

function weights(alike: ReturnType<typeof likeHours>): Map<number, bigint> {
  const means = new Map<number, bigint>();
  for (const [key, hours] of alike) {
    const least = key < FIRST_OF_WEEKEND ? MIN_LIKE_HOURS.workday : MIN_LIKE_HOURS.weekend;
    if (hours.length < least) continue;
    const sum = hours.reduce((all, { energy }) => all + energy, 0);
    means.set(key, BigInt(Math.floor(sum / hours.length)));
  }
  return means;
}
