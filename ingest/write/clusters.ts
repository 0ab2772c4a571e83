import type { NewPoint } from './collect.ts';

/** Points further apart than this are worked in one after the other, so that what lies between is not read. */
const APART_MS = 6 * 3_600_000;

/** Cuts ordered points into runs that lie close together; points up to and points after `tailMs` never share a run. */
export function clusters(points: readonly NewPoint[], tailMs: number | null): NewPoint[][] {
  const runs: NewPoint[][] = [];
  let previous: NewPoint | undefined;
  for (const point of points) {
    const crossesTail = tailMs !== null && previous && previous.readAtMs <= tailMs && point.readAtMs > tailMs;
    const late = tailMs !== null && point.readAtMs <= tailMs;
    const apart = late && previous && point.readAtMs - previous.readAtMs > APART_MS;
    if (!previous || crossesTail || apart) runs.push([point]);
    else (runs.at(-1) as NewPoint[]).push(point);
    previous = point;
  }
  return runs;
}
