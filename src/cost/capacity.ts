import type { Fraction } from '#src/core/decimal.ts';
import type { CapacityCharge } from '#src/tariffs/tariff.ts';

const BILLION = 1_000_000_000n;
/** Mean power, in billionths of a kW, if 1 mWh is used in a quarter-hour. */
const NANO_KW_PER_MWH = 4_000n;

interface PeakQuarterHour {
  imported: number | bigint;
  estimated: number | bigint;
  coveredMs: number;
}

/** Whether a quarter-hour can be a month's peak: its energy is known, and at most half of it is estimated. */
export const canQuarterHourBePeak = ({ imported, estimated, coveredMs }: PeakQuarterHour): boolean =>
  coveredMs > 0 && (typeof estimated === 'bigint' ? 2n * estimated : 2 * estimated) <= imported;

/**
 * Returns the capacity charge of a month: the price times the mean of the peaks. A peak below the minimum counts as the minimum. `peaks`:
 * the highest quarter-hour of each of the last months. Null if there are none.
 */
export function computeCapacityCost(
  { perKwMonth, minimumKw }: CapacityCharge,
  peaks: readonly (number | bigint)[],
  unitsPerMilliwattHour = 1n,
): Fraction | null {
  if (peaks.length === 0) return null;
  const floor = minimumKw * unitsPerMilliwattHour;
  const sum = peaks.reduce<bigint>((total, peak) => total + atLeast(BigInt(peak) * NANO_KW_PER_MWH, floor), 0n);
  return {
    numerator: perKwMonth * sum,
    denominator: BigInt(peaks.length) * BILLION * BILLION * unitsPerMilliwattHour,
  };
}

const atLeast = (value: bigint, floor: bigint): bigint => (value < floor ? floor : value);
