import { asMilliwattHours, type MilliwattHours, QUARTER_MS } from '#src/core/units.ts';
import { deviceMeter, type Meter, meterOf } from '#src/cost/bought.ts';
import type { Database } from '#src/database/connect.ts';

/** What is known of the energy of a bill in a time. */
export interface Known {
  imported: MilliwattHours;
  exported: MilliwattHours;
  /** Part of `imported`. */
  estimated: MilliwattHours;
  /** Quarter-hours of the time; those of which the import is known, at least in part; those of which some is estimated. */
  intervals: number;
  intervalsKnown: number;
  intervalsEstimated: number;
}

/** What a bill's energy is asked from: a device whatever its placement, or a home at its connection point (docs/cost.md, whose energy). */
export const billedMeter = (db: Database, { userId, deviceId }: Billed): Promise<Meter> =>
  deviceId === null ? meterOf(db, { userId }) : deviceMeter(db, deviceId, { exported: 1 });

/** Starts of quarter-hours at or after the bounds: those of zones with odd offsets lie within one, which the period before has. */
const quarterFrom = (at: Date): Date => new Date(Math.ceil(at.getTime() / QUARTER_MS) * QUARTER_MS);

/** The energy of a time: sums over quarter-hours, so that times one after the other add up exactly. */
export async function knownIn(meter: Meter, { from, to }: { from: Date; to: Date }): Promise<Known> {
  const { imported, exported, estimated, coveredMs } = await meter.boughtIn({
    from: quarterFrom(from),
    to: quarterFrom(to),
  });
  const sum = (list: Float64Array) => asMilliwattHours(list.reduce((all, one) => all + one, 0));
  const count = (list: Float64Array) => list.reduce((all, one) => all + (one > 0 ? 1 : 0), 0);
  return {
    imported: sum(imported),
    exported: sum(exported),
    estimated: sum(estimated),
    intervals: imported.length,
    intervalsKnown: count(coveredMs),
    intervalsEstimated: count(estimated),
  };
}

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

/** Whose registers are billed: a device's, or those of a home that its bill is about. */
export interface Billed {
  userId: string;
  deviceId: string | null;
}
