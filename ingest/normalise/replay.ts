import { isDeepStrictEqual } from 'node:util';
import type { IsExcluded } from './edits.ts';
import type { EnergyInterval, Findings, JudgedPoint, Law, Point, Verdict } from './law.ts';

/** What a law made of a run of points. */
export interface Replay {
  intervals: EnergyInterval[];
  /** By `pointKey`; a point without an entry was plainly counted. */
  readonly verdicts: ReadonlyMap<string, JudgedPoint>;
  state: unknown;
  /** Time back to which energy was taken back; Infinity: none was. Before the replay's start it was not there to be taken. */
  backToMs: number;
}

/** Identity of a point within its series. */
export const pointKey = (point: Point): string => `${point.readAtMs}/${point.intervalMs}`;

/** Every point was plainly counted: nearly always. */
export const NO_VERDICTS: ReadonlyMap<string, JudgedPoint> = new Map();

/** A replay under way: what came of it so far, and the step that takes the next point. */
class Run implements Replay, Findings {
  readonly intervals: EnergyInterval[] = [];
  state: unknown;
  backToMs = Number.POSITIVE_INFINITY;
  readonly #law: Law<unknown>;
  readonly #points: Point[] = [];
  readonly #isExcluded: IsExcluded | undefined;
  #verdicts: Map<string, JudgedPoint> | null = null;

  constructor(law: Law<unknown>, from: unknown, isExcluded?: IsExcluded) {
    this.#law = law;
    this.#isExcluded = isExcluded;
    this.state = from;
  }

  get verdicts(): ReadonlyMap<string, JudgedPoint> {
    return this.#verdicts ?? NO_VERDICTS;
  }

  take(point: Point): void {
    if (this.#isExcluded?.(point)) {
      this.verdict(point, 'excluded');
      return;
    }
    this.#points.push(point);
    this.state = this.#law.step(this.state, point, this);
  }

  interval(interval: EnergyInterval): void {
    this.intervals.push(interval);
  }

  verdict({ readAtMs, intervalMs, value }: Point, verdict: Verdict): void {
    const judged = { readAtMs, intervalMs, value, verdict };
    this.#verdicts ??= new Map();
    this.#verdicts.set(pointKey(judged), judged);
  }

  takeBack(sinceMs: number, untilMs: number, verdict: Verdict): void {
    this.backToMs = Math.min(this.backToMs, sinceMs);
    while ((this.intervals.at(-1)?.startMs ?? Number.NEGATIVE_INFINITY) >= sinceMs) this.intervals.pop();
    for (const point of this.#points.slice(this.#points.findLastIndex(({ readAtMs }) => readAtMs <= sinceMs) + 1)) {
      if (point.readAtMs >= untilMs) break;
      const known = this.verdicts.get(pointKey(point))?.verdict;
      if (known !== 'glitch' && known !== 'passed') this.verdict(point, verdict);
    }
  }
}

/** Runs the law over ordered points, from a state. `isExcluded`: of which of them it is not told. */
export function replay(law: Law<unknown>, from: unknown, points: readonly Point[], isExcluded?: IsExcluded): Replay {
  const run = new Run(law, from, isExcluded);
  for (const point of points) run.take(point);
  return run;
}

/** What is stored of a stretch of a series: the energy that was counted, and what readings were taken for. */
export type Stored = Pick<Replay, 'intervals' | 'verdicts'>;

/** Whether the law was told of a stored reading: of those that are excluded by hand it was not. */
const isTold = ({ verdict }: JudgedPoint): boolean => verdict !== 'excluded';

/** What was counted of stored readings, which follow on a state. */
export function recall(law: Law<unknown>, from: unknown, judged: readonly JudgedPoint[]): Stored {
  const verdicts = new Map<string, JudgedPoint>();
  for (const point of judged) if (point.verdict !== null) verdicts.set(pointKey(point), point);
  const told = judged.filter(isTold);
  return { intervals: law.counted?.(from, told) ?? replay(law, from, told).intervals, verdicts };
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

/** The law that what is stored was counted by, and the one that it is to be counted by: the same, but for settings and roles up to a change. */
export interface Laws {
  readonly before: Law<unknown>;
  readonly after: Law<unknown>;
  /** Says where both stand before the change: the one by which more counts. Left out: `after`. */
  readonly longer?: Law<unknown>;
  /**
   * The latest step of the clock that one of them does not take into account, Unix ms: they go on alike once they remember no reading up to it.
   * Left out: there is none.
   */
  readonly stepAtMs?: number;
}

/**
 * Replays `before` and `after` (two versions of one stretch, equal beyond `lastChangeMs`, and so are their laws) from the same state, side by
 * side, until they are equal after a reading that is plainly counted, now and as all that is stored says, or the points end. (After
 * another one what comes later may still take back what was counted before it.) `before`: as it is stored and judged. `isExcluded`: of
 * which of those that are `after` the law is not told.
 */
export function compare(
  laws: Laws,
  from: unknown,
  points: { before: readonly JudgedPoint[]; after: readonly Point[] },
  lastChangeMs: number,
  isExcluded?: IsExcluded,
): Comparison {
  const beyondChange = points.before.filter(({ readAtMs }) => readAtMs > lastChangeMs);
  const [before, after] = [
    new Run(laws.before, from, (point) => !isTold(point as JudgedPoint)),
    new Run(laws.after, from, isExcluded),
  ];
  const changed = points.before.length - beyondChange.length;
  for (const point of points.before.slice(0, changed)) before.take(point);
  for (const point of points.after.slice(0, points.after.length - beyondChange.length)) after.take(point);
  const upTo = (count: number, met: boolean, endMs: number): Comparison => ({
    before: recall(laws.before, from, points.before.slice(0, changed + count)),
    after,
    met,
    endMs,
  });
  const { stepAtMs } = laws;
  for (const [index, point] of beyondChange.entries()) {
    before.take(point);
    after.take(point);
    const isPlain = point.verdict === null && !after.verdicts.has(pointKey(point));
    const remembersStep = stepAtMs !== undefined && (laws.after.earliestMs?.(after.state) ?? Infinity) <= stepAtMs;
    if (isPlain && !remembersStep && isDeepStrictEqual(before.state, after.state))
      return upTo(index + 1, true, point.readAtMs);
  }
  return upTo(beyondChange.length, false, beyondChange.at(-1)?.readAtMs ?? lastChangeMs);
}
