import { clockSkew, combine, duplicates, type Fault, gaps, glitches, lateBursts, reset } from './faults.ts';

/**
 * Faults by the names that `energy demo --faults` takes, each in a strength that shows within 90 days.
 * What the meter shows comes before what the way to us does to it: a reset cannot know of readings that are yet late.
 */
const FAULTS: Record<string, (seed: string) => Fault> = {
  reset: (seed) => reset(seed),
  glitches: (seed) => glitches(seed, 6),
  skew: () => clockSkew(-90_000),
  gaps: (seed) => gaps(seed, 6, 20),
  duplicates: (seed) => duplicates(seed, 0.05),
  late: (seed) => lateBursts(seed, 6, 40),
};

export const FAULT_NAMES: readonly string[] = Object.keys(FAULTS);

/** The named faults, in the order above; the same seed makes the same ones. Unknown names make nothing. */
export function faultsNamed(names: readonly string[], seed: string): Fault {
  return combine(...FAULT_NAMES.filter((name) => names.includes(name)).flatMap((name) => FAULTS[name]?.(seed) ?? []));
}
