import { asMilliwattHours, type MilliwattHours } from '#src/core/units.ts';

/** What a counted reading of a register was taken for, as far as it matters to where the register stands (ingest/normalise/law.ts). */
export type Step = 'jitter' | 'reset' | 'rollover' | 'swap' | null;

/** Where a register stands at an instant: its last counted reading until then, and the next one. mWh, Unix ms. */
export interface Standing {
  atMs: number;
  lastMs: number;
  /** A person read it. */
  isByHand: boolean;
  /** The register's value then: of a reading that fell a little (jitter) the one before it. */
  value: MilliwattHours;
  next: { ms: number; value: MilliwattHours; step: Step } | null;
}

/** A reading that the register went on from in another way than by its rise. */
export interface Break {
  step: Step;
  /** The register's value before, and the new one. */
  before: MilliwattHours;
  value: MilliwattHours;
}

/** What a register shows at an instant, and how that is known. */
export interface RegisterReading {
  milliwattHours: MilliwattHours;
  atMs: number;
  is: 'measured' | 'by_hand' | 'interpolated' | 'last';
}

/** Energy of the step to a reading by the law of consumption, mWh. `maximum`: value at which the register reads 0 again. */
function energyOfStep(before: number, value: number, step: Step, maximum: number): number {
  if (step === 'jitter' || step === 'swap') return 0;
  if (step === 'reset') return value;
  return value - before + (step === 'rollover' ? maximum : 0);
}

/** Of the step that an instant lies in the part before it: in proportion to time, rounded down, as the law cuts it at every bound. */
function energySinceLast({ atMs, lastMs, value, next }: Standing, maximum: number): number {
  if (!next) return 0;
  const energy = energyOfStep(value, next.value, next.step, maximum);
  return Number((BigInt(energy) * BigInt(atMs - lastMs)) / BigInt(next.ms - lastMs));
}

/**
 * What a register counted from one standing to a later one, mWh: the same as the law's, but for tariffs, whose energy may lie elsewhere
 * within a step. `breaks`: those between their last readings.
 */
export function energyBetween(from: Standing, to: Standing, breaks: readonly Break[], maximum: number): MilliwattHours {
  const rise = to.value - from.value;
  const corrected = breaks.reduce(
    (sum, { step, before, value }) => sum + energyOfStep(before, value, step, maximum) - (value - before),
    rise,
  );
  return asMilliwattHours(corrected + energySinceLast(to, maximum) - energySinceLast(from, maximum));
}

/** What the register shows at the standing's instant: between two readings on the line between them, unless it was another one after it. */
export function readingAt(standing: Standing): RegisterReading {
  const { atMs, lastMs, value, next, isByHand } = standing;
  if (lastMs === atMs) return { milliwattHours: value, atMs, is: isByHand ? 'by_hand' : 'measured' };
  if (!next || (next.step !== null && next.step !== 'jitter'))
    return { milliwattHours: value, atMs: lastMs, is: 'last' };
  return { milliwattHours: asMilliwattHours(value + energySinceLast(standing, 0)), atMs, is: 'interpolated' };
}
