import { READ_BY_HAND } from '#src/devices/edits/edit.ts';
import type { NewPoint } from './collect.ts';
import { merge } from './merge.ts';
import type { StandingSeries } from './standing.ts';
import type { Stretch, StretchBounds } from './stretch.ts';

/** Times of the first reading of a series and of the first that is not 0. The roles in its circuit depend on both (normalise/channels.ts). */
export type Firsts = Pick<StandingSeries, 'firstReadAtMs' | 'nonzeroAtMs'>;

/** Number of later readings that are loaded first, and the factor by which it grows while all of them are 0. */
const FIRST_LOOK = 16;
const FURTHER = 16;

/** Whether points may change the first times of a stored series. */
export const mayChangeFirsts = (series: StandingSeries, points: readonly NewPoint[]): boolean =>
  (points[0]?.readAtMs ?? Number.POSITIVE_INFINITY) < (series.firstReadAtMs ?? Number.NEGATIVE_INFINITY) ||
  nonzeroChanges(series, points).length > 0;

/** The points that may become a register's first reading that is not 0, or replace it. */
function nonzeroChanges({ kind, nonzeroAtMs }: StandingSeries, points: readonly NewPoint[]): readonly NewPoint[] {
  if (kind !== 'register' || nonzeroAtMs === undefined) return [];
  const sinceMs = nonzeroAtMs ?? Number.POSITIVE_INFINITY;
  // Points are in order of time, so the first one usually decides.
  if ((points[0]?.readAtMs ?? Number.POSITIVE_INFINITY) > sinceMs) return [];
  return points.filter(({ readAtMs, value }) => (value === 0 ? readAtMs === sinceMs : readAtMs < sinceMs));
}

/**
 * The first times of a series once these points are stored. `points`: in order of time, without rejected ones. Of two values for one time the
 * lower one is stored, so the stored readings of that time must usually be loaded. Returns the stretch to load if `stretches` does not contain it.
 */
export function firstsAfter(
  series: StandingSeries,
  points: readonly NewPoint[],
  stretches: readonly Stretch[],
): Firsts | { wanted: StretchBounds } {
  const { firstReadAtMs, nonzeroAtMs, lastReadAtMs } = series;
  const [first] = points;
  if (!first || firstReadAtMs === undefined) return { firstReadAtMs, nonzeroAtMs };
  const isFirst = lastReadAtMs === null || (firstReadAtMs !== null && first.readAtMs < firstReadAtMs);
  const firsts = { firstReadAtMs: isFirst ? first.readAtMs : firstReadAtMs, nonzeroAtMs };
  const changes = nonzeroChanges(series, points);
  const [earliest, latest] = [changes[0], changes.at(-1)];
  if (!earliest || !latest) return firsts;
  const isApart =
    lastReadAtMs === null ||
    earliest.readAtMs > lastReadAtMs ||
    (isFirst && earliest.readAtMs < (firstReadAtMs as number));
  if (isApart && earliest.value !== 0) return { ...firsts, nonzeroAtMs: earliest.readAtMs };
  const bounds = { firstMs: earliest.readAtMs, lastMs: latest.readAtMs };
  const stretch = stretches.findLast(
    ({ firstMs, lastMs, lookFor }) => lookFor === 'nonzero' && firstMs === bounds.firstMs && lastMs === bounds.lastMs,
  );
  if (!stretch) return { wanted: { ...bounds, back: 0, beyond: FIRST_LOOK, lookFor: 'nonzero' } };
  const knownToMs = stretch.isToEnd
    ? Number.POSITIVE_INFINITY
    : Math.max(bounds.lastMs, stretch.points.at(-1)?.readAtMs ?? bounds.lastMs);
  const within = points.filter(({ readAtMs }) => readAtMs >= bounds.firstMs && readAtMs <= knownToMs);
  // A reading by hand changes the energy that is counted, but it is not a reading that the device sent.
  const nonzero = merge(stretch.points, within).after.find(
    ({ intervalMs, value }) => intervalMs !== READ_BY_HAND && value !== 0,
  );
  if (nonzero || stretch.isToEnd) return { ...firsts, nonzeroAtMs: nonzero?.readAtMs ?? null };
  return { wanted: { ...bounds, back: 0, beyond: stretch.beyond * FURTHER, lookFor: 'nonzero' } };
}
