import type {
  CountingRestart,
  CountingRule,
  SeriesReading,
  SeriesReadingWithVerdict,
} from '#ingest/normalise/counting-rule.ts';
import type { ReadingExclusionPredicate } from '#ingest/normalise/edits.ts';
import { type CountingRuleChange, compareReplays, type ReplayComparison } from '#ingest/normalise/replay.ts';
import type { NewReading } from './collect.ts';
import { addMergedReadingsToPlan, addReplayDifferencesToPlan, type SeriesWritePlan } from './series-plan.ts';
import {
  extendReadingStretchBounds,
  findReadingStretch,
  MAX_READING_STRETCH_GAP_MS,
  mergeIntoStoredReadings,
  type ReadingStretch,
  type ReadingStretchBounds,
} from './stretch.ts';

/** Numbers of stored readings that are loaded at first before and after a late reading. */
const FIRST_LOOK = { back: 4, beyond: 16 };
/**
 * Maximum number of earlier readings to load if an earlier version of the service has written the stored state. If no state can be derived
 * from these readings, the series is treated as if it began with the first of these readings that has no verdict (such as `glitch`).
 */
const FURTHEST_UNKNOWN = 1_024;
/**
 * A series that contributes to no total is not replayed. Only stored readings with the times of the late readings are loaded, to find
 * duplicates.
 */
const NO_LOOK = { back: 0, beyond: 0 };

/**
 * Determines the changes by readings that arrive after a later reading of their series. For this, replays the stored readings around them
 * twice, without and with the new readings, and stores the difference. `rule`: null if the series contributes to no total. `points`: in
 * order of time. If stored readings are missing, returns the ranges to load first.
 */
export function planLateReadings(
  plan: SeriesWritePlan,
  rule: CountingRule<unknown> | null,
  points: readonly NewReading[],
  stretches: readonly ReadingStretch[],
): ReadingStretchBounds[] {
  const apart = clusters(points, stretches);
  const found = apart.map((cluster) => findReadingStretch(stretches, boundsOf(cluster)));
  if (found.includes(undefined)) {
    return apart.flatMap((cluster, index) =>
      found[index] ? [] : [{ ...boundsOf(cluster), ...(rule ? FIRST_LOOK : NO_LOOK) }],
    );
  }
  let changedToMs = Number.NEGATIVE_INFINITY;
  for (const [index, cluster] of apart.entries()) {
    const stretch = found[index] as ReadingStretch;
    const merged = mergeIntoStoredReadings(stretch.points, cluster);
    addMergedReadingsToPlan(plan, merged);
    if (!rule || merged.lastChangeMs === Number.NEGATIVE_INFINITY) continue;
    const [previous, next] = [apart[index - 1], apart[index + 1]];
    const nextMs = next ? boundsOf(next).firstMs : Number.POSITIVE_INFINITY;
    const { isExcluded } = plan.edits;
    const rules = { before: rule, after: rule };
    const comparison = replayWithNewReadings(rules, plan.series.tail, stretch, merged, {
      changedToMs,
      nextMs,
      isExcluded,
    });
    if (comparison === 'reaches into the one before') return [joined(previous as NewReading[], cluster)];
    if (comparison === 'reaches into the next') return [joined(cluster, next as NewReading[])];
    if (comparison === 'begins further back') return [extendReadingStretchBounds(stretch, 'back')];
    if (comparison === 'goes on beyond') return [extendReadingStretchBounds(stretch, 'beyond')];
    const { before, after, met, endMs } = comparison;
    addReplayDifferencesToPlan(plan, before, after);
    plan.revises = true;
    const lastReadAtMs = plan.series.lastReadAtMs ?? endMs;
    const following = after.intervals.filter(({ startMs }) => startMs >= lastReadAtMs);
    if (following.length > 0) plan.following = following;
    if (!met) plan.head = { lastReadAtMs: Math.max(lastReadAtMs, endMs), tail: after.state };
    changedToMs = endMs;
  }
  return [];
}

const joined = (one: readonly NewReading[], other: readonly NewReading[]): ReadingStretchBounds => ({
  ...FIRST_LOOK,
  firstMs: boundsOf(one).firstMs,
  lastMs: boundsOf(other).lastMs,
});

/** Returns the range of stored readings to load first for neighbouring late readings. */
export const computeFirstReadingStretchBounds = (points: readonly NewReading[]): ReadingStretchBounds => ({
  ...FIRST_LOOK,
  ...boundsOf(points),
});

