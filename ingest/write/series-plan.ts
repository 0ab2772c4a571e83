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
  type StoredCountingResult,
} from '#ingest/normalise/replay.ts';
import {
  areSeriesRolesEqual,
  createSeriesRolesLookup,
  hasContributingSeriesRole,
  hasMatchingSeriesRole,
  type SeriesRoles,
  type SeriesRolesByTime,
  type SeriesRolesUntilTime,
} from '#ingest/normalise/roles-by-time.ts';
import type { Rejection } from '../message.ts';
import { CONFLICTING_VALUE_REASON, type NewReading } from './collect.ts';
import { addIntervalToDeltas, type DeviceDeltas } from './deltas.ts';
import type { SeriesState } from './device-state.ts';
import type { ReadingMerge } from './stretch.ts';
import type { FirstReadingTimes } from './target-roles.ts';

export interface SeriesWritePlan {
  readonly series: SeriesState;
  /** Roles of the series after the batch: the totals to which it contributes. */
  readonly roles: SeriesRoles;
  readonly earlierRoles?: readonly SeriesRolesUntilTime[];
  /** Whether the whole history is recomputed, because an earlier version of the service has distributed the tariff register's energy. */
  readonly isOfEarlierEdition: boolean;
  readonly firsts: FirstReadingTimes;
  /**
   * The channel, from announced descriptions, that determines the roles after the batch. Null if the series' own channel determines them.
   */
  readonly meant: string | null;
  readonly edits: SeriesEdits;
  /** New readings to store. `lowered`: new readings that replace a stored reading with a higher value. */
  readonly inserts: NewReading[];
  readonly lowered: NewReading[];
  /** Readings for which two different values were received. Only the lower value is stored. */
  readonly lowerKept: SeriesReading[];
  /** Manual readings to store. `withdrawn`: manual readings to delete. */
  readonly added: SeriesReading[];
  readonly withdrawn: SeriesReading[];
  /** Changed verdicts (such as `glitch`), by the key of the reading (`getReadingKey`). Null if none changes. */
  verdicts: Map<string, SeriesReadingWithVerdict> | null;
  /** Time of the last reading, and state of the counting rule after the batch. Null if both are unchanged. */
  head: { lastReadAtMs: number; tail: unknown } | null;
  /** Changes of the device's consumption. All series of the device share this object. */
  readonly deltas: DeviceDeltas;
  /** Removed and added increments of a tariff register, in order of time. Null for other series, whose energy is already in `deltas`. */
  readonly steps: { removed: EnergyInterval[]; added: EnergyInterval[] } | null;
  readonly rejects: Rejection[];
  duplicates: number;
  /** Whether already reported values may change. */
  revises: boolean;
  /** New energy after the last known reading. Empty for a new or recomputed series. */
  following: readonly EnergyInterval[];
}

const isTariff = (roles: SeriesRoles) => roles.isTariff;

export const isSeriesRemovedFromTotals = (plan: SeriesWritePlan): boolean =>
  hasContributingSeriesRole(plan.series) && !hasContributingSeriesRole(plan);

/** Whether a series contributes to different totals at different times, before or after the batch. */
export const needsTimeDependentCountingRule = (was: SeriesState, is: SeriesRolesByTime): boolean =>
  was.earlierRoles !== undefined ||
  is.earlierRoles !== undefined ||
  (was.lastReadAtMs !== null && !areSeriesRolesEqual(was.roles, is.roles));

export const createEmptySeriesWritePlan = (
  will: SeriesRolesByTime,
  of: Pick<SeriesWritePlan, 'series' | 'meant' | 'isOfEarlierEdition' | 'firsts' | 'edits' | 'deltas'>,
): SeriesWritePlan => ({
  ...of,
  roles: will.roles,
  ...(will.earlierRoles && { earlierRoles: will.earlierRoles }),
  steps:
    hasMatchingSeriesRole(of.series, isTariff) || hasMatchingSeriesRole(will, isTariff)
      ? { removed: [], added: [] }
      : null,
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

/** Returns the Unix time in ms from which the energy of a tariff register is distributed by the current rules. */
export const getTariffRuleStartMs = ({ series, isOfEarlierEdition }: SeriesWritePlan): number =>
  isOfEarlierEdition ? Number.NEGATIVE_INFINITY : series.tariffSinceMs;

/**
 * Processes readings that all follow the stored ones, which is the usual case. `rule`: null if the series contributes to no total. Returns
 * false, without any change, if stored readings are needed.
 */
export function planReadingsInOrder(
  plan: SeriesWritePlan,
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
  if (run) addReplayDifferencesToPlan(plan, null, run);
  if (run && plan.series.lastReadAtMs !== null) plan.following = run.intervals;
  return true;
}

/** Adds inserted, lowered, duplicate and rejected readings of a merge to the plan, but not the change of energy. */
export function addMergedReadingsToPlan(plan: SeriesWritePlan, merge: ReadingMerge): void {
  const { inserted, lowered, conflicts, lowerKept, duplicates } = merge;
  for (const point of inserted) plan.inserts.push(point);
  for (const point of lowered) plan.lowered.push(point);
  for (const point of lowerKept) plan.lowerKept.push(point);
  plan.duplicates += duplicates;
  for (const { message, element } of conflicts)
    plan.rejects.push({ message, element, reason: CONFLICTING_VALUE_REASON });
  // The message with the replaced value is no longer available, so the rejection refers to the message with the lower value.
  for (const { message, element } of lowered) {
    const reason = `a higher value, stored before, gave way: ${CONFLICTING_VALUE_REASON}`;
    plan.rejects.push({ message, element, reason, isOfEarlier: true });
  }
}

/**
 * Adds the difference between two replays to the plan: energy, and verdicts (such as `glitch`). `before`: null if no stored readings were
 * replayed.
 */
export function addReplayDifferencesToPlan(
  plan: SeriesWritePlan,
  before: StoredCountingResult | null,
  after: ReplayResult | null,
): void {
  const [was, is] = [createSeriesRolesLookup(plan.series), createSeriesRolesLookup(plan)];
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
