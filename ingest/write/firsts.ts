import { READ_BY_HAND } from '#src/devices/edits/edit.ts';
import type { NewPoint } from './collect.ts';
import { merge } from './merge.ts';
import type { StandingSeries } from './standing.ts';
import type { Stretch, StretchBounds } from './stretch.ts';

/** Since when a series is there, and since when it tells more than 0: what its circuit counts by depends on both (normalise/channels.ts). */
export type Firsts = Pick<StandingSeries, 'firstReadAtMs' | 'nonzeroAtMs'>;

/** Readings beyond that are looked at first, and how many times as many where they are all 0. */
const FIRST_LOOK = 16;
const FURTHER = 16;

/** Whether points may change the firsts of a stored series. */
export const mayChangeFirsts = (series: StandingSeries, points: readonly NewPoint[]): boolean =>
  (points[0]?.readAtMs ?? Number.POSITIVE_INFINITY) < (series.firstReadAtMs ?? Number.NEGATIVE_INFINITY) ||
  nonzeroChanges(series, points).length > 0;

/** The points that may be the first of a register that is not 0, or in the place of it. */
function nonzeroChanges({ kind, nonzeroAtMs }: StandingSeries, points: readonly NewPoint[]): readonly NewPoint[] {
  if (kind !== 'register' || nonzeroAtMs === undefined) return [];
  const sinceMs = nonzeroAtMs ?? Number.POSITIVE_INFINITY;
  // They are in order: mostly the first tells.
  if ((points[0]?.readAtMs ?? Number.POSITIVE_INFINITY) > sinceMs) return [];
  return points.filter(({ readAtMs, value }) => (value === 0 ? readAtMs === sinceMs : readAtMs < sinceMs));
}

/**
 * The firsts of a series once these points are stored, in order of time, none of them refused. Of two values of one time the lower stays, so what is stored of
 * the time must mostly be known: answers the stretch that is wanted, where it is not among those given.
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
  // What was read by hand changes what counts of a register, not what the device sends.
  const nonzero = merge(stretch.points, within).after.find(
    ({ intervalMs, value }) => intervalMs !== READ_BY_HAND && value !== 0,
  );
  if (nonzero || stretch.isToEnd) return { ...firsts, nonzeroAtMs: nonzero?.readAtMs ?? null };
  return { wanted: { ...bounds, back: 0, beyond: stretch.beyond * FURTHER, lookFor: 'nonzero' } };
}
