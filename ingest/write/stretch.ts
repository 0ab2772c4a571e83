import {
  compareSeriesReadings,
  type SeriesReading,
  type SeriesReadingWithVerdict,
} from '#ingest/normalise/counting-rule.ts';
import { getReadingKey } from '#ingest/normalise/replay.ts';
import { HOUR_MS } from '#src/core/units.ts';
import type { EditTimeRange } from '#src/devices/edits/edit.ts';
import type { NewReading } from './collect.ts';

/** Bounds of a stretch: the readings between two times (Unix ms, both inclusive), and a number of readings around them. */
export interface StretchBounds {
  /** Time of the first reading; -Infinity: from the start of the series. */
  readonly firstMs: number;
  /** Time of the last reading; Infinity: to the end of the series. */
  readonly lastMs: number;
  /** Number of further readings before `firstMs`. */
  readonly back: number;
  /** Number of further readings after `lastMs`. */
  readonly beyond: number;
  /**
   * Set if an edit excludes the readings immediately before the stretch: start of the excluded time (Unix ms); the readings of `back` lie
   * before it. `beyondFromMs`: end of the excluded time immediately after the stretch; the readings of `beyond` start there.
   */
  readonly backFromMs?: number;
  readonly beyondFromMs?: number;
  /**
   * Set for a stretch that is only searched and not replayed: for steps that determine the placement of other tariffs, or for the first
   * nonzero reading.
   */
  readonly lookFor?: 'steps' | 'nonzero';
}

/** Skips the excluded readings immediately before and after a stretch: an edit may exclude months, with millions of readings. */
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

/** Bounds of a stretch (consecutive stored readings) that a plan needs, with its series. */
export type StretchRequest = StretchBounds & { readonly seriesId: number };

export interface Stretch extends StretchBounds {
  /** The last readings before `firstMs`, in order. Of the excluded readings immediately before `firstMs`, only the last is included. */
  readonly before: readonly SeriesReadingWithVerdict[];
  /** The readings from `firstMs` on, in order. */
  readonly points: readonly SeriesReadingWithVerdict[];
  /** Whether nothing is stored before these readings. `isToEnd`: whether nothing is stored after them. */
  readonly isFromStart: boolean;
  readonly isToEnd: boolean;
}

/** Factor by which the number of further readings grows if there were too few. */
const GROWTH = 16;

/** Returns the bounds of a longer stretch, which has more readings before it or after it. */
export const extendStretchBounds = (bounds: StretchBounds, side: 'back' | 'beyond'): StretchBounds => ({
  ...bounds,
  [side]: bounds[side] * GROWTH,
});

/** Returns the loaded stretch that covers these times. Of several, returns the last one loaded, because it is the longest. */
export const findStretch = (
  stretches: readonly Stretch[],
  { firstMs, lastMs, lookFor }: Pick<StretchBounds, 'firstMs' | 'lastMs' | 'lookFor'>,
): Stretch | undefined =>
  stretches.findLast((one) => one.firstMs === firstMs && one.lastMs === lastMs && one.lookFor === lookFor);

/**
 * Maximum time between two changes that are loaded as one stretch, in ms. If the changes are further apart, the readings between the two
 * need not be loaded.
 */
export const MAX_STRETCH_GAP_MS = 6 * HOUR_MS;

/** Changes that new points make to a stored stretch. Duplicates and the higher of two values change nothing. */
export interface StretchMerge {
  after: readonly SeriesReading[];
  inserted: NewReading[];
  lowered: NewReading[];
  /** New points that are rejected because a lower value is stored for their time. */
  conflicts: NewReading[];
  /** Readings that remain stored although a higher value has arrived for their time. */
  lowerKept: SeriesReading[];
  duplicates: number;
  /** Time of the last changed point; -Infinity if nothing changed. */
  lastChangeMs: number;
}

/** Adds new points to a stored stretch of the same series. Pure. */
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
  // A recomputation may have millions of stored points and no new ones.
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
