import {
  compareSeriesReadings,
  type SeriesReading,
  type SeriesReadingWithVerdict,
} from '#ingest/normalise/counting-rule.ts';
import { getReadingKey } from '#ingest/normalise/replay.ts';
import { HOUR_MS } from '#src/core/units.ts';
import type { EditTimeRange } from '#src/devices/edits/edit.ts';
import type { NewReading } from './collect.ts';

/** Bounds of a range of stored readings: two times (Unix ms, inclusive), and numbers of further readings on both sides. */
export interface ReadingStretchBounds {
  readonly firstMs: number;
  readonly lastMs: number;
  /** Number of further readings to load before `firstMs`. */
  readonly back: number;
  /** Number of further readings to load after `lastMs`. */
  readonly beyond: number;
  /**
   * Start (Unix ms) of the time before `firstMs` in which an edit excludes all readings. The `back` further readings are those before this
   * start. `beyondFromMs`: end of such a time after `lastMs`.
   */
  readonly backFromMs?: number;
  readonly beyondFromMs?: number;
  /** Set if the readings are searched and not replayed: for increments of a tariff register, or for the first reading that is not 0. */
  readonly lookFor?: 'steps' | 'nonzero';
}

/**
 * If an edit excludes the readings next to the range, moves the further readings to before or after the excluded ones, which may be
 * millions.
 */
export function skipExcludedReadings(
  bounds: ReadingStretchBounds,
  passedOver: readonly EditTimeRange[],
): ReadingStretchBounds {
  const { firstMs, lastMs } = bounds;
  const before = passedOver.find(({ fromMs, toMs }) => fromMs < firstMs && firstMs <= toMs);
  const beyond = passedOver.find(({ fromMs, toMs }) => fromMs <= lastMs + 1 && lastMs + 1 < toMs);
  return {
    ...bounds,
    ...(before && { backFromMs: before.fromMs }),
    ...(beyond && { beyondFromMs: beyond.toMs }),
  };
}

/** The bounds of stored readings to load, and their series. */
export type ReadingStretchRequest = ReadingStretchBounds & { readonly seriesId: number };

export interface ReadingStretch extends ReadingStretchBounds {
  /** The last readings before `firstMs`, in order of time. Of excluded readings, only the last one is included. */
  readonly before: readonly SeriesReadingWithVerdict[];
  /** The readings from `firstMs` on, in order of time. */
  readonly points: readonly SeriesReadingWithVerdict[];
  /** Whether the series has no earlier readings. `isToEnd`: whether it has no later readings. */
  readonly isFromStart: boolean;
  readonly isToEnd: boolean;
}

/** Factor by which the number of further readings grows if the loaded ones are not enough. */
const GROWTH = 16;

/** Returns larger bounds, with more further readings on one side. */
export const extendReadingStretchBounds = (
  bounds: ReadingStretchBounds,
  side: 'back' | 'beyond',
): ReadingStretchBounds => ({
  ...bounds,
  [side]: bounds[side] * GROWTH,
});

/** Returns the loaded range with these bounds. If there are several, returns the one that was loaded last. */
export const findReadingStretch = (
  stretches: readonly ReadingStretch[],
  { firstMs, lastMs, lookFor }: Pick<ReadingStretchBounds, 'firstMs' | 'lastMs' | 'lookFor'>,
): ReadingStretch | undefined =>
  stretches.findLast((one) => one.firstMs === firstMs && one.lastMs === lastMs && one.lookFor === lookFor);

/** Maximum time in ms between two changes whose stored readings are loaded together. */
export const MAX_READING_STRETCH_GAP_MS = 6 * HOUR_MS;

/** Changes that new readings make to stored readings of their series. Duplicates change nothing. */
export interface ReadingMerge {
  after: readonly SeriesReading[];
  inserted: NewReading[];
  lowered: NewReading[];
  /** New readings for whose time a lower value is stored. */
  conflicts: NewReading[];
  /** Readings for which two different values were received. Only the lower value is stored. */
  lowerKept: SeriesReading[];
  duplicates: number;
  /** Time of the last changed reading, Unix ms. -Infinity if no reading changed. */
  lastChangeMs: number;
}

/** Merges new readings into stored readings of the same series. */
export function mergeIntoStoredReadings(stored: readonly SeriesReading[], points: readonly NewReading[]): ReadingMerge {
  const result: ReadingMerge = {
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
