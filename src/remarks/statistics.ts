/**
 * Robust statistics, on which outliers have little effect (Rousseeuw and Croux 1993, "Alternatives to the Median Absolute Deviation", J.
 * Am. Stat. Assoc. 88).
 */

/** Returns a quantile, interpolated linearly between two values (type 7 of Hyndman and Fan 1996). NaN if there are no values. */
export function computeQuantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below] as number;
  return low + (place - below) * ((sorted[below + 1] ?? low) - low);
}

export const computeMedian = (values: Iterable<number>): number => computeQuantile(values, 0.5);

/** Factor by which the median absolute deviation of a normal distribution is multiplied to get the standard deviation. */
const NORMAL = 1.4826;

/** Returns the scaled median absolute deviation, a robust estimate of the standard deviation. NaN without values. */
export function computeMedianAbsoluteDeviation(values: readonly number[]): number {
  const middle = computeMedian(values);
  return NORMAL * computeMedian(values.map((value) => Math.abs(value - middle)));
}

export const sumValues = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the arithmetic mean. NaN if there are no values. */
export const computeMean = (values: readonly number[]): number => sumValues(values) / values.length;

/** Returns the standard deviation of a sample; 0 for fewer than two values. */
export function computeStandardDeviation(values: readonly number[]): number {
  const middle = computeMean(values);
  return values.length < 2
    ? 0
    : Math.sqrt(sumValues(values.map((value) => (value - middle) ** 2)) / (values.length - 1));
}
