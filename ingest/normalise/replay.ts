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

export interface ReplayResult {
  intervals: EnergyInterval[];
  /** Verdicts by `getReadingKey`. Readings without an entry were counted normally. */
  readonly verdicts: ReadonlyMap<string, SeriesReadingWithVerdict>;
  state: unknown;
  /** Earliest time after which energy was taken back, Unix ms; Infinity if none was. The time may be before the start of the replay. */
  backToMs: number;
}

/** Returns a key that identifies a reading within its series. */
export const getReadingKey = (point: SeriesReading): string => `${point.readAtMs}/${point.intervalMs}`;

/** An empty map of verdicts. It is shared by the many replays in which all readings were counted normally. */
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

/** Converts readings, which are in order of time, into energy, starting from a state. `isExcluded`: whether an edit excludes a reading. */
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

export type StoredCountingResult = Pick<ReplayResult, 'intervals' | 'verdicts'>;

/** Whether the reading was processed. Readings that an edit excludes are not. */
const isReceived = ({ verdict }: SeriesReadingWithVerdict): boolean => verdict !== 'excluded';

/** Returns the intervals and verdicts that are stored for consecutive readings, starting from a state. */
export function reconstructStoredCountingResult(
  rule: CountingRule<unknown>,
  from: unknown,
  judged: readonly SeriesReadingWithVerdict[],
): StoredCountingResult {
  const verdicts = new Map<string, SeriesReadingWithVerdict>();
  for (const point of judged) if (point.verdict !== null) verdicts.set(getReadingKey(point), point);
  const received = judged.filter(isReceived);
  return { intervals: rule.counted?.(from, received) ?? replayReadings(rule, from, received).intervals, verdicts };
}

/**
 * Results for consecutive readings of a series, before and after a change of the readings, the settings, or the totals to which the series
 * contributes.
 */
export interface ReplayComparison {
  before: StoredCountingResult;
  after: ReplayResult;
  /** Whether both replays reached the same state. If so, all later results are equal. */
  met: boolean;
  endMs: number;
}

/**
 * The counting rules before and after a change of settings or roles. The time range of the change ends at or before `lastChangeMs`
 * (`compareReplays`).
 */
export interface CountingRuleChange {
  readonly before: CountingRule<unknown>;
  readonly after: CountingRule<unknown>;
  /**
   * The rule (`before` or `after`) by which the series contributes to the totals until a later time. Both replays start from a state of
   * this rule. Default: `after`.
   */
  readonly longer?: CountingRule<unknown>;
  /**
   * Time of the latest clock step that only one of the two rules considers, Unix ms. The rules can give the same results only after their
   * states contain no reading up to this time.
   */
  readonly stepAtMs?: number;
}

/**
 * Replays two versions of the same readings, before and after a change, from the same state. Stops when both replays reach the same state,
 * or when the readings end. `isExcluded`: whether an edit excludes a reading of `after`.
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
    before: reconstructStoredCountingResult(rules.before, from, points.before.slice(0, changed + count)),
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
