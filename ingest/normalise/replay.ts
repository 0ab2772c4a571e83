import { isDeepStrictEqual } from 'node:util';
import type {
  CountingResultReceiver,
  CountingRule,
  CountingVerdict,
  EnergyInterval,
  SeriesReading,
  SeriesReadingWithVerdict,
} from './counting-rule.ts';
import type { ReadingExclusionPredicate } from './edits.ts';

/** Result of running a counting rule over consecutive readings. */
export interface ReplayResult {
  intervals: EnergyInterval[];
  /** Verdicts by `getReadingKey`. A reading without an entry was counted normally. */
  readonly verdicts: ReadonlyMap<string, SeriesReadingWithVerdict>;
  state: unknown;
  /**
   * Earliest time after which the counting rule reverted energy, Unix ms; Infinity if it reverted none. This time may be before the start
   * of the replay.
   */
  backToMs: number;
}

/** Returns a key that identifies a reading within its series. */
export const getReadingKey = (point: SeriesReading): string => `${point.readAtMs}/${point.intervalMs}`;

/** A shared empty map. In many replays, no reading has a verdict, because all were counted normally. */
export const EMPTY_VERDICTS: ReadonlyMap<string, SeriesReadingWithVerdict> = new Map();

class Run implements ReplayResult, CountingResultReceiver {
  readonly intervals: EnergyInterval[] = [];
  state: unknown;
  backToMs = Number.POSITIVE_INFINITY;
  readonly #rule: CountingRule<unknown>;
  readonly #points: SeriesReading[] = [];
  readonly #isExcluded: ReadingExclusionPredicate | undefined;
  #verdicts: Map<string, SeriesReadingWithVerdict> | null = null;

  constructor(rule: CountingRule<unknown>, from: unknown, isExcluded?: ReadingExclusionPredicate) {
    this.#rule = rule;
    this.#isExcluded = isExcluded;
    this.state = from;
  }

  get verdicts(): ReadonlyMap<string, SeriesReadingWithVerdict> {
    return this.#verdicts ?? EMPTY_VERDICTS;
  }

  take(point: SeriesReading): void {
    if (this.#isExcluded?.(point)) {
      this.verdict(point, 'excluded');
      return;
    }
    this.#points.push(point);
    this.state = this.#rule.step(this.state, point, this);
  }

  interval(interval: EnergyInterval): void {
    this.intervals.push(interval);
  }

  verdict({ readAtMs, intervalMs, value }: SeriesReading, verdict: CountingVerdict): void {
    const judged = { readAtMs, intervalMs, value, verdict };
    this.#verdicts ??= new Map();
    this.#verdicts.set(getReadingKey(judged), judged);
  }

  takeBack(sinceMs: number, untilMs: number, verdict: CountingVerdict): void {
    this.backToMs = Math.min(this.backToMs, sinceMs);
    while ((this.intervals.at(-1)?.startMs ?? Number.NEGATIVE_INFINITY) >= sinceMs) this.intervals.pop();
    for (const point of this.#points.slice(this.#points.findLastIndex(({ readAtMs }) => readAtMs <= sinceMs) + 1)) {
      if (point.readAtMs >= untilMs) break;
      const known = this.verdicts.get(getReadingKey(point))?.verdict;
      if (known !== 'glitch' && known !== 'passed') this.verdict(point, verdict);
    }
  }
}

/**
 * Runs the counting rule over readings in order of time, starting from a state. `isExcluded`: whether the counting rule does not receive a
 * reading.
 */
export function replayReadings(
  rule: CountingRule<unknown>,
  from: unknown,
  points: readonly SeriesReading[],
  isExcluded?: ReadingExclusionPredicate,
): ReplayResult {
  const run = new Run(rule, from, isExcluded);
  for (const point of points) run.take(point);
  return run;
}

/** The stored results for consecutive readings of a series: their counted energy and their verdicts. */
export type StoredReplayResult = Pick<ReplayResult, 'intervals' | 'verdicts'>;

