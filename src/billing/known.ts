import { asMilliwattHours, type MilliwattHours, QUARTER_MS } from '#src/core/units.ts';
import { deviceMeter, type Meter, meterOf } from '#src/cost/bought.ts';
import type { Database } from '#src/database/connect.ts';
import type { Billed } from './registers.ts';

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
