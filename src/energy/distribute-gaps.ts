import { setImmediate } from 'node:timers/promises';
import { QUARTER_MS } from '#src/core/units.ts';
import {
  distributeGap,
  findInterpolatedRanges,
  type ImportedQuarters,
  type InterpolatedRange,
  LOOKBACK_QUARTERS,
  MAX_GAP_QUARTERS,
} from './like-days.ts';
import { createWallClock } from './wall-clock.ts';

/** Reads the quarter-hours of `[fromMs, toMs)`, which are starts of quarter-hours. May omit quarter-hours that cannot have data. */
export type QuarterReader = (fromMs: number, toMs: number) => Promise<ImportedQuarters>;

/**
 * Quarter-hours in which the energy of long gaps is distributed like on similar days. `isShared`: 1 for distributed
 * quarter-hours.
 */
export interface DistributedQuarters extends ImportedQuarters {
  isShared: Uint8Array;
}

/**
 * Returns the quarter-hours of `[fromMs, toMs)`, in which the energy of long gaps is distributed like on similar days.
 * A gap is always evaluated as a whole, and by the four weeks before it, so a quarter-hour has the same energy whatever
 * range is queried. `zone`: time zone of the home. `wholeMs`: returns the `coveredMs` of a completely known
 * quarter-hour that begins at a time (Unix ms).
 */
export async function distributeGaps(
  read: QuarterReader,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { zone, wholeMs }: { zone: string; wholeMs: (ms: number) => number },
): Promise<DistributedQuarters> {
  let quarters = await read(fromMs - LOOKBACK_QUARTERS * QUARTER_MS, toMs);
  const placeOf = (ms: number) => (ms - quarters.fromMs) / QUARTER_MS;
  const isInRange = ({ first, end }: InterpolatedRange) => first < placeOf(toMs) && end > placeOf(fromMs);
  let lines = findInterpolatedRanges(quarters).filter(isInRange);
  const reachesOut = ({ first, end }: InterpolatedRange) => first < LOOKBACK_QUARTERS || end === quarters.energy.length;
  if (lines.some(reachesOut)) {
    // The range read before is longer than the longest gap that is distributed, so a gap that fills it is too long.
    const before = MAX_GAP_QUARTERS + LOOKBACK_QUARTERS + 1;
    quarters = await read(fromMs - before * QUARTER_MS, toMs + (MAX_GAP_QUARTERS + 1) * QUARTER_MS);
    lines = findInterpolatedRanges(quarters).filter(isInRange);
  }
  const { energy, estimated } = quarters;
  const isShared = new Uint8Array(energy.length);
  const clockOf = createWallClock(quarters.fromMs, quarters.fromMs + energy.length * QUARTER_MS, zone);
  // Distributions depend on measured quarter-hours only, so the order of gaps does not matter. Yields to the event loop, because a device
  // with daily readings has a thousand gaps.
  for (const line of lines) {
    await setImmediate();
    const shared = distributeGap(quarters, line, { clockOf, wholeMs });
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
