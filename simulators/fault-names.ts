import { clockSkew, combine, duplicates, type Fault, gaps, glitches, lateBursts, reset } from './faults.ts';

/** Faults by the names that `energy demo --faults` takes, each in a strength that shows within 90 days. */
const FAULTS: Record<string, (seed: string) => Fault> = {
  gaps: (seed) => gaps(seed, 6, 20),
  duplicates: (seed) => duplicates(seed, 0.05),
  late: (seed) => lateBursts(seed, 6, 40),
  reset: (seed) => reset(seed),
  glitches: (seed) => glitches(seed, 6),
  skew: () => clockSkew(-90_000),
};

export const FAULT_NAMES: readonly string[] = Object.keys(FAULTS);

/** The named faults one after the other; the same seed makes the same ones. Unknown names make nothing. */
export function faultsNamed(names: readonly string[], seed: string): Fault {
  return combine(...names.flatMap((name) => FAULTS[name]?.(seed) ?? []));
}
