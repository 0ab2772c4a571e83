import { castToMilliwattHours, type MilliwattHours, QUARTER_HOUR_MS } from '#src/core/units.ts';
import {
  type BoughtEnergySource,
  createBoughtEnergySource,
  createDeviceEnergySource,
} from '#src/cost/bought-energy.ts';
import type { Database } from '#src/database/connect.ts';

/** Known energy in a range of the home or device that is billed. */
export interface KnownBilledEnergy {
  imported: MilliwattHours;
  exported: MilliwattHours;
  /** The part of `imported` that is estimated. */
  estimated: MilliwattHours;
  /**
   * Number of quarter-hours in the range. `intervalsKnown`: those whose import is known, at least in part. `intervalsEstimated`: those with
   * estimated import.
   */
  intervals: number;
  intervalsKnown: number;
  intervalsEstimated: number;
}

/**
 * Returns the meter from which a bill is computed. A device is metered by itself, whatever its placement. A home is metered at its
 * connection point (docs/cost.md, "Whose energy").
 */
export const loadBilledEnergySource = (
  db: Database,
  { userId, deviceId }: BilledHomeOrDevice,
): Promise<BoughtEnergySource> =>
  deviceId === null
    ? createBoughtEnergySource(db, { userId })
    : createDeviceEnergySource(db, deviceId, { exported: 1 });

/**
 * Rounds up to the start of a quarter-hour. In zones with unusual UTC offsets, a period may begin within a quarter-hour. This quarter-hour
 * belongs to the previous period.
 */
const quarterFrom = (at: Date): Date => new Date(Math.ceil(at.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);

/** Returns the energy of a range as sums over quarter-hours, so that adjacent ranges add up exactly. */
export async function readKnownBilledEnergy(
  meter: BoughtEnergySource,
  { from, to }: { from: Date; to: Date },
): Promise<KnownBilledEnergy> {
  const { imported, exported, estimated, coveredMs } = await meter.boughtIn({
    from: quarterFrom(from),
    to: quarterFrom(to),
  });
  const sum = (list: Float64Array) => castToMilliwattHours(list.reduce((all, one) => all + one, 0));
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

/** Verdict on a register reading, if it affects how energy is computed from the register's value (ingest/normalise/counting-rule.ts). */
export type RegisterReadingVerdict = 'jitter' | 'reset' | 'rollover' | 'swap' | null;

/**
 * State of a register at the instant `atMs`: the last valid reading at or before the instant (`lastMs`, `value`), and the first valid
 * reading after it (`next`). Values in mWh, times in Unix ms.
 */
export interface RegisterState {
  atMs: number;
  lastMs: number;
  /** Whether a person entered the last reading. */
  isByHand: boolean;
  /** Value of the register at the last reading. If the register dropped a little (jitter), this is the value before the drop. */
  value: MilliwattHours;
  next: { ms: number; value: MilliwattHours; step: RegisterReadingVerdict } | null;
}

/** A reading at which the value of a register changed by other than consumption: a reset, a rollover or a replaced meter. */
export interface RegisterDiscontinuity {
  step: RegisterReadingVerdict;
  /** Values of the register before the reading and at the reading. */
  before: MilliwattHours;
  value: MilliwattHours;
}

/** Value of a register at an instant, and the method by which the value was determined. */
export interface RegisterReading {
  milliwattHours: MilliwattHours;
  atMs: number;
  is: 'measured' | 'by_hand' | 'interpolated' | 'last';
}

/**
 * Returns the energy in mWh between the previous reading of a register (`before`) and this one (`value`), by the counting rules. `maximum`:
 * the value at which the register returns to 0.
 */
function energyOfStep(before: number, value: number, step: RegisterReadingVerdict, maximum: number): number {
  if (step === 'jitter' || step === 'swap') return 0;
  if (step === 'reset') return value;
  return value - before + (step === 'rollover' ? maximum : 0);
}

/**
 * Returns the energy from the last reading up to the instant of the state: the energy between the two readings in proportion to time,
 * rounded down. The counting rules split energy between readings in the same way.
 */
function energySinceLast({ atMs, lastMs, value, next }: RegisterState, maximum: number): number {
  if (!next) return 0;
  const energy = energyOfStep(value, next.value, next.step, maximum);
  return Number((BigInt(energy) * BigInt(atMs - lastMs)) / BigInt(next.ms - lastMs));
}

/**
 * Returns the energy that a register measured between two instants, in mWh. It equals the result of the counting rules, except for tariff
 * registers: the counting rules may move the energy of a tariff within the time between two readings. `breaks`: resets, rollovers and
 * replaced meters between the last readings of the two instants.
 */
export function computeEnergyBetween(
  from: RegisterState,
  to: RegisterState,
  breaks: readonly RegisterDiscontinuity[],
  maximum: number,
): MilliwattHours {
  const rise = to.value - from.value;
  const corrected = breaks.reduce(
    (sum, { step, before, value }) => sum + energyOfStep(before, value, step, maximum) - (value - before),
    rise,
  );
  return castToMilliwattHours(corrected + energySinceLast(to, maximum) - energySinceLast(from, maximum));
}

/**
 * Returns the register's value at an instant. The value is interpolated between the readings before and after the instant. If the register
 * was reset, rolled over or replaced between them, it is the value of the reading before.
 */
export function computeRegisterReading(registerState: RegisterState): RegisterReading {
  const { atMs, lastMs, value, next, isByHand } = registerState;
  if (lastMs === atMs) return { milliwattHours: value, atMs, is: isByHand ? 'by_hand' : 'measured' };
  if (!next || (next.step !== null && next.step !== 'jitter'))
    return { milliwattHours: value, atMs: lastMs, is: 'last' };
  return { milliwattHours: castToMilliwattHours(value + energySinceLast(registerState, 0)), atMs, is: 'interpolated' };
}

/** What is billed: a device, or a home if `deviceId` is null. */
export interface BilledHomeOrDevice {
  userId: string;
  deviceId: string | null;
}
