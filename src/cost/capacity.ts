import type { Billionths, Fraction } from '#src/core/decimal.ts';
import type { CapacityCharge } from '#src/tariffs/tariff.ts';

const BILLION = 1_000_000_000n;
/** Billionths of a kW for each mWh in a quarter-hour: a quarter-hour is a fourth of an hour, and 10^6 mWh are a kWh. */
const NANO_KW_PER_MWH = 4_000n;

/** Bought energy of a quarter-hour, mWh. `coveredMs`: milliseconds in which it is known. */
interface PeakQuarter {
  imported: number;
  estimated: number;
  coveredMs: number;
}

/** Whether a quarter-hour may be a month's peak: it is known, and at most half of it is estimated (docs/cost.md, "Capacity"). */
export const canBePeak = ({ imported, estimated, coveredMs }: PeakQuarter): boolean =>
  coveredMs > 0 && 2 * estimated <= imported;

/**
 * Returns the capacity charge of a month: the price times the mean of the peaks, each at least the minimum. `peaks`: the highest
 * quarter-hours, mWh, of the last `monthsAveraged` months that have one. Null if there are none.
 */
export function capacityCost({ perKwMonth, minimumKw }: CapacityCharge, peaks: readonly number[]): Fraction | null {
  if (peaks.length === 0) return null;
  const sum = peaks.reduce((total, peak) => total + atLeast(BigInt(peak) * NANO_KW_PER_MWH, minimumKw), 0n);
  return { numerator: perKwMonth * sum, denominator: BigInt(peaks.length) * BILLION * BILLION };
}

const atLeast = (value: bigint, floor: Billionths): bigint => (value < floor ? floor : value);
