import { setImmediate } from 'node:timers/promises';
import { QUARTER_MS } from '#src/core/units.ts';
import { type ImportedQuarters, LIKE_QUARTERS, type Line, linesOf, MOST_QUARTERS, sharedOut } from './like-days.ts';
import { wallClock } from './wall-clock.ts';

/** Reads the quarter-hours of `[fromMs, toMs)`, starts of quarter-hours, or those of them that there can be anything of. */
export type ReadQuarters = (fromMs: number, toMs: number) => Promise<ImportedQuarters>;

/** Quarter-hours with long gaps as like days tell them. `isShared`: 1 where they do. */
export interface SharedQuarters extends ImportedQuarters {
  isShared: Uint8Array;
}

/**
 * The quarter-hours of `[fromMs, toMs)`, with what long gaps hold of them by like days. A gap is judged whole, and by the four weeks before it,
 * wherever it begins and ends: a quarter-hour has the same energy whatever range is asked. `zone`: whose clock the home lives by; `wholeMs`:
 * `coveredMs` of the quarter-hour from a time on, Unix ms, that is known throughout.
 */
export async function sharedGaps(
  read: ReadQuarters,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { zone, wholeMs }: { zone: string; wholeMs: (ms: number) => number },
): Promise<SharedQuarters> {
  let quarters = await read(fromMs - LIKE_QUARTERS * QUARTER_MS, toMs);
  const placeOf = (ms: number) => (ms - quarters.fromMs) / QUARTER_MS;
  const told = ({ first, end }: Line) => first < placeOf(toMs) && end > placeOf(fromMs);
  let lines = linesOf(quarters).filter(told);
  const reachesOut = ({ first, end }: Line) => first < LIKE_QUARTERS || end === quarters.energy.length;
  if (lines.some(reachesOut)) {
    // Further than the longest gap that is shared out: one that fills this is longer.
    const before = MOST_QUARTERS + LIKE_QUARTERS + 1;
    quarters = await read(fromMs - before * QUARTER_MS, toMs + (MOST_QUARTERS + 1) * QUARTER_MS);
    lines = linesOf(quarters).filter(told);
  }
  const { energy, estimated } = quarters;
  const isShared = new Uint8Array(energy.length);
  const clockOf = wallClock(quarters.fromMs, quarters.fromMs + energy.length * QUARTER_MS, zone);
  // Shapes are made of what was measured, which no gap changes: one after the other. Turn by turn: of daily readings there are a thousand.
  for (const line of lines) {
    await setImmediate();
    const shared = sharedOut(quarters, line, { clockOf, wholeMs });
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
