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
  hasContributingRole,
  hasMatchingRole,
  type RolesByTime,
  type RolesUntilTime,
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
   * Roles of the series after the plan. `earlierRoles`: the roles before the latest one, with their ends. They exist, for example, while a
   * changed role is applied in chunks.
   */
  readonly roles: SeriesRoles;
  readonly earlierRoles?: readonly RolesUntilTime[];
  /**
   * Whether the whole series is recomputed, because an earlier edition of the counting rules assigned its tariff energy to quarter-hours.
   */
  readonly isOfEarlierEdition: boolean;
  /** Times of the series' first reading and of its first nonzero reading, after the plan. */
  readonly firsts: FirstReadingTimes;
  /**
   * Set if the meaning of the series depends on the device's other registers: the channel that determines the roles after the plan. Null:
   * the series' own channel determines them.
   */
  readonly meant: string | null;
  /** The edits by hand, as they affect this series. */
  readonly edits: SeriesEdits;
  /** New readings to store. `lowered`: stored readings whose value is replaced by a lower one. */
  readonly inserts: NewReading[];
  readonly lowered: NewReading[];
  /** Readings that remain stored although a higher value was received for the same time, before or in this batch. */
  readonly lowerKept: SeriesReading[];
  /** Readings by hand to store. `withdrawn`: readings by hand to delete. */
  readonly added: SeriesReading[];
  readonly withdrawn: SeriesReading[];
  /** Changed verdicts (reasons why a reading is excluded or treated specially), by `getReadingKey`. Null: no verdict changes. */
  verdicts: Map<string, SeriesReadingWithVerdict> | null;
  /** The time of the last reading and the state of the counting rule after the plan. Null if the plan changes neither. */
  head: { lastReadAtMs: number; tail: unknown } | null;
  /** Changes of the device's load profile. All series of the device share this object. */
  readonly deltas: DeviceDeltas;
  /**
   * Removed and added steps of a current or former tariff register, in order of time. (A step is the energy between two readings.)
   * Their energy is assigned to quarter-hours depending on the other tariff registers (plan-tariffs.ts). Null if the series is not a tariff
   * register; `deltas` then already contains its energy.
   */
  readonly steps: { removed: EnergyInterval[]; added: EnergyInterval[] } | null;
  readonly rejects: Rejection[];
  duplicates: number;
  /** Whether stored readings were replayed. If so, values that were already reported may change. */
  revises: boolean;
  /**
   * Energy after the last known reading of the series. It is new energy, not a correction of reported values. Empty for a new or recomputed
   * series.
   */
  following: readonly EnergyInterval[];
}

const isTariff = (roles: SeriesRoles) => roles.isTariff;

/** Whether a series contributed to the totals before the plan and no longer does after it. */
export const isSeriesRemovedFromTotals = (plan: SeriesPlan): boolean =>
  hasContributingRole(plan.series) && !hasContributingRole(plan);

/** Whether the role of a series changes with time, before or after a plan. If so, its counting rule must also change with time. */
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
  steps: hasMatchingRole(of.series, isTariff) || hasMatchingRole(will, isTariff) ? { removed: [], added: [] } : null,
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

/**
 * Returns the Unix time in ms after which the energy of a tariff register is assigned to quarter-hours depending on the other tariff
 * registers, once the plan is written.
 */
export const getTariffRuleStartMs = ({ series, isOfEarlierEdition }: SeriesPlan): number =>
  isOfEarlierEdition ? Number.NEGATIVE_INFINITY : series.tariffSinceMs;

/**
 * Plans readings that all follow the stored ones, which is the usual case: the counting rule continues from its stored state. `rule`: null
 * if the series does not contribute to the totals. Returns false, and changes nothing, if stored readings are needed: an earlier edition of
 * the counting rules stored the state, or the new readings revert earlier energy.
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

/** Adds new readings to the plan that come before stored ones, without their energy. */
export function addReadingsOfMerge(plan: SeriesPlan, merge: StretchMerge): void {
  const { inserted, lowered, conflicts, lowerKept, duplicates } = merge;
  for (const point of inserted) plan.inserts.push(point);
  for (const point of lowered) plan.lowered.push(point);
  for (const point of lowerKept) plan.lowerKept.push(point);
  plan.duplicates += duplicates;
  for (const { message, element } of conflicts)
    plan.rejects.push({ message, element, reason: CONFLICTING_VALUE_REASON });
  // The message of the replaced value is no longer available, so the rejection refers to the message that contains the lower value.
  for (const { message, element } of lowered) {
    const reason = `a higher value, stored before, gave way: ${CONFLICTING_VALUE_REASON}`;
    plan.rejects.push({ message, element, reason, isOfEarlier: true });
  }
}

/**
 * Adds the difference between stored results (`before`) and the results of a replay (`after`) to the plan: verdicts, and energy by the
 * roles before and after the plan. `before` is null if the series did not contribute to the totals before the plan; `after` is null if it
 * no longer contributes.
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
