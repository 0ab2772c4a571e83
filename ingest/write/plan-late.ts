import type { IsExcluded } from '#ingest/normalise/edits.ts';
import type { JudgedPoint, Law, Point, Restart } from '#ingest/normalise/law.ts';
import { type Comparison, compare, type Laws } from '#ingest/normalise/replay.ts';
import type { NewPoint } from './collect.ts';
import { addDifferences, addMerge, type SeriesPlan } from './series-plan.ts';
import { merge, type Stretch, type StretchBounds } from './stretch.ts';

/** Readings before and beyond a change that are looked at first; nearly always one of each suffices. */
const FIRST_LOOK = { back: 4, beyond: 16 };
/** So much further is looked where they do not. */
export const FURTHER = 16;
/**
 * So far is looked back for where a law stands whose state is one of an earlier edition: beyond it the first of these readings is
 * taken for the first of all. Once for each series of an installation that was updated, which may have millions.
 */
const FURTHEST_UNKNOWN = FIRST_LOOK.back * FURTHER ** 2;
/** Where nothing of the series counts, it is only asked which of the readings are known. */
const NO_LOOK = { back: 0, beyond: 0 };

/**
 * Readings that come after later ones: replays the stretch around them as it was and as it is now, and adds the difference to
 * the plan. So it does with those that take back what was counted before. `law` null: nothing of the series counts. `points`: in
 * order.
 * Answers which stretches it needs beside those that it was given; where there are any, the plan is not complete.
 */
export function planLate(
  plan: SeriesPlan,
  law: Law<unknown> | null,
  points: readonly NewPoint[],
  stretches: readonly Stretch[],
): StretchBounds[] {
  const apart = clusters(points, stretches);
  const found = apart.map((cluster) => stretchOf(cluster, stretches));
  if (found.includes(undefined)) {
    return apart.flatMap((cluster, index) =>
      found[index] ? [] : [{ ...boundsOf(cluster), ...(law ? FIRST_LOOK : NO_LOOK) }],
    );
  }
  // Up to here the clusters before have changed what readings were taken for.
  let changedToMs = Number.NEGATIVE_INFINITY;
  for (const [index, cluster] of apart.entries()) {
    const stretch = found[index] as Stretch;
    const merged = merge(stretch.points, cluster);
    addMerge(plan, merged);
    if (!law || merged.lastChangeMs === Number.NEGATIVE_INFINITY) continue;
    const [previous, next] = [apart[index - 1], apart[index + 1]];
    const nextMs = next ? boundsOf(next).firstMs : Number.POSITIVE_INFINITY;
    const { isExcluded } = plan.edits;
    const laws = { before: law, after: law };
    const comparison = replayBetween(laws, plan.series.tail, stretch, merged, { changedToMs, nextMs, isExcluded });
    if (comparison === 'reaches into the one before') return [joined(previous as NewPoint[], cluster)];
    if (comparison === 'reaches into the next') return [joined(cluster, next as NewPoint[])];
    if (comparison === 'begins further back') return [{ ...stretch, back: stretch.back * FURTHER }];
    if (comparison === 'goes on beyond') return [{ ...stretch, beyond: stretch.beyond * FURTHER }];
    const { before, after, met, endMs } = comparison;
    addDifferences(plan, before, after);
    plan.revises = true;
    const lastReadAtMs = plan.series.lastReadAtMs ?? endMs;
    const following = after.intervals.filter(({ startMs }) => startMs >= lastReadAtMs);
    if (following.length > 0) plan.following = following;
    if (!met) plan.head = { lastReadAtMs: Math.max(lastReadAtMs, endMs), tail: after.state };
    changedToMs = endMs;
  }
  return [];
}

/** The stretch of exactly these points; of several the one that was asked for last, which is the longest. */
function stretchOf(cluster: readonly NewPoint[], stretches: readonly Stretch[]): Stretch | undefined {
  const { firstMs, lastMs } = boundsOf(cluster);
  return stretches.findLast((stretch) => stretch.firstMs === firstMs && stretch.lastMs === lastMs);
}

