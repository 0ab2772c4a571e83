import {
  compareSeriesReadings,
  type SeriesReading,
  type SeriesReadingWithVerdict,
} from '#ingest/normalise/counting-rule.ts';
import { getReadingKey } from '#ingest/normalise/replay.ts';
import { HOUR_MS } from '#src/core/units.ts';
import type { EditTimeRange } from '#src/devices/edits/edit.ts';
import type { NewReading } from './collect.ts';

/** Bounds of a stretch of stored readings: two times (Unix ms, both inclusive), and numbers of further readings before and after them. */
export interface StretchBounds {
  /** Time of the first reading. -Infinity: the stretch begins at the start of the series. */
  readonly firstMs: number;
  /** Time of the last reading. Infinity: the stretch ends at the end of the series. */
  readonly lastMs: number;
  /** Number of further readings to load before `firstMs`. */
  readonly back: number;
  /** Number of further readings to load after `lastMs`. */
  readonly beyond: number;
  /**
   * Set if an edit excludes the readings immediately before the stretch of stored readings: start of the excluded time (Unix ms). The
   * `back` further readings are those before this time. `beyondFromMs`: end of the excluded time immediately after the stretch; the
   * `beyond` further readings start there.
   */
  readonly backFromMs?: number;
  readonly beyondFromMs?: number;
  /**
   * Set if the stored readings are only searched and not replayed. `steps`: for energy that affects the time of other tariff registers'
   * energy. `nonzero`: for the first nonzero reading.
   */
  readonly lookFor?: 'steps' | 'nonzero';
}

/**
 * Moves the further readings, which are loaded around a stretch of stored readings, beyond those that an edit excludes: an edit may exclude
 * months with millions of readings.
 */
export function skipExcludedReadings(bounds: StretchBounds, passedOver: readonly EditTimeRange[]): StretchBounds {
  const { firstMs, lastMs } = bounds;
  const before = passedOver.find(({ fromMs, toMs }) => fromMs < firstMs && firstMs <= toMs);
  const beyond = passedOver.find(({ fromMs, toMs }) => fromMs <= lastMs + 1 && lastMs + 1 < toMs);
  return {
    ...bounds,
    ...(before && { backFromMs: before.fromMs }),
    ...(beyond && { beyondFromMs: beyond.toMs }),
  };
}

/** The bounds and the series of a stretch (consecutive stored readings) that a plan needs. */
export type StretchRequest = StretchBounds & { readonly seriesId: number };

export interface Stretch extends StretchBounds {
  /**
   * The last readings before `firstMs`, in order of time. Of the excluded readings immediately before `firstMs`, only the last one is
   * included.
   */
  readonly before: readonly SeriesReadingWithVerdict[];
  /** The readings from `firstMs` on, in order of time. */
  readonly points: readonly SeriesReadingWithVerdict[];
  /** Whether the series has no readings before these. `isToEnd`: whether the series has no readings after these. */
  readonly isFromStart: boolean;
  readonly isToEnd: boolean;
}

/** If there were too few further readings, their number is multiplied by this factor. */
const GROWTH = 16;

/** Returns the bounds of a longer stretch of stored readings, with more further readings before or after it. */
export const extendStretchBounds = (bounds: StretchBounds, side: 'back' | 'beyond'): StretchBounds => ({
  ...bounds,
  [side]: bounds[side] * GROWTH,
});

/**
 * Returns the loaded stretch of stored readings that contains these times. If several do, returns the one loaded last, because it is the
 * longest.
 */
export const findStretch = (
  stretches: readonly Stretch[],
  { firstMs, lastMs, lookFor }: Pick<StretchBounds, 'firstMs' | 'lastMs' | 'lookFor'>,
): Stretch | undefined =>
  stretches.findLast((one) => one.firstMs === firstMs && one.lastMs === lastMs && one.lookFor === lookFor);

/**
 * Maximum time in ms between two changes whose stored readings are loaded together. If the changes are further apart, the readings between
 * them are not loaded.
 */
export const MAX_STRETCH_GAP_MS = 6 * HOUR_MS;

/**
 * Changes that new readings make to a stretch of stored readings. Duplicates, and the higher of two values for one time, change nothing.
 */
export interface StretchMerge {
  after: readonly SeriesReading[];
  inserted: NewReading[];
  lowered: NewReading[];
  /** New readings that are rejected because a lower value is stored for their time. */
  conflicts: NewReading[];
  /** Stored readings for whose time a higher value has arrived. They do not change. */
  lowerKept: SeriesReading[];
  duplicates: number;
  /** Time of the last changed reading; -Infinity if no reading changed. */
  lastChangeMs: number;
}

/** Adds new readings to a stretch of stored readings of the same series. Pure. */
export function mergeIntoStretch(stored: readonly SeriesReading[], points: readonly NewReading[]): StretchMerge {
  const result: StretchMerge = {
    after: stored,
    inserted: [],
    lowered: [],
    conflicts: [],
    lowerKept: [],
    duplicates: 0,
    lastChangeMs: Number.NEGATIVE_INFINITY,
  };
  // A recomputation may have millions of stored readings and no new ones.
  if (points.length === 0) return result;
  const byKey = new Map(stored.map((point) => [getReadingKey(point), point]));
  for (const point of points) {
    const known = byKey.get(getReadingKey(point));
    if (point.isLowerKept || (known && known.value !== point.value)) result.lowerKept.push(point);
    if (known && known.value === point.value) {
      result.duplicates++;
      continue;
    }
    if (known && known.value < point.value) {
      result.conflicts.push(point);
      continue;
    }
    (known ? result.lowered : result.inserted).push(point);
    byKey.set(getReadingKey(point), point);
    result.lastChangeMs = Math.max(result.lastChangeMs, point.readAtMs);
  }
  result.after = [...byKey.values()].sort(compareSeriesReadings);
  return result;
}
