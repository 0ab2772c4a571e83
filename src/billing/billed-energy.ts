import { castToMilliwattHours, type MilliwattHours, QUARTER_HOUR_MS } from '#src/core/units.ts';
import {
  type BoughtEnergySource,
  createBoughtEnergySource,
  createDeviceEnergySource,
} from '#src/cost/bought-energy.ts';
import type { Database } from '#src/database/connect.ts';

/** Known energy of the billed home or device in a range. */
export interface BilledEnergyOfRange {
  imported: MilliwattHours;
  exported: MilliwattHours;
  estimated: MilliwattHours;
  /** Number of quarter-hours. `intervalsKnown`: those with known import. `intervalsEstimated`: those with estimated import. */
  intervals: number;
  intervalsKnown: number;
  intervalsEstimated: number;
}

/** Returns the source of the billed energy: of a device itself, or of a home at its grid connection (docs/cost.md, "Whose energy"). */
export const loadBilledEnergySource = (
  db: Database,
  { userId, deviceId }: BilledHomeOrDevice,
): Promise<BoughtEnergySource> =>
  deviceId === null
    ? createBoughtEnergySource(db, { userId })
    : createDeviceEnergySource(db, deviceId, { exported: 1 });

/** In zones with unusual UTC offsets, a period may begin within a quarter-hour, which then belongs to the previous period. */
const quarterFrom = (at: Date): Date => new Date(Math.ceil(at.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);

/** Returns the energy of a range as sums over quarter-hours, so that adjacent ranges add up exactly. */
export async function readBilledEnergyOfRange(
  meter: BoughtEnergySource,
  { from, to }: { from: Date; to: Date },
): Promise<BilledEnergyOfRange> {
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

/** Verdict on a register reading that affects the energy since the previous reading. */
export type RegisterReadingVerdict = 'jitter' | 'reset' | 'rollover' | 'swap' | null;

/**
 * State of a register at a time: the last valid reading up to this time, and the first valid reading after it. Values in mWh, times in Unix
 * ms.
 */
export interface RegisterStateAtTime {
  atMs: number;
  lastMs: number;
  isByHand: boolean;
  /** Value at the last reading. If the register fell slightly at this reading (jitter), the value before. */
  value: MilliwattHours;
  next: { ms: number; value: MilliwattHours; step: RegisterReadingVerdict } | null;
}

/** A reading at which a register changed for another reason than consumption: a reset, a rollover or a replaced meter. */
export interface RegisterDiscontinuity {
  step: RegisterReadingVerdict;
  before: MilliwattHours;
  value: MilliwattHours;
}

/** Value of a register at a time, and how it was determined. */
export interface RegisterReading {
  milliwattHours: MilliwattHours;
  atMs: number;
  is: 'measured' | 'by_hand' | 'interpolated' | 'last';
}

/** Returns the energy in mWh between two readings of a register. `maximum`: the value at which the register returns to 0. */
function energyOfStep(before: number, value: number, step: RegisterReadingVerdict, maximum: number): number {
  if (step === 'jitter' || step === 'swap') return 0;
  if (step === 'reset') return value;
  return value - before + (step === 'rollover' ? maximum : 0);
}

/** Returns the energy since the last reading: the energy up to the next reading, in proportion to the elapsed time, rounded down. */
function energySinceLast({ atMs, lastMs, value, next }: RegisterStateAtTime, maximum: number): number {
  if (!next) return 0;
  const energy = energyOfStep(value, next.value, next.step, maximum);
  return Number((BigInt(energy) * BigInt(atMs - lastMs)) / BigInt(next.ms - lastMs));
}

/** Returns the energy that a register measured between two times, in mWh. `breaks`: resets, rollovers and replaced meters in between. */
export function computeRegisterEnergyBetween(
  from: RegisterStateAtTime,
  to: RegisterStateAtTime,
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
 * Returns the value of a register at a time, interpolated between two readings. If the register was reset or replaced in between, it is the
 * value of the earlier reading.
 */
export function computeRegisterReading(registerState: RegisterStateAtTime): RegisterReading {
  const { atMs, lastMs, value, next, isByHand } = registerState;
  if (lastMs === atMs) return { milliwattHours: value, atMs, is: isByHand ? 'by_hand' : 'measured' };
  if (!next || (next.step !== null && next.step !== 'jitter'))
    return { milliwattHours: value, atMs: lastMs, is: 'last' };
  return { milliwattHours: castToMilliwattHours(value + energySinceLast(registerState, 0)), atMs, is: 'interpolated' };
}

/** A device, or a home if `deviceId` is null. */
export interface BilledHomeOrDevice {
  userId: string;
  deviceId: string | null;
}
