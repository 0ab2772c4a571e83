import type { EnergyInterval, Law, Point, Verdict } from './law.ts';

/** What a law made of a run of points. */
export interface Replay {
  intervals: EnergyInterval[];
  /** By `pointKey`; a point without an entry was plainly counted. */
  verdicts: Map<string, { point: Point; verdict: Verdict }>;
  state: unknown;
}

/** Identity of a point within its series. */
export const pointKey = (point: Point): string => `${point.readAtMs}/${point.intervalMs}`;

/**
 * Runs the law over ordered points. `onClean` is called after each clean point with its index; where it answers true
 * the run ends there.
 */
export function replay(
  law: Law<unknown>,
  from: unknown,
  points: readonly Point[],
  onClean?: (index: number) => boolean,
): Replay {
  const result: Replay = { intervals: [], verdicts: new Map(), state: from };
  const findings = {
    interval(startMs: number, endMs: number, importMwh: number, exportMwh: number, estimated: boolean) {
      result.intervals.push({ startMs, endMs, importMwh, exportMwh, estimated });
    },
    verdict(point: Point, verdict: Verdict) {
      result.verdicts.set(pointKey(point), { point, verdict });
    },
  };
  for (let index = 0; index < points.length; index++) {
    const { state, clean } = law.step(result.state, points[index] as Point, findings);
    result.state = state;
    if (clean && onClean?.(index)) break;
  }
  return result;
}

/** Keys of the points after which the law's state depends on that point alone. */
function cleanKeys(law: Law<unknown>, from: unknown, points: readonly Point[]): Set<string> {
  const keys = new Set<string>();
  replay(law, from, points, (index) => {
    keys.add(pointKey(points[index] as Point));
    return false;
  });
  return keys;
}

/** Replaying a stretch of a series before and after a change of its set of readings. */
export interface Comparison {
  before: Replay;
  after: Replay;
  /** Whether the two runs met again before the end of the points; what follows is then the same in both. */
  met: boolean;
}

/**
 * Replays `before` and `after` (two versions of one stretch, equal beyond `lastChangeMs`) from the same state. Both
 * end at the first point beyond the change after which both depend on that point alone.
 */
export function compare(
  laws: { before: Law<unknown> | null; after: Law<unknown> | null },
  restart: Point | null,
  points: { before: readonly Point[]; after: readonly Point[] },
  lastChangeMs: number,
): Comparison {
  const start = (law: Law<unknown>) => (restart ? law.restart(restart) : law.initial);
  const empty: Replay = { intervals: [], verdicts: new Map(), state: null };
  let met = false;
  let meetingKey: string | undefined;
  let after = empty;
  if (laws.after) {
    const cleanBefore = laws.before ? cleanKeys(laws.before, start(laws.before), points.before) : new Set<string>();
    after = replay(laws.after, start(laws.after), points.after, (index) => {
      const point = points.after[index] as Point;
      met = point.readAtMs > lastChangeMs && cleanBefore.has(pointKey(point));
      if (met) meetingKey = pointKey(point);
      return met;
    });
  }
  const before = laws.before
    ? replay(
        laws.before,
        start(laws.before),
        points.before,
        (index) => pointKey(points.before[index] as Point) === meetingKey,
      )
    : empty;
  return { before, after, met };
}
