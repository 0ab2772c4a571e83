import { comparePoints, type Law, type Point } from '#ingest/normalise/law.ts';
import { pointKey } from '#ingest/normalise/replay.ts';
import type { NewPoint } from './collect.ts';
import { merge } from './merge.ts';
import { FIRST_LOOK, FURTHER, replayBetween } from './plan-late.ts';
import { addDifferences, addMerge, type SeriesPlan } from './series-plan.ts';
import type { Stretch, StretchBounds } from './stretch.ts';

/** The readings of a stretch as they are once the edits of the series are worked in; the plan then says so. */
export function withEdits(plan: SeriesPlan, points: readonly Point[]): readonly Point[] {
  const { added, withdrawn } = plan.edits;
  if (added.length === 0 && withdrawn.length === 0) return points;
  const byKey = new Map(points.map((point) => [pointKey(point), point]));
  for (const point of withdrawn) if (byKey.delete(pointKey(point))) plan.withdrawn.push(point);
  for (const point of added) {
    if (byKey.has(pointKey(point))) continue;
    byKey.set(pointKey(point), point);
    plan.added.push(point);
  }
  return [...byKey.values()].sort(comparePoints);
}

/**
 * Edits by hand that are not worked in yet: replays the stretch around what they change as it is stored, and with the edits in force
 * and the new readings (`points`, in order), and adds the difference to the plan, as readings that come late do. `law` null: nothing of
 * the series counts. Answers which stretches it needs beside those that it was given; where there are any, the plan is not complete.
 */
export function planEdited(
  plan: SeriesPlan,
  changed: { readonly firstMs: number; readonly lastMs: number },
  law: Law<unknown> | null,
  points: readonly NewPoint[],
  stretches: readonly Stretch[],
): StretchBounds[] {
  const firstMs = Math.min(changed.firstMs, points[0]?.readAtMs ?? changed.firstMs);
  const lastMs = Math.max(changed.lastMs, points.at(-1)?.readAtMs ?? changed.lastMs);
  const stretch = stretches.findLast((one) => one.firstMs === firstMs && one.lastMs === lastMs);
  if (!stretch) return [{ ...FIRST_LOOK, firstMs, lastMs }];
  const merged = merge(stretch.points, points);
  addMerge(plan, merged);
  const after = withEdits(plan, merged.after);
  plan.revises = true;
  const { lastReadAtMs, tail } = plan.series;
  // Where the stretch ends with the series, what was its last reading may be no more.
  const endMs = after.at(-1)?.readAtMs ?? stretch.before.at(-1)?.readAtMs ?? lastReadAtMs ?? lastMs;
  if (!law) {
    if (stretch.isToEnd) plan.head = { lastReadAtMs: endMs, tail: null };
    return [];
  }
  const { NEGATIVE_INFINITY: changedToMs, POSITIVE_INFINITY: nextMs } = Number;
  const { isExcluded } = plan.edits;
  const both = { after: [...after], lastChangeMs: lastMs };
  const comparison = replayBetween(law, tail, stretch, both, { changedToMs, nextMs, isExcluded });
  if (comparison === 'goes on beyond') return [{ ...stretch, beyond: stretch.beyond * FURTHER }];
  if (typeof comparison === 'string') return [{ ...stretch, back: stretch.back * FURTHER }];
  addDifferences(plan, comparison.before, comparison.after);
  if (!comparison.met) plan.head = { lastReadAtMs: endMs, tail: comparison.after.state };
  return [];
}
