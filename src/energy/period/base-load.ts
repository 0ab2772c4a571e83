/**
 * The load that never ends: what a home, or a device, draws in its lowest steady hours. Not its lowest quarter-hour, which may be a register
 * that stood still, nor that of one odd day.
 */

/** Quarter-hours that are steady: two hours, longer than a fridge's cycle. */
const STEADY_QUARTERS = 8;
/** Of a day's 96 that must be known: with less its lowest hours may be those that are not. */
const MIN_KNOWN = 72;
/** Days that must be known: of fewer one is as odd as the other. */
const MIN_DAYS = 3;
/** W of an energy in mWh over a quarter-hour. */
const WATTS_PER_QUARTER = 0.004;

/** A quarter-hour's energy in W. */
export const wattsOf = (milliwattHours: number): number => milliwattHours * WATTS_PER_QUARTER;

/**
 * The base load in W: the median, over days that are mostly known, of each day's lowest mean over two hours; null where fewer than three days
 * are. `energies`: mWh by the quarter-hour, NaN where not known or only estimated. `days`: where each begins in them, and where the last ends.
 * Pure.
 */
export function baseLoadOf(energies: Float64Array, days: readonly number[]): number | null {
  const lowest = days.slice(1).flatMap((end, index) => {
    const mean = lowestMean(energies, days[index] as number, end);
    return mean === null ? [] : [mean];
  });
  if (lowest.length < MIN_DAYS) return null;
  // The lower of two in the middle: it was steady, too.
  return wattsOf(lowest.toSorted((a, b) => a - b)[Math.floor((lowest.length - 1) / 2)] as number);
}

/** The lowest mean of `STEADY_QUARTERS` known ones that follow each other; null where too few are known. */
function lowestMean(energies: Float64Array, from: number, to: number): number | null {
  let [known, run, sum, lowest] = [0, 0, 0, Number.POSITIVE_INFINITY];
  for (let at = from; at < to; at++) {
    const energy = energies[at] as number;
    if (Number.isNaN(energy)) {
      [run, sum] = [0, 0];
      continue;
    }
    known++;
    run++;
    sum += energy;
    if (run > STEADY_QUARTERS) sum -= energies[at - STEADY_QUARTERS] as number;
    if (run >= STEADY_QUARTERS) lowest = Math.min(lowest, sum);
  }
  return known < MIN_KNOWN || lowest === Number.POSITIVE_INFINITY ? null : Math.max(0, lowest / STEADY_QUARTERS);
}
