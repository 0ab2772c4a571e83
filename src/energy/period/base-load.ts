/**
 * Base load: the lowest steady load of a home or a device. Neither the lowest quarter-hour is used, because a register
 * may have stood still, nor the lowest day, which may be unusual.
 */

/** Number of quarter-hours in a steady stretch: two hours, longer than the cycle of a fridge. */
const STEADY_QUARTER_HOURS = 8;
/** Minimum number of known quarter-hours of the 96 in a day. With fewer, the lowest hours may be unknown ones. */
const MIN_KNOWN = 72;
/** Minimum number of known days: with fewer, an unusual day cannot be recognised. */
const MIN_DAYS = 3;
/** Factor from the energy of a quarter-hour in mWh to W. */
const WATTS_PER_QUARTER_HOUR = 0.004;

/** Converts the energy of a quarter-hour in mWh to W. */
export const quarterHourToWatts = (milliwattHours: number): number => milliwattHours * WATTS_PER_QUARTER_HOUR;

/**
 * Returns the base load in W: the median of the lowest two-hour means of the days that are mostly known. Null if there are fewer than three
 * such days. `energies`: mWh by quarter-hour, NaN if unknown or only estimated. `days`: the index at which each day begins, and the end of
 * the last day. Pure.
 */
export function computeBaseLoad(energies: Float64Array, days: readonly number[]): number | null {
  const lowest = days.slice(1).flatMap((end, index) => {
    const mean = lowestMean(energies, days[index] as number, end);
    return mean === null ? [] : [mean];
  });
  if (lowest.length < MIN_DAYS) return null;
  // If the median lies between two days, the lower one is used.
  return quarterHourToWatts(lowest.toSorted((a, b) => a - b)[Math.floor((lowest.length - 1) / 2)] as number);
}

/** Returns the lowest sum of `STEADY_QUARTER_HOURS` consecutive known quarter-hours as a mean. Null if too few are known. */
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
    if (run > STEADY_QUARTER_HOURS) sum -= energies[at - STEADY_QUARTER_HOURS] as number;
    if (run >= STEADY_QUARTER_HOURS) lowest = Math.min(lowest, sum);
  }
  return known < MIN_KNOWN || lowest === Number.POSITIVE_INFINITY ? null : Math.max(0, lowest / STEADY_QUARTER_HOURS);
}