/** Whether the counting rule received a stored reading. It does not receive readings that an edit excludes. */
const isReceived = ({ verdict }: SeriesReadingWithVerdict): boolean => verdict !== 'excluded';

/** Runs the counting rule over readings, starting from a state. Returns the intervals and verdicts to store. */
export function computeStoredReplayResult(
  rule: CountingRule<unknown>,
  from: unknown,
  judged: readonly SeriesReadingWithVerdict[],
): StoredReplayResult {
  const verdicts = new Map<string, SeriesReadingWithVerdict>();
  for (const point of judged) if (point.verdict !== null) verdicts.set(getReadingKey(point), point);
  const received = judged.filter(isReceived);
  return { intervals: rule.counted?.(from, received) ?? replayReadings(rule, from, received).intervals, verdicts };
}

/** Results for consecutive readings of a series, before and after readings, settings or roles changed. */
export interface ReplayComparison {
  before: StoredReplayResult;
  after: ReplayResult;
  /** Whether both replays reached the same state after the change. If so, all later results are also equal. */
  met: boolean;
  /** Unix time in ms up to which both replays ran. */
  endMs: number;
}

/**
 * The counting rules of a series before and after a change. They differ only in settings and roles that are valid at or before
 * `lastChangeMs`.
 */
export interface CountingRuleChange {
  readonly before: CountingRule<unknown>;
  readonly after: CountingRule<unknown>;
  /**
   * The counting rule with which the series contributes to the totals for longer. Both replays start in a state that this rule has
   * computed. Default: `after`.
   */
  readonly longer?: CountingRule<unknown>;
  /**
   * Time of the latest step of the clock that only one of the two counting rules considers, Unix ms. Both rules give the same results when
   * their states contain no readings up to this time. Undefined if there is no such step.
   */
  readonly stepAtMs?: number;
}

/**
 * Replays two versions of the same readings, each with its counting rule, from the same state. The versions and the rules are equal after
 * `lastChangeMs`. The replays end when the readings end, or after a reading that both versions count normally and after which both states
 * are equal. (After any other reading, a later one may still revert earlier energy.) `before`: the stored readings with verdicts.
 * `isExcluded`: whether the counting rule does not receive a reading of `after`.
 */
export function compareReplays(
  rules: CountingRuleChange,
  from: unknown,
  points: { before: readonly SeriesReadingWithVerdict[]; after: readonly SeriesReading[] },
  lastChangeMs: number,
  isExcluded?: ReadingExclusionPredicate,
): ReplayComparison {
  const beyondChange = points.before.filter(({ readAtMs }) => readAtMs > lastChangeMs);
  const [before, after] = [
    new Run(rules.before, from, (point) => !isReceived(point as SeriesReadingWithVerdict)),
    new Run(rules.after, from, isExcluded),
  ];
  const changed = points.before.length - beyondChange.length;
  for (const point of points.before.slice(0, changed)) before.take(point);
  for (const point of points.after.slice(0, points.after.length - beyondChange.length)) after.take(point);
  const upTo = (count: number, met: boolean, endMs: number): ReplayComparison => ({
    before: computeStoredReplayResult(rules.before, from, points.before.slice(0, changed + count)),
    after,
    met,
    endMs,
  });
  const { stepAtMs } = rules;
  for (const [index, point] of beyondChange.entries()) {
    before.take(point);
    after.take(point);
    const isPlain = point.verdict === null && !after.verdicts.has(getReadingKey(point));
    const holdsStep = stepAtMs !== undefined && (rules.after.earliestMs?.(after.state) ?? Infinity) <= stepAtMs;
    if (isPlain && !holdsStep && isDeepStrictEqual(before.state, after.state))
      return upTo(index + 1, true, point.readAtMs);
  }
  return upTo(beyondChange.length, false, beyondChange.at(-1)?.readAtMs ?? lastChangeMs);
}
