import type { Billionths, Fraction } from '#src/core/decimal.ts';
import type { CapacityCharge } from '#src/tariffs/tariff.ts';

const BILLION = 1_000_000_000n;
/** mWh in a quarter-hour as billionths of a kW: 4 of them make an hour, 10^6 mWh a kWh. */
const NANO_KW_PER_MWH = 4_000n;

/** A quarter-hour of what was bought, mWh; `coveredMs`: for how long it is known. */
interface PeakQuarter {
  imported: number;
  estimated: number;
  coveredMs: number;
}

/** Whether a quarter-hour may be a month's peak: it is known, and at most half of it estimated (docs/cost.md, capacity). */
export const isMeasured = ({ imported, estimated, coveredMs }: PeakQuarter): boolean =>
  coveredMs > 0 && 2 * estimated <= imported;

/**
 * What a capacity tariff takes for a month: its price times the mean of peaks, each at least the floor. `peaks`: the highest quarter-hours,
 * mWh, of the last `monthsAveraged` months that have one; null where there are none.
 */
export function capacityCost({ perKwMonth, minimumKw }: CapacityCharge, peaks: readonly number[]): Fraction | null {
  if (peaks.length === 0) return null;
  const sum = peaks.reduce((total, peak) => total + atLeast(BigInt(peak) * NANO_KW_PER_MWH, minimumKw), 0n);
  return { numerator: perKwMonth * sum, denominator: BigInt(peaks.length) * BILLION * BILLION };
}

const atLeast = (value: bigint, floor: Billionths): bigint => (value < floor ? floor : value);
