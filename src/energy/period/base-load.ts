/** Base load: the lowest steady load of a home or a device. */

/** Length of a steady load in quarter-hours: longer than the cycle of a fridge. */
const STEADY_QUARTER_HOURS = 8;
/** Minimum number of known quarter-hours of a day. With fewer, those with the lowest load may be missing. */
const MIN_KNOWN = 72;
/** Minimum number of known days. With fewer, an unusual day cannot be recognised. */
const MIN_DAYS = 3;
const WATTS_PER_QUARTER_HOUR = 0.004;

/** Converts the energy of a quarter-hour in mWh to W. */
export const convertQuarterHourToWatts = (milliwattHours: number): number => milliwattHours * WATTS_PER_QUARTER_HOUR;

/**
 * Returns the base load in W: the median, over the days, of the lowest two-hour mean. Null if too few days are known. `energies`: mWh by
 * quarter-hour, NaN if unknown. `days`: the index at which each day begins, and the end of the last day.
 */
export function computeBaseLoad(energies: Float64Array, days: readonly number[]): number | null {
  const lowest = days.slice(1).flatMap((end, index) => {
    const mean = lowestMean(energies, days[index] as number, end);
    return mean === null ? [] : [mean];
  });
  if (lowest.length < MIN_DAYS) return null;
  // For an even number of days, the lower of the two middle values.
  return convertQuarterHourToWatts(lowest.toSorted((a, b) => a - b)[Math.floor((lowest.length - 1) / 2)] as number);
}

/** Returns the lowest two-hour mean of a day. Null if too few quarter-hours are known. */
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
