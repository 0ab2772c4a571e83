/**
 * Statistics that a few odd values cannot move: half of the values may be anything (Rousseeuw and Croux 1993, "Alternatives to the
 * Median Absolute Deviation", J. Am. Stat. Assoc. 88).
 */

/** The value below which a share of the values lies, between two of them by a straight line (type 7 of Hyndman and Fan 1996). NaN of none. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below] as number;
  return low + (place - below) * ((sorted[below + 1] ?? low) - low);
}

export const median = (values: Iterable<number>): number => quantile(values, 0.5);

/** Of a normal distribution the standard deviation is this many times the median absolute deviation. */
const NORMAL = 1.4826;

/** How far values lie from their median, mostly: as a standard deviation, which odd values do not move. NaN of none. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return NORMAL * median(values.map((value) => Math.abs(value - middle)));
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The arithmetic mean. NaN of none. */
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** The standard deviation of a sample; 0 of fewer than two values. */
export function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return values.length < 2 ? 0 : Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1));
}
