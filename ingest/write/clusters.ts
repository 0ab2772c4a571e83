import type { NewPoint } from './collect.ts';
import type { StretchBounds } from './stretch.ts';

/** Points further apart than this are worked in by themselves, so that what lies between is not read. */
const APART_MS = 6 * 3_600_000;

/** First and last time of a cluster of points. */
export const boundsOf = (cluster: readonly NewPoint[]): { firstMs: number; lastMs: number } => ({
  firstMs: (cluster[0] as NewPoint).readAtMs,
  lastMs: (cluster.at(-1) as NewPoint).readAtMs,
});

/**
 * Cuts ordered points into clusters that lie close together. Those that one of the stretches covers are one: they were found
 * to reach into each other.
 */
export function clusters(points: readonly NewPoint[], stretches: readonly StretchBounds[]): NewPoint[][] {
  const found: NewPoint[][] = [];
  for (const point of points) {
    const last = found.at(-1);
    if (last && belongTogether(last, point, stretches)) last.push(point);
    else found.push([point]);
  }
  return found;
}

function belongTogether(cluster: readonly NewPoint[], next: NewPoint, stretches: readonly StretchBounds[]): boolean {
  const { firstMs, lastMs } = boundsOf(cluster);
  if (next.readAtMs - lastMs <= APART_MS) return true;
  return stretches.some((stretch) => stretch.firstMs <= firstMs && next.readAtMs <= stretch.lastMs);
}
