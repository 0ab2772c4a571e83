import { castToMilliwattHours, type MilliwattHours, QUARTER_HOUR_MS } from '#src/core/units.ts';
import { createDeviceMeter, type EnergyMeter, readBoughtEnergyMeter } from '#src/cost/bought-energy.ts';
import type { Database } from '#src/database/connect.ts';

/** Known energy of a bill's home or device in a range. */
export interface KnownBilledEnergy {
  imported: MilliwattHours;
  exported: MilliwattHours;
  /** Estimated component of `imported`, in mWh. */
  estimated: MilliwattHours;
  /** Numbers of quarter-hours in the range: all, those with known import (at least in part), and those with estimated import. */
  intervals: number;
  intervalsKnown: number;
  intervalsEstimated: number;
}

/**
 * Returns the meter for a bill: of a device regardless of its placement, or of a home at its connection point (docs/cost.md, "Whose
 * energy").
 */
export const loadBilledMeter = (db: Database, { userId, deviceId }: BilledHomeOrDevice): Promise<EnergyMeter> =>
  deviceId === null ? readBoughtEnergyMeter(db, { userId }) : createDeviceMeter(db, deviceId, { exported: 1 });

/**
 * Rounds up to the start of a quarter-hour. In zones with odd offsets a period may begin within a quarter-hour, which then belongs to the
 * previous period.
 */
const quarterFrom = (at: Date): Date => new Date(Math.ceil(at.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);

/** Returns the energy of a range as sums over quarter-hours, so that adjacent ranges add up exactly. */
export async function readKnownBilledEnergy(
  meter: EnergyMeter,
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

/** Classification of a counted register reading, as far as it affects the register's value (ingest/normalise/counting-rule.ts). */
export type RegisterStep = 'jitter' | 'reset' | 'rollover' | 'swap' | null;

/**
 * State of a register at an instant: the last counted reading at or before the instant, and the first counted reading after it. Values in
 * mWh, times in Unix ms.
 */
export interface RegisterState {
  atMs: number;
  lastMs: number;
  /** Whether a person entered the last reading. */
  isByHand: boolean;
  /** Value of the register at the last reading. A small drop (jitter) does not change it. */
  value: MilliwattHours;
  next: { ms: number; value: MilliwattHours; step: RegisterStep } | null;
}

/** A reading at which the register's value changed for another reason than consumption: a reset, a rollover or a replaced meter. */
export interface RegisterDiscontinuity {
  step: RegisterStep;
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
 * Returns the energy, in mWh, that the counting rules assign to the step from the previous reading to this one. `maximum`: the value at
 * which the register returns to 0.
 */
function energyOfStep(before: number, value: number, step: RegisterStep, maximum: number): number {
  if (step === 'jitter' || step === 'swap') return 0;
  if (step === 'reset') return value;
  return value - before + (step === 'rollover' ? maximum : 0);
}

/**
 * Returns the energy from the last reading up to the instant: a part of the energy between the two readings in proportion to time, rounded
 * down. The counting rule splits a step in the same way at every bound.
 */
function energySinceLast({ atMs, lastMs, value, next }: RegisterState, maximum: number): number {
  if (!next) return 0;
  const energy = energyOfStep(value, next.value, next.step, maximum);
  return Number((BigInt(energy) * BigInt(atMs - lastMs)) / BigInt(next.ms - lastMs));
}

/**
 * Returns the energy that a register counted between two instants, mWh. It equals the counting rule's result except for tariffs, whose
 * energy the counting rule may move within a step. `breaks`: resets, rollovers and swaps between the last readings of the two instants.
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
 * Returns the register's value at an instant: interpolated between two readings, or the last reading if the register was reset, rolled over
 * or replaced between the two readings.
 */
export function computeReadingAt(registerState: RegisterState): RegisterReading {
  const { atMs, lastMs, value, next, isByHand } = registerState;
  if (lastMs === atMs) return { milliwattHours: value, atMs, is: isByHand ? 'by_hand' : 'measured' };
  if (!next || (next.step !== null && next.step !== 'jitter'))
    return { milliwattHours: value, atMs: lastMs, is: 'last' };
  return { milliwattHours: castToMilliwattHours(value + energySinceLast(registerState, 0)), atMs, is: 'interpolated' };
}

/** Subject of a bill: a device, or a home (`deviceId` null). */
export interface BilledHomeOrDevice {
  userId: string;
  deviceId: string | null;
}
