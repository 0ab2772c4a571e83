import type {
  CountingRule,
  EnergyInterval,
  SeriesReading,
  SeriesReadingWithVerdict,
} from '#ingest/normalise/counting-rule.ts';
import type { SeriesEdits } from '#ingest/normalise/edits.ts';
import {
  EMPTY_VERDICTS,
  type ReplayResult,
  replayReadings,
  type StoredReplayResult,
} from '#ingest/normalise/replay.ts';
import {
  areRolesEqual,
  createRolesLookup,
  hasRoleWith,
  isEverCounted,
  type RolesBeforeTime,
  type RolesByTime,
  type SeriesRoles,
} from '#ingest/normalise/roles-by-time.ts';
import type { Rejection } from '../message.ts';
import { CONFLICTING_VALUE_REASON, type NewReading } from './collect.ts';
import { addIntervalToDeltas, type DeviceDeltas } from './deltas.ts';
import type { SeriesState } from './device-state.ts';
import type { StretchMerge } from './stretch.ts';
import type { FirstReadingTimes } from './target-roles.ts';

export interface SeriesPlan {
  readonly series: SeriesState;
  /**
   * Roles of the series after the plan. `earlierRoles`: roles before the latest one, for example while a changed role is applied in chunks.
   */
  readonly roles: SeriesRoles;
  readonly earlierRoles?: readonly RolesBeforeTime[];
  /** Whether the series is recomputed as a whole, because an earlier edition of the counting rules placed its tariff steps. */
  readonly isOfEarlierEdition: boolean;
  /** Times of the first reading and of the first nonzero reading, after the plan. */
  readonly firsts: FirstReadingTimes;
  /**
   * The channel that determines the roles after the plan, if the meaning of the series depends on the device's other registers. Null: the
   * series' own channel.
   */
  readonly meant: string | null;
  /** Effect that edits by hand have on the series. */
  readonly edits: SeriesEdits;
  /** New readings. `lowered`: stored readings whose value is replaced by a lower one. */
  readonly inserts: NewReading[];
  readonly lowered: NewReading[];
  /** Readings that are stored although a higher value was received for their time, before or in this batch. */
  readonly lowerKept: SeriesReading[];
  /** Readings by hand to store. `withdrawn`: readings by hand to delete. */
  readonly added: SeriesReading[];
  readonly withdrawn: SeriesReading[];
  /** Changed verdicts, by `getReadingKey`. Null: no verdict changes. */
  verdicts: Map<string, SeriesReadingWithVerdict> | null;
  /** Time of the last reading and state of the counting rule after the plan. Null if the plan changes neither. */
  head: { lastReadAtMs: number; tail: unknown } | null;
  /** Changes of the device's load profile, shared by all series of the device. */
  readonly deltas: DeviceDeltas;
  /**
   * Removed and added steps of a current or former tariff register, in order. (A step is the energy between two readings.) The energy of
   * these steps is placed with regard to the other tariffs (plan-tariffs.ts). Null if the series is not a tariff register; its energy is
   * then already in `deltas`.
   */
  readonly steps: { removed: EnergyInterval[]; added: EnergyInterval[] } | null;
  readonly rejects: Rejection[];
  duplicates: number;
  /** Whether stored readings were replayed, so that reported values may change. */
  revises: boolean;
  /**
   * Energy after the last known reading of the series. This energy is new, so it does not correct reported values. Empty for a new or
   * recomputed series.
   */
  following: readonly EnergyInterval[];
}

const isTariff = (roles: SeriesRoles) => roles.isTariff;

/** Whether a series counted before the plan and does not count any more. */
export const hasSeriesStoppedCounting = (plan: SeriesPlan): boolean =>
  isEverCounted(plan.series) && !isEverCounted(plan);

/** Whether the role of a series changes with time, before or after a plan. The series then needs a counting rule by time. */
export const needsTimeDependentCountingRule = (was: SeriesState, is: RolesByTime): boolean =>
  was.earlierRoles !== undefined ||
  is.earlierRoles !== undefined ||
  (was.lastReadAtMs !== null && !areRolesEqual(was.roles, is.roles));

