import { compareSeriesReadings, type SeriesReading } from '#ingest/normalise/counting-rule.ts';
import { type CountingRuleChange, getReadingKey } from '#ingest/normalise/replay.ts';
import {
  findRoleDifferenceRange,
  getContributionEndMs,
  hasContributingRole,
  type RolesByTime,
} from '#ingest/normalise/roles-by-time.ts';
import { findRangeComputedWithOtherSettings } from '#ingest/normalise/settings.ts';
import type { DeviceState, SeriesState } from './device-state.ts';
import { replayWithNewReadings } from './plan-late.ts';
import { addReplayDifferences, type SeriesPlan } from './series-plan.ts';
import { extendStretchBounds, findStretch, type Stretch, type StretchBounds } from './stretch.ts';

/**
 * Numbers of stored readings to load at first before and after a chunk. The state of a register's counting rule depends on the last two
 * hours, and some devices send every 10 s. The numbers are generous, because a second attempt would load and replay everything again.
 */
const FIRST_LOOK = { back: 1_024, beyond: 1_024 };

/** The range of a series' readings that a plan recomputes, in Unix ms. Both ends are inclusive. */
export interface RecomputedReadingRange {
  /** Time of the first reading. -Infinity: the range begins at the start of the series. */
  readonly firstMs: number;
  /** Time of the last reading. Infinity: the range ends at the end of the series. */
  readonly lastMs: number;
}

/** Returns the smallest range that contains both given ranges. Null if both are null. */
export const joinReadingRanges = (
  one: RecomputedReadingRange | null,
  other: RecomputedReadingRange | null,
): RecomputedReadingRange | null =>
  one && other
    ? { firstMs: Math.min(one.firstMs, other.firstMs), lastMs: Math.max(one.lastMs, other.lastMs) }
    : (one ?? other);

/**
 * Returns the range of a series' readings that get another role if the new roles (`will`) are applied up to a time. Null if no reading is
 * affected.
 */
export function findRangeOfRoleChange(
  series: SeriesState,
  will: RolesByTime,
  untilMs: number,
): RecomputedReadingRange | null {
  const times = findRoleDifferenceRange(series, will);
  if (!times || times.fromMs >= untilMs) return null;
  // After a series has stopped contributing to the totals, its readings get no verdicts. If the time of this stop changes, all readings
  // between the previous and the new time must be recomputed.
  const [wasMs, isMs] = [getContributionEndMs(series), getContributionEndMs(will)];
  const hasNoRole = isMs === Number.NEGATIVE_INFINITY;
  const firstMs = wasMs === isMs || hasNoRole ? times.fromMs : Math.min(times.fromMs, wasMs, isMs);
  return { firstMs, lastMs: Math.min(times.toMs, untilMs) - 1 };
}

/**
 * Returns the range of a series' readings that get other settings if the new settings of the device are applied up to a time. Null if no
 * reading is affected.
 */
export function findRangeOfSettingsChange(
  { settings, computedWith }: DeviceState,
  series: SeriesState,
  untilMs: number,
): RecomputedReadingRange | null {
  const times =
    hasContributingRole(series) && computedWith !== null && findRangeComputedWithOtherSettings(computedWith, settings);
  if (!times || times.fromMs >= untilMs) return null;
  return { firstMs: times.fromMs, lastMs: Math.min(times.toMs, untilMs) - 1 };
}

/** Applies the edits of a series to stored readings. Adds to the plan the readings by hand that must be stored and deleted. */
function applyEdits(plan: SeriesPlan, points: readonly SeriesReading[]): readonly SeriesReading[] {
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
 * Applies edits and changed settings in one chunk of the past. Replays the readings of the chunk twice, with the previous and with the new
 * edits and settings, and adds the difference to the plan. `rules`: null if the series does not contribute to the totals. Returns stretches
 * (consecutive stored readings) that must be loaded first. If there are any, the plan is not complete.
 */
export function planRecomputation(
  plan: SeriesPlan,
  { firstMs, lastMs }: RecomputedReadingRange,
  rules: CountingRuleChange | null,
  stretches: readonly Stretch[],
): StretchBounds[] {
  const { added, withdrawn, isExcluded } = plan.edits;
  // If a series does not contribute to the totals, excluding its readings changes nothing.
  if (!rules && added.length === 0 && withdrawn.length === 0) return [];
  const stretch = findStretch(stretches, { firstMs, lastMs });
  if (!stretch) return [{ ...FIRST_LOOK, firstMs, lastMs }];
  const after = applyEdits(plan, stretch.points);
  plan.revises = true;
  const { lastReadAtMs, tail } = plan.series;
  // If the loaded readings are the end of the series, an edit may have deleted the last reading, or excluded all readings after the loaded
  // ones.
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
  if (comparison === 'goes on beyond') return [extendStretchBounds(stretch, 'beyond')];
  if (typeof comparison === 'string') return [extendStretchBounds(stretch, 'back')];
  addReplayDifferences(plan, comparison.before, comparison.after);
  if (!comparison.met) plan.head = { lastReadAtMs: endMs, tail: comparison.after.state };
  return [];
}
