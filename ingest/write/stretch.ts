import { comparePoints, type JudgedPoint, type Point } from '#ingest/normalise/law.ts';
import { pointKey } from '#ingest/normalise/replay.ts';
import type { EditedTime } from '#src/devices/edits/edit.ts';
import type { NewPoint } from './collect.ts';

/** Bounds of a stretch: the readings from one time to another (Unix ms, both inclusive), and so many around them. */
export interface StretchBounds {
  /** -Infinity: from the first reading. */
  readonly firstMs: number;
  /** Infinity: to the last one. */
  readonly lastMs: number;
  /** Readings before `firstMs`. */
  readonly back: number;
  /** Readings beyond `lastMs`. */
  readonly beyond: number;
  /** Those before and beyond are before and from these times (Unix ms), where all that lies between is passed over by hand. */
  readonly backFromMs?: number;
  readonly beyondFromMs?: number;
  /** Steps of a tariff that others depend on, or the first reading that is not 0: it is looked at alone, and nothing of it is replayed. */
  readonly lookFor?: 'steps' | 'nonzero';
}

/** The stretch without what is passed over right before it, and right beyond it: of months of readings there may be millions. */
export function withoutPassedOver(bounds: StretchBounds, passedOver: readonly EditedTime[]): StretchBounds {
  const { firstMs, lastMs } = bounds;
  const before = passedOver.find(({ fromMs, toMs }) => fromMs < firstMs && firstMs <= toMs);
  const beyond = passedOver.find(({ fromMs, toMs }) => fromMs <= lastMs + 1 && lastMs + 1 < toMs);
  return {
    ...bounds,
    ...(before && { backFromMs: before.fromMs }),
    ...(beyond && { beyondFromMs: beyond.toMs }),
  };
}

/** A stretch of a stored series that a plan needs. */
export type WantedStretch = StretchBounds & { readonly seriesId: number };

/** A stretch of a stored series. */
export interface Stretch extends StretchBounds {
  /** The last readings before `firstMs`, in order; of those that are passed over right before it the last alone. */
  readonly before: readonly JudgedPoint[];
  /** The readings from `firstMs` on, in order. */
  readonly points: readonly JudgedPoint[];
  /** Whether nothing is stored before these readings, or beyond them. */
  readonly isFromStart: boolean;
  readonly isToEnd: boolean;
}

/** What a set of new points changes in a stored stretch; duplicates and the higher of two values change nothing. */
export interface Merge {
  after: readonly Point[];
  inserted: NewPoint[];
  lowered: NewPoint[];
  /** Losers against the stored value. */
  conflicts: NewPoint[];
  duplicates: number;
  /** Time of the last point that changed, -Infinity where nothing did. */
  lastChangeMs: number;
}

/** Adds new points to a stored stretch of the same series. Pure. */
export function merge(stored: readonly Point[], points: readonly NewPoint[]): Merge {
  const result: Merge = {
    after: stored,
    inserted: [],
    lowered: [],
    conflicts: [],
    duplicates: 0,
    lastChangeMs: Number.NEGATIVE_INFINITY,
  };
  // Where a device is computed anew there may be millions, and nothing new.
  if (points.length === 0) return result;
  const byKey = new Map(stored.map((point) => [pointKey(point), point]));
  for (const point of points) {
    const known = byKey.get(pointKey(point));
    if (known && known.value === point.value) {
      result.duplicates++;
      continue;
    }
    if (known && known.value < point.value) {
      result.conflicts.push(point);
      continue;
    }
    (known ? result.lowered : result.inserted).push(point);
    byKey.set(pointKey(point), point);
    result.lastChangeMs = Math.max(result.lastChangeMs, point.readAtMs);
  }
  result.after = [...byKey.values()].sort(comparePoints);
  return result;
}