type LongerStretchRequest =
  | 'begins further back'
  | 'goes on beyond'
  | 'reaches into the one before'
  | 'reaches into the next';

/** Returns the state before the first reading without a verdict (such as `glitch`), as if the series began with this reading. */
function fromFirstCounted(
  rule: CountingRule<unknown>,
  before: readonly SeriesReadingWithVerdict[],
): CountingRestart<unknown> | null {
  const taken = before.findIndex(({ verdict }) => verdict === null);
  return taken === -1 ? null : { taken, state: rule.initial };
}

/**
 * Replays stored readings without and with the new readings from the last known state, until both replays reach the same state. If readings
 * are missing, returns which to load. `changedToMs`: end of the changes by the previous group of late readings. `nextMs`: start of the next
 * group. `tail`: stored state after the last reading. `isExcluded`: whether an edit excludes a reading.
 */
export function replayWithNewReadings(
  rules: CountingRuleChange,
  tail: unknown,
  stretch: ReadingStretch,
  { after, lastChangeMs }: { readonly after: readonly SeriesReading[]; readonly lastChangeMs: number },
  {
    changedToMs,
    nextMs,
    isExcluded,
  }: { changedToMs: number; nextMs: number; isExcluded: ReadingExclusionPredicate | undefined },
): ReplayComparison | LongerStretchRequest {
  // Until the first changed reading, all of `rules` give the same results.
  const rule = rules.longer ?? rules.after;
  const before = stretch.before.filter(({ readAtMs }) => readAtMs > changedToMs);
  const isCut = before.length < stretch.before.length;
  const isKnown = tail !== null && rule.knows(tail);
  const upToNext = stretch.points.filter(({ readAtMs }) => readAtMs < nextMs);
  const afterUpToNext = after.filter(({ readAtMs }) => readAtMs < nextMs);
  // If a new reading takes back earlier energy (for example, of a glitch), the replay must start before this energy.
  let backToMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const start =
      rule.restart(
        before.filter(({ readAtMs }) => readAtMs <= backToMs),
        isKnown ? tail : undefined,
      ) ??
      (stretch.isFromStart && !isCut ? { taken: 0, state: rule.initial } : null) ??
      (!isKnown && !isCut && stretch.back >= FURTHEST_UNKNOWN ? fromFirstCounted(rule, before) : null);
    if (!start) return isCut ? 'reaches into the one before' : 'begins further back';
    const since = before.slice(start.taken);
    const points = { before: [...since, ...upToNext], after: [...since, ...afterUpToNext] };
    const comparison = compareReplays(rules, start.state, points, lastChangeMs, isExcluded);
    backToMs = comparison.after.backToMs;
    const startMs = before[start.taken - 1]?.readAtMs ?? Number.NEGATIVE_INFINITY;
    if (backToMs < startMs) continue;
    if (comparison.met) return comparison;
    // Readings that an edit excludes are skipped and not loaded. The next group of late readings may be in the skipped time.
    const mayReachNext = stretch.beyondFromMs !== undefined && nextMs < Number.POSITIVE_INFINITY;
    if (upToNext.length < stretch.points.length || mayReachNext) return 'reaches into the next';
    return stretch.isToEnd ? comparison : 'goes on beyond';
  }
}

const boundsOf = (cluster: readonly NewReading[]): { firstMs: number; lastMs: number } => ({
  firstMs: (cluster[0] as NewReading).readAtMs,
  lastMs: (cluster.at(-1) as NewReading).readAtMs,
});

/**
 * Groups late readings that are close to each other, or whose stored readings were loaded together because an earlier call has found that
 * they affect each other.
 */
function clusters(points: readonly NewReading[], stretches: readonly ReadingStretchBounds[]): NewReading[][] {
  const found: NewReading[][] = [];
  for (const point of points) {
    const last = found.at(-1);
    if (last && belongTogether(last, point, stretches)) last.push(point);
    else found.push([point]);
  }
  return found;
}

function belongTogether(
  cluster: readonly NewReading[],
  next: NewReading,
  stretches: readonly ReadingStretchBounds[],
): boolean {
  const { firstMs, lastMs } = boundsOf(cluster);
  if (next.readAtMs - lastMs <= MAX_READING_STRETCH_GAP_MS) return true;
  return stretches.some((stretch) => stretch.firstMs <= firstMs && next.readAtMs <= stretch.lastMs);
}
