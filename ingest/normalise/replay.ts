import { isDeepStrictEqual } from 'node:util';
import type { EnergyInterval, Findings, JudgedPoint, Law, Point } from './law.ts';

/** What a law made of a run of points. */
export interface Replay {
  intervals: EnergyInterval[];
  /** By `pointKey`; a point without an entry was plainly counted. */
  verdicts: Map<string, JudgedPoint>;
  state: unknown;
  /** Time back to which energy was taken back; Infinity: none was. Before the replay's start it was not there to be taken. */
  backToMs: number;
}

/** Identity of a point within its series. */
export const pointKey = (point: Point): string => `${point.readAtMs}/${point.intervalMs}`;

/** A replay under way: what came of it so far, and the step that takes the next point. */
function begin(law: Law<unknown>, from: unknown): { result: Replay; take: (point: Point) => void } {
  const result: Replay = { intervals: [], verdicts: new Map(), state: from, backToMs: Number.POSITIVE_INFINITY };
  const points: Point[] = [];
  const findings: Findings = {
    interval(interval) {
      result.intervals.push(interval);
    },
    verdict({ readAtMs, intervalMs, value }, verdict) {
      const judged = { readAtMs, intervalMs, value, verdict };
      result.verdicts.set(pointKey(judged), judged);
    },
    takeBack(sinceMs, untilMs, verdict) {
      result.backToMs = Math.min(result.backToMs, sinceMs);
      while ((result.intervals.at(-1)?.startMs ?? Number.NEGATIVE_INFINITY) >= sinceMs) result.intervals.pop();
      for (const point of points.slice(points.findLastIndex(({ readAtMs }) => readAtMs <= sinceMs) + 1)) {
        if (point.readAtMs >= untilMs) break;
        const known = result.verdicts.get(pointKey(point))?.verdict;
        if (known !== 'glitch' && known !== 'passed') findings.verdict(point, verdict);
      }
    },
  };
  return {
    result,
    take(point) {
      points.push(point);
      result.state = law.step(result.state, point, findings);
    },
  };
}

/** Runs the law over ordered points, from a state. */
export function replay(law: Law<unknown>, from: unknown, points: readonly Point[]): Replay {
  const { result, take } = begin(law, from);
  for (const point of points) take(point);
  return result;
}

/** What is stored of a stretch of a series: the energy that was counted, and what readings were taken for. */
export type Stored = Pick<Replay, 'intervals' | 'verdicts'>;

/** What was counted of stored readings, which follow on a state. */
export function recall(law: Law<unknown>, from: unknown, judged: readonly JudgedPoint[]): Stored {
  const verdicts = new Map<string, JudgedPoint>();
  for (const point of judged) if (point.verdict !== null) verdicts.set(pointKey(point), point);
  return { intervals: law.counted?.(from, judged) ?? replay(law, from, judged).intervals, verdicts };
}

/** A stretch of a series before and after a change of its set of readings. */
export interface Comparison {
  before: Stored;
  after: Replay;
  /** Whether the two came to the same state beyond the change; what follows is then the same in both. */
  met: boolean;
  /** Time up to which they were replayed. */
  endMs: number;
}

/**
 * Replays `before` and `after` (two versions of one stretch, equal beyond `lastChangeMs`) from the same state, side by side,
 * until they are equal after a reading that is plainly counted, now and as all that is stored says, or the points end. (After
 * another one what comes later may still take back what was counted before it.) `before`: as it is stored and judged.
 */
export function compare(
  law: Law<unknown>,
  from: unknown,
  points: { before: readonly JudgedPoint[]; after: readonly Point[] },
  lastChangeMs: number,
): Comparison {
  const beyondChange = points.before.filter(({ readAtMs }) => readAtMs > lastChangeMs);
  const [before, after] = [begin(law, from), begin(law, from)];
  const changed = points.before.length - beyondChange.length;
  for (const point of points.before.slice(0, changed)) before.take(point);
  for (const point of points.after.slice(0, points.after.length - beyondChange.length)) after.take(point);
  const upTo = (count: number, met: boolean, endMs: number): Comparison => ({
    before: recall(law, from, points.before.slice(0, changed + count)),
    after: after.result,
    met,
    endMs,
  });
  for (const [index, point] of beyondChange.entries()) {
    before.take(point);
    after.take(point);
    const isPlain = point.verdict === null && !after.result.verdicts.has(pointKey(point));
    if (isPlain && isDeepStrictEqual(before.result.state, after.result.state))
      return upTo(index + 1, true, point.readAtMs);
  }
  return upTo(beyondChange.length, false, beyondChange.at(-1)?.readAtMs ?? lastChangeMs);
}