const joined = (one: readonly NewPoint[], other: readonly NewPoint[]): StretchBounds => ({
  ...FIRST_LOOK,
  firstMs: boundsOf(one).firstMs,
  lastMs: boundsOf(other).lastMs,
});

/** The stretch to look at first for points that belong together. */
export const firstLook = (points: readonly NewPoint[]): StretchBounds => ({ ...FIRST_LOOK, ...boundsOf(points) });

export type TooShort =
  | 'begins further back'
  | 'goes on beyond'
  | 'reaches into the one before'
  | 'reaches into the next';

/** Where a law stands right before the first of these readings that was plainly counted, if nothing came before it. */
function fromFirstCounted(law: Law<unknown>, before: readonly JudgedPoint[]): Restart<unknown> | null {
  const taken = before.findIndex(({ verdict }) => verdict === null);
  return taken === -1 ? null : { taken, state: law.initial };
}

/**
 * Replays a stretch without its new readings and with them, from the last state that can be told to where the two meet again
 * or the series ends. It keeps between its neighbours: after what the one before has changed (`changedToMs`), and before the
 * new readings of the next (`nextMs`). `tail`: where the law stands now. `isExcluded`: of which readings it is no longer told.
 */
export function replayBetween(
  laws: Laws,
  tail: unknown,
  stretch: Stretch,
  { after, lastChangeMs }: { readonly after: readonly Point[]; readonly lastChangeMs: number },
  { changedToMs, nextMs, isExcluded }: { changedToMs: number; nextMs: number; isExcluded: IsExcluded | undefined },
): Comparison | TooShort {
  // Up to the change they are the same.
  const law = laws.longer ?? laws.after;
  const before = stretch.before.filter(({ readAtMs }) => readAtMs > changedToMs);
  const isCut = before.length < stretch.before.length;
  const isKnown = tail !== null && law.knows(tail);
  const upToNext = stretch.points.filter(({ readAtMs }) => readAtMs < nextMs);
  const afterUpToNext = after.filter(({ readAtMs }) => readAtMs < nextMs);
  // What is taken back must have been counted in the replay: it begins before that.
  let backToMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const start =
      law.restart(
        before.filter(({ readAtMs }) => readAtMs <= backToMs),
        isKnown ? tail : undefined,
      ) ??
      (stretch.isFromStart && !isCut ? { taken: 0, state: law.initial } : null) ??
      (!isKnown && !isCut && stretch.back >= FURTHEST_UNKNOWN ? fromFirstCounted(law, before) : null);
    if (!start) return isCut ? 'reaches into the one before' : 'begins further back';
    const since = before.slice(start.taken);
    const points = { before: [...since, ...upToNext], after: [...since, ...afterUpToNext] };
    const comparison = compare(laws, start.state, points, lastChangeMs, isExcluded);
    backToMs = comparison.after.backToMs;
    const startMs = before[start.taken - 1]?.readAtMs ?? Number.NEGATIVE_INFINITY;
    if (backToMs < startMs) continue;
    if (comparison.met) return comparison;
    // What is passed over beyond it was not loaded: the next may lie in it, or past it.
    const mayReachNext = stretch.beyondFromMs !== undefined && nextMs < Number.POSITIVE_INFINITY;
    if (upToNext.length < stretch.points.length || mayReachNext) return 'reaches into the next';
    return stretch.isToEnd ? comparison : 'goes on beyond';
  }
}

/** Points further apart than this are worked in by themselves, so that what lies between is not read. */
const APART_MS = 6 * 3_600_000;

/** First and last time of a cluster of points. */
const boundsOf = (cluster: readonly NewPoint[]): { firstMs: number; lastMs: number } => ({
  firstMs: (cluster[0] as NewPoint).readAtMs,
  lastMs: (cluster.at(-1) as NewPoint).readAtMs,
});

/**
 * Cuts ordered points into clusters that lie close together. Those that one of the stretches covers are one: they were found
 * to reach into each other.
 */
function clusters(points: readonly NewPoint[], stretches: readonly StretchBounds[]): NewPoint[][] {
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
