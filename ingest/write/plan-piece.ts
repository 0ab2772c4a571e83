import { comparePoints, type Point } from '#ingest/normalise/law.ts';
import { type Laws, pointKey } from '#ingest/normalise/replay.ts';
import { countedOtherwise, counts, countsUntilMs, type RolesByTime } from '#ingest/normalise/roles-by-time.ts';
import { computedOtherwise } from '#ingest/normalise/settings.ts';
import { FURTHER, replayBetween } from './plan-late.ts';
import { addDifferences, type SeriesPlan } from './series-plan.ts';
import type { StandingDevice, StandingSeries } from './standing.ts';
import type { Stretch, StretchBounds } from './stretch.ts';

/**
 * Readings before and beyond a piece that are looked at first. What a register remembers of two hours is to be among them where
 * it is sent every 10 s: to look further is to load, and to replay, all that lies between once more.
 */
const FIRST_LOOK = { back: 1_024, beyond: 1_024 };

/** The readings (Unix ms, both inclusive) around what a plan works in of a series. */
export interface Piece {
  /** -Infinity: from the first reading. */
  readonly firstMs: number;
  /** Infinity: to the last one. */
  readonly lastMs: number;
}

/** What is worked in of two changes of a series at once; null: nothing. */
export const bothOf = (one: Piece | null, other: Piece | null): Piece | null =>
  one && other
    ? { firstMs: Math.min(one.firstMs, other.firstMs), lastMs: Math.max(one.lastMs, other.lastMs) }
    : (one ?? other);

/** The readings of a series that count as something else once its role is worked in up to a time; null: none. */
export function roleOtherwise(series: StandingSeries, will: RolesByTime, untilMs: number): Piece | null {
  const times = countedOtherwise(series, will);
  if (!times || times.fromMs >= untilMs) return null;
  // Past the time of which something counts nothing is judged: where that becomes another time, all in between is judged, or no longer is.
  const [wasMs, isMs] = [countsUntilMs(series), countsUntilMs(will)];
  const isForgotten = isMs === Number.NEGATIVE_INFINITY;
  const firstMs = wasMs === isMs || isForgotten ? times.fromMs : Math.min(times.fromMs, wasMs, isMs);
  return { firstMs, lastMs: Math.min(times.toMs, untilMs) - 1 };
}

/** The readings of a series that are judged by other settings once those of its device are worked in up to a time; null: none. */
export function judgedOtherwise(
  { settings, computedWith }: StandingDevice,
  series: StandingSeries,
  untilMs: number,
): Piece | null {
  const times = counts(series) && computedWith !== null && computedOtherwise(computedWith, settings);
  if (!times || times.fromMs >= untilMs) return null;
  return { firstMs: times.fromMs, lastMs: Math.min(times.toMs, untilMs) - 1 };
}

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
 * Works a piece of edits by hand, and of changed settings, in: replays the stretch around what they change as it is stored, and with them, and
 * adds the difference to the plan, as readings that come late do. `laws` null: nothing of the series counts. Answers which stretches it needs
 * beside those that it was given; where there are any, the plan is not complete.
 */
export function planPiece(
  plan: SeriesPlan,
  { firstMs, lastMs }: Piece,
  laws: Laws | null,
  stretches: readonly Stretch[],
): StretchBounds[] {
  const { added, withdrawn, isExcluded } = plan.edits;
  // Of what does not count nothing is passed over.
  if (!laws && added.length === 0 && withdrawn.length === 0) return [];
  const stretch = stretches.findLast((one) => one.firstMs === firstMs && one.lastMs === lastMs);
  if (!stretch) return [{ ...FIRST_LOOK, firstMs, lastMs }];
  const after = withEdits(plan, stretch.points);
  plan.revises = true;
  const { lastReadAtMs, tail } = plan.series;
  // Where the stretch ends with the series, what was its last reading may be no more; beyond it all that is left may be passed over.
  const endMs =
    lastReadAtMs !== null && lastReadAtMs > lastMs
      ? lastReadAtMs
      : (after.at(-1)?.readAtMs ?? stretch.before.at(-1)?.readAtMs ?? lastMs);
  if (!laws) {
    if (stretch.isToEnd) plan.head = { lastReadAtMs: endMs, tail: null };
    return [];
  }
  const { NEGATIVE_INFINITY: changedToMs, POSITIVE_INFINITY: nextMs } = Number;
  const both = { after, lastChangeMs: lastMs };
  const comparison = replayBetween(laws, tail, stretch, both, { changedToMs, nextMs, isExcluded });
  if (comparison === 'goes on beyond') return [{ ...stretch, beyond: stretch.beyond * FURTHER }];
  if (typeof comparison === 'string') return [{ ...stretch, back: stretch.back * FURTHER }];
  addDifferences(plan, comparison.before, comparison.after);
  if (!comparison.met) plan.head = { lastReadAtMs: endMs, tail: comparison.after.state };
  return [];
}
