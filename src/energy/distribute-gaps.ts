import { setImmediate } from 'node:timers/promises';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import {
  distributeGapEnergy,
  findInterpolatedRanges,
  type ImportedQuarterHours,
  type InterpolatedRange,
  LOOKBACK_QUARTER_HOURS,
  MAX_GAP_QUARTER_HOURS,
} from './like-days.ts';
import { createWallClock } from './wall-clock.ts';

/** Reads the quarter-hours in `[fromMs, toMs)`. May omit quarter-hours without data. */
export type QuarterHourReader = (fromMs: number, toMs: number) => Promise<ImportedQuarterHours>;

/**
 * Quarter-hours after the energy of long gaps was distributed as on similar days. `isShared`: 1 if a quarter-hour contains such energy,
 * otherwise 0.
 */
export interface DistributedQuarterHours extends ImportedQuarterHours {
  isShared: Uint8Array;
}

/**
 * Returns the quarter-hours in `[fromMs, toMs)`. The energy of long gaps is distributed as on similar days. The result for a quarter-hour
 * does not depend on the requested range. `wholeMs`: returns the `coveredMs` of a completely known quarter-hour from its start in Unix ms.
 */
export async function readDistributedQuarterHours(
  read: QuarterHourReader,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { zone, wholeMs }: { zone: string; wholeMs: (ms: number) => number },
): Promise<DistributedQuarterHours> {
  let quarters = await read(fromMs - LOOKBACK_QUARTER_HOURS * QUARTER_HOUR_MS, toMs);
  const placeOf = (ms: number) => (ms - quarters.fromMs) / QUARTER_HOUR_MS;
  const isInRange = ({ first, end }: InterpolatedRange) => first < placeOf(toMs) && end > placeOf(fromMs);
  let lines = findInterpolatedRanges(quarters).filter(isInRange);
  const reachesOut = ({ first, end }: InterpolatedRange) =>
    first < LOOKBACK_QUARTER_HOURS || end === quarters.energy.length;
  if (lines.some(reachesOut)) {
    // If a gap fills all quarter-hours before the requested range, it is too long to be distributed.
    const before = MAX_GAP_QUARTER_HOURS + LOOKBACK_QUARTER_HOURS + 1;
    quarters = await read(fromMs - before * QUARTER_HOUR_MS, toMs + (MAX_GAP_QUARTER_HOURS + 1) * QUARTER_HOUR_MS);
    lines = findInterpolatedRanges(quarters).filter(isInRange);
  }
  const { energy, estimated } = quarters;
  const isShared = new Uint8Array(energy.length);
  const clockOf = createWallClock(quarters.fromMs, quarters.fromMs + energy.length * QUARTER_HOUR_MS, zone);
  // Yields to the event loop: a device with daily readings has a thousand gaps.
  for (const line of lines) {
    await setImmediate();
    const shared = distributeGapEnergy(quarters, line, { clockOf, wholeMs });
    if (!shared) continue;
    energy.set(shared, line.first);
    estimated.set(shared, line.first);
    isShared.fill(1, line.first, line.end);
  }
  const [first, end] = [placeOf(fromMs), placeOf(toMs)];
  return {
    fromMs,
    energy: energy.subarray(first, end),
    estimated: estimated.subarray(first, end),
    coveredMs: quarters.coveredMs.subarray(first, end),
    isShared: isShared.subarray(first, end),
  };
}
