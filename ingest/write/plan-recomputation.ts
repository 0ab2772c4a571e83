import { compareSeriesReadings, type SeriesReading } from '#ingest/normalise/counting-rule.ts';
import { type CountingRuleChange, getReadingKey } from '#ingest/normalise/replay.ts';
import {
  findRangeOfSeriesRoleDifference,
  getContributionEndMs,
  hasContributingSeriesRole,
  type SeriesRolesByTime,
} from '#ingest/normalise/roles-by-time.ts';
import { findRangeComputedWithOtherSettings } from '#ingest/normalise/settings.ts';
import type { DeviceState, SeriesState } from './device-state.ts';
import { replayWithNewReadings } from './plan-late.ts';
import { addReplayDifferencesToPlan, type SeriesWritePlan } from './series-plan.ts';
import {
  extendReadingStretchBounds,
  findReadingStretch,
  type ReadingStretch,
  type ReadingStretchBounds,
} from './stretch.ts';

/**
 * Numbers of stored readings to load at first before and after a chunk. They are generous, because a second attempt would load everything
 * again.
 */
const FIRST_LOOK = { back: 1_024, beyond: 1_024 };

/** The range of a series' readings to recompute, in Unix ms. Both ends are inclusive. */
interface RecomputedReadingRange {
  readonly firstMs: number;
  readonly lastMs: number;
}

export const joinReadingRanges = (
  one: RecomputedReadingRange | null,
  other: RecomputedReadingRange | null,
): RecomputedReadingRange | null =>
  one && other
    ? { firstMs: Math.min(one.firstMs, other.firstMs), lastMs: Math.max(one.lastMs, other.lastMs) }
    : (one ?? other);

/**
 * Returns the range of readings that get another role (contribute to other totals) if the new roles (`will`) apply up to `untilMs`. Null if
 * there are none.
 */
export function findRangeOfSeriesRoleChange(
  series: SeriesState,
  will: SeriesRolesByTime,
  untilMs: number,
): RecomputedReadingRange | null {
  const times = findRangeOfSeriesRoleDifference(series, will);
  if (!times || times.fromMs >= untilMs) return null;
  // The readings of a series have verdicts (such as `glitch`) only while the series contributes to a total. If the end of this time
  // changes, the range therefore begins at the earlier of the two ends or before it.
  const [wasMs, isMs] = [getContributionEndMs(series), getContributionEndMs(will)];
  const hasNoRole = isMs === Number.NEGATIVE_INFINITY;
  const firstMs = wasMs === isMs || hasNoRole ? times.fromMs : Math.min(times.fromMs, wasMs, isMs);
  return { firstMs, lastMs: Math.min(times.toMs, untilMs) - 1 };
}

/** Returns the range of readings that get other settings if the device's new settings apply up to `untilMs`. Null if there are none. */
export function findRangeOfSettingsChange(
  { settings, computedWith }: DeviceState,
  series: SeriesState,
  untilMs: number,
): RecomputedReadingRange | null {
  const times =
    hasContributingSeriesRole(series) &&
    computedWith !== null &&
    findRangeComputedWithOtherSettings(computedWith, settings);
  if (!times || times.fromMs >= untilMs) return null;
  return { firstMs: times.fromMs, lastMs: Math.min(times.toMs, untilMs) - 1 };
}

/** Applies edits to stored readings, and plans which manual readings are stored or deleted. */
function applyEdits(plan: SeriesWritePlan, points: readonly SeriesReading[]): readonly SeriesReading[] {
  const { added, withdrawn } = plan.edits;
  if (added.length === 0 && withdrawn.length === 0) return points;
  const byKey = new Map(points.map((point) => [getReadingKey(point), point]));
  for (const point of withdrawn) if (byKey.delete(getReadingKey(point))) plan.withdrawn.push(point);
  for (const point of added) {
    if (byKey.has(getReadingKey(point))) continue;
    byKey.set(getReadingKey(point), point);
    plan.added.push(point);
  }
  return [...byKey.values()].sort(compareSeriesReadings);
}

/**
 * Applies edits and changed settings to the stored readings of one chunk of time. For this, replays the readings with the previous and with
 * the new settings, and stores the difference. `rules`: null if the series contributes to no total. If stored readings are missing, returns
 * the ranges to load first.
 */
export function planRecomputation(
  plan: SeriesWritePlan,
  { firstMs, lastMs }: RecomputedReadingRange,
  rules: CountingRuleChange | null,
  stretches: readonly ReadingStretch[],
): ReadingStretchBounds[] {
  const { added, withdrawn, isExcluded } = plan.edits;
  // The series contributes to no total, so excluded readings change nothing.
  if (!rules && added.length === 0 && withdrawn.length === 0) return [];
  const stretch = findReadingStretch(stretches, { firstMs, lastMs });
  if (!stretch) return [{ ...FIRST_LOOK, firstMs, lastMs }];
  const after = applyEdits(plan, stretch.points);
  plan.revises = true;
  const { lastReadAtMs, tail } = plan.series;
  // If the range includes the last reading of the series, an edit may have deleted this reading or excluded all later ones, so the last
  // remaining reading is determined.
  const endMs =
    lastReadAtMs !== null && lastReadAtMs > lastMs
      ? lastReadAtMs
      : (after.at(-1)?.readAtMs ?? stretch.before.at(-1)?.readAtMs ?? lastMs);
  if (!rules) {
    if (stretch.isToEnd) plan.head = { lastReadAtMs: endMs, tail: null };
    return [];
  }
  const { NEGATIVE_INFINITY: changedToMs, POSITIVE_INFINITY: nextMs } = Number;
  const both = { after, lastChangeMs: lastMs };
  const comparison = replayWithNewReadings(rules, tail, stretch, both, { changedToMs, nextMs, isExcluded });
  if (comparison === 'goes on beyond') return [extendReadingStretchBounds(stretch, 'beyond')];
  if (typeof comparison === 'string') return [extendReadingStretchBounds(stretch, 'back')];
  addReplayDifferencesToPlan(plan, comparison.before, comparison.after);
  if (!comparison.met) plan.head = { lastReadAtMs: endMs, tail: comparison.after.state };
  return [];
}