export const createEmptySeriesPlan = (
  will: RolesByTime,
  of: Pick<SeriesPlan, 'series' | 'meant' | 'isOfEarlierEdition' | 'firsts' | 'edits' | 'deltas'>,
): SeriesPlan => ({
  ...of,
  roles: will.roles,
  ...(will.earlierRoles && { earlierRoles: will.earlierRoles }),
  steps: hasRoleWith(of.series, isTariff) || hasRoleWith(will, isTariff) ? { removed: [], added: [] } : null,
  inserts: [],
  lowered: [],
  lowerKept: [],
  added: [],
  withdrawn: [],
  verdicts: null,
  head: null,
  rejects: [],
  duplicates: 0,
  revises: false,
  following: [],
});

/** Returns the time (Unix ms) after which the tariff's steps are placed with regard to other tariffs, once the plan is written. */
export const getTariffStartMs = ({ series, isOfEarlierEdition }: SeriesPlan): number =>
  isOfEarlierEdition ? Number.NEGATIVE_INFINITY : series.tariffSinceMs;

/**
 * Plans readings that all follow the stored ones (the usual case): the counting rule continues from its state. `rule` null: the series does
 * not count. Returns false, and changes nothing, if the plan needs stored readings: an earlier edition of the counting rules stored the
 * state, or the readings revert earlier energy.
 */
export function planReadingsInOrder(
  plan: SeriesPlan,
  rule: CountingRule<unknown> | null,
  points: readonly NewReading[],
): boolean {
  const last = points.at(-1);
  if (!last) return true;
  const tail = (plan.head ? plan.head.tail : plan.series.tail) ?? rule?.initial;
  if (rule && !rule.knows(tail)) return false;
  const run = rule && replayReadings(rule, tail, points, plan.edits.isExcluded);
  if (run && plan.series.lastReadAtMs !== null && run.backToMs < plan.series.lastReadAtMs) return false;
  for (const point of points) {
    plan.inserts.push(point);
    if (point.isLowerKept) plan.lowerKept.push(point);
  }
  plan.head = { lastReadAtMs: last.readAtMs, tail: run ? run.state : null };
  if (run) addReplayDifferences(plan, null, run);
  if (run && plan.series.lastReadAtMs !== null) plan.following = run.intervals;
  return true;
}

/** Adds the new readings between stored ones to the plan, without their energy. */
export function addReadingsOfMerge(plan: SeriesPlan, merge: StretchMerge): void {
  const { inserted, lowered, conflicts, lowerKept, duplicates } = merge;
  for (const point of inserted) plan.inserts.push(point);
  for (const point of lowered) plan.lowered.push(point);
  for (const point of lowerKept) plan.lowerKept.push(point);
  plan.duplicates += duplicates;
  for (const { message, element } of conflicts)
    plan.rejects.push({ message, element, reason: CONFLICTING_VALUE_REASON });
  // The message of the replaced value is no longer available, so the rejection refers to the message with the lower value.
  for (const { message, element } of lowered) {
    const reason = `a higher value, stored before, gave way: ${CONFLICTING_VALUE_REASON}`;
    plan.rejects.push({ message, element, reason, isOfEarlier: true });
  }
}

/**
 * Adds the difference between stored results (`before`) and their replay (`after`) to the plan: the energy, by the series' roles before and
 * after the plan, and the verdicts. `before` is null if the series did not count, `after` if it no longer counts.
 */
export function addReplayDifferences(
  plan: SeriesPlan,
  before: StoredReplayResult | null,
  after: ReplayResult | null,
): void {
  const [was, is] = [createRolesLookup(plan.series), createRolesLookup(plan)];
  for (const interval of before?.intervals ?? []) {
    if (plan.steps) plan.steps.removed.push(interval);
    else addIntervalToDeltas(plan.deltas, interval, was(interval.endMs), -1);
  }
  for (const interval of after?.intervals ?? []) {
    if (plan.steps) plan.steps.added.push(interval);
    else addIntervalToDeltas(plan.deltas, interval, is(interval.endMs), 1);
  }
  const [known, now] = [before?.verdicts ?? EMPTY_VERDICTS, after?.verdicts ?? EMPTY_VERDICTS];
  if (known.size === 0 && now.size === 0) return;
  plan.verdicts ??= new Map();
  for (const [key, judged] of now) if (known.get(key)?.verdict !== judged.verdict) plan.verdicts.set(key, judged);
  for (const [key, judged] of known) if (!now.has(key)) plan.verdicts.set(key, { ...judged, verdict: null });
}
