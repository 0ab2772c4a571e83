import { comparePoints, type Point } from '#ingest/normalise/law.ts';
import { pointKey } from '#ingest/normalise/replay.ts';
import type { NewPoint } from './collect.ts';

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
