import { castToMilliwattHours, type MilliwattHours, QUARTER_HOUR_MS } from '#src/core/units.ts';
import { MEASURE_NAMES, type MeasureSums } from '#src/rollups/levels.ts';
import type { EnergyInterval, TimeSpan } from './counting-rule.ts';
import type { SeriesRoles } from './roles-by-time.ts';

/** Changes of a device's load profile, by the start of the UTC quarter-hour (Unix ms). */
export type BucketDeltas = Map<number, MeasureSums>;
export type ReadonlyQuarterHourBuckets = ReadonlyMap<number, MeasureSums>;
/** Sums of energy by the start of their quarter-hour (Unix ms). */
export interface QuarterHourBuckets {
  get(startMs: number): MeasureSums | undefined;
  set(startMs: number, sums: MeasureSums): unknown;
}

export const createZeroSums = (): MeasureSums => ({
  energyMilliwattHours: castToMilliwattHours(0),
  estimatedMilliwattHours: castToMilliwattHours(0),
  exportMilliwattHours: castToMilliwattHours(0),
  readingCount: 0,
  coveredMs: 0,
  exportCoveredMs: 0,
});

/** Returns floor(energy × part ÷ whole). The result is exact even if the product exceeds the safe integers. */
function share(energyMilliwattHours: MilliwattHours, partMs: number, wholeMs: number): number {
  const product = energyMilliwattHours * partMs;
  if (Number.isSafeInteger(product)) return Math.floor(product / wholeMs);
  return Number((BigInt(energyMilliwattHours) * BigInt(partMs)) / BigInt(wholeMs));
}

/** Returns the part of an energy that flowed before a time, rounded down. Assumes that the energy flowed evenly over the time span. */
function flowedUpTo(energyMilliwattHours: MilliwattHours, { startMs, endMs }: TimeSpan, ms: number): number {
  if (ms >= endMs) return energyMilliwattHours;
  return ms <= startMs ? 0 : share(energyMilliwattHours, ms - startMs, endMs - startMs);
}

function bucketOf(deltas: QuarterHourBuckets, startMs: number): MeasureSums {
  let delta = deltas.get(startMs);
  if (!delta) {
    delta = createZeroSums();
    deltas.set(startMs, delta);
  }
  return delta;
}

/**
 * Distributes the energy of an interval to the quarter-hours that it overlaps, in proportion to time. `sign`: 1 adds the energy, -1
 * subtracts it. The shares are whole mWh and add up exactly. The reading counts in the quarter-hour in which the interval ends: a reading
 * at 10:00:00 counts in the quarter-hour before 10:00.
 */
export function addIntervalToBuckets(
  deltas: QuarterHourBuckets,
  interval: EnergyInterval,
  roles: Pick<SeriesRoles, 'import' | 'export'>,
  sign: 1 | -1,
): void {
  const { startMs, endMs, importMilliwattHours, exportMilliwattHours } = interval;
  let fromMs = startMs;
  let importBefore = 0;
  let exportBefore = 0;
  while (fromMs < endMs) {
    const bucketMs = Math.floor(fromMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
    const toMs = Math.min(bucketMs + QUARTER_HOUR_MS, endMs);
    const delta = bucketOf(deltas, bucketMs);
    if (roles.import) {
      const importUpTo = flowedUpTo(importMilliwattHours, interval.importSpan ?? interval, toMs);
      const part = sign * (importUpTo - importBefore);
      delta.energyMilliwattHours = castToMilliwattHours(delta.energyMilliwattHours + part);
      if (interval.estimated)
        delta.estimatedMilliwattHours = castToMilliwattHours(delta.estimatedMilliwattHours + part);
      delta.coveredMs += sign * (toMs - fromMs);
      importBefore = importUpTo;
    }
    if (roles.export) {
      const exportUpTo = flowedUpTo(exportMilliwattHours, interval.exportSpan ?? interval, toMs);
      const part = sign * (exportUpTo - exportBefore);
      delta.exportMilliwattHours = castToMilliwattHours(delta.exportMilliwattHours + part);
      delta.exportCoveredMs += sign * (toMs - fromMs);
      exportBefore = exportUpTo;
    }
    if (toMs === endMs) delta.readingCount += sign;
    fromMs = toMs;
  }
}

export function dropZeroBuckets(deltas: BucketDeltas): BucketDeltas {
  for (const [startMs, delta] of deltas) {
    if (MEASURE_NAMES.every((name) => delta[name] === 0)) deltas.delete(startMs);
  }
  return deltas;
}
