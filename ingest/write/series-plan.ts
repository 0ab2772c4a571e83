import type { SeriesEdits } from '#ingest/normalise/edits.ts';
import type { EnergyInterval, JudgedPoint, Law, Point } from '#ingest/normalise/law.ts';
import { NO_VERDICTS, type Replay, replay, type Stored } from '#ingest/normalise/replay.ts';
import {
  counts,
  type EarlierRoles,
  hasRole,
  haveSameRoles,
  type Roles,
  type RolesByTime,
  rolesAt,
} from '#ingest/normalise/roles-by-time.ts';
import type { Reject } from '../message.ts';
import { CONFLICT, type NewPoint } from './collect.ts';
import { count, type DeviceDeltas } from './deltas.ts';
import type { SeriesState } from './device-state.ts';
import type { Merge } from './stretch.ts';
import type { Firsts } from './target-roles.ts';

/** What a batch does to a series. */
export interface SeriesPlan {
  readonly series: SeriesState;
  /** What of it counts from now on, of readings past all of `earlierRoles`; and before some times, where its role is worked in piece by piece. */
  readonly roles: Roles;
  readonly earlierRoles?: readonly EarlierRoles[];
  /** It is computed from its first reading on, at once: an earlier edition of the law placed its tariffs. (All else is worked in by pieces: plan-piece.ts.) */
  readonly isOfEarlierEdition: boolean;
  /** Since when it is there, and not 0, from now on. */
  readonly firsts: Firsts;
  /** The channel by which it counts from now on, where it is judged with the other registers of its device; null: its own. */
  readonly meant: string | null;
  /** What was edited of it by hand. */
  readonly edits: SeriesEdits;
  /** Readings that are new, and stored ones whose value becomes lower. */
  readonly inserts: NewPoint[];
  readonly lowered: NewPoint[];
  /** Readings by hand that are stored from now on, and those that no longer are. */
  readonly added: Point[];
  readonly withdrawn: Point[];
  /** What readings are taken for from now on, where that changes; by `pointKey`. Null: nothing changes. */
  verdicts: Map<string, JudgedPoint> | null;
  /** Where the law stands from now on; null: where it stood. */
  head: { lastReadAtMs: number; tail: unknown } | null;
  /** Differences to the load profile of its device, which all of the device's series add to. */
  readonly deltas: DeviceDeltas;
  /**
   * Of a tariff, or what was one: its steps that are gone, and those that are new, in order. Where their energy lies depends on the other
   * tariffs (plan-tariffs.ts). Null: it is in the differences already.
   */
  readonly steps: { removed: EnergyInterval[]; added: EnergyInterval[] } | null;
  readonly rejects: Reject[];
  duplicates: number;
  /** A stretch that was known was replayed: what was told of it may change. */
  revises: boolean;
  /** Energy after the last reading that was known of the series: new, and no correction of what was told. Of a series that is new, or computed anew, none. */
  following: readonly EnergyInterval[];
}

const isTariff = (roles: Roles) => roles.isTariff;

/** Whether nothing of a series counts any more, of which something did. */
export const forgetsNotes = (plan: SeriesPlan): boolean => counts(plan.series) && !counts(plan);

/** Whether a series counts as something else at another time, before a plan or after it: its laws are then laws by time. */
export const isByTime = (was: SeriesState, is: RolesByTime): boolean =>
  was.earlierRoles !== undefined ||
  is.earlierRoles !== undefined ||
  (was.lastReadAtMs !== null && !haveSameRoles(was.roles, is.roles));

export const emptyPlan = (
  will: RolesByTime,
  of: Pick<SeriesPlan, 'series' | 'meant' | 'isOfEarlierEdition' | 'firsts' | 'edits' | 'deltas'>,
): SeriesPlan => ({
  ...of,
  roles: will.roles,
  ...(will.earlierRoles && { earlierRoles: will.earlierRoles }),
  steps: hasRole(of.series, isTariff) || hasRole(will, isTariff) ? { removed: [], added: [] } : null,
  inserts: [],
  lowered: [],
  added: [],
  withdrawn: [],
  verdicts: null,
  head: null,
  rejects: [],
  duplicates: 0,
  revises: false,
  following: [],
});

/** From when on the steps of a tariff lie after those of the others, once the plan is carried out. */
export const tariffSinceMs = ({ series, isOfEarlierEdition }: SeriesPlan): number =>
  isOfEarlierEdition ? Number.NEGATIVE_INFINITY : series.tariffSinceMs;

/**
 * Readings that follow all that is known, the usual case: the law goes on from where it stands. `law` null: nothing counts.
 * Answers false, having changed nothing, where stored readings must tell: where the law stands, since it is noted in an earlier
 * edition's terms, or what they take back of what was counted.
 */
export function append(plan: SeriesPlan, law: Law<unknown> | null, points: readonly NewPoint[]): boolean {
  const last = points.at(-1);
  if (!last) return true;
  const tail = (plan.head ? plan.head.tail : plan.series.tail) ?? law?.initial;
  if (law && !law.knows(tail)) return false;
  const run = law && replay(law, tail, points, plan.edits.isExcluded);
  if (run && plan.series.lastReadAtMs !== null && run.backToMs < plan.series.lastReadAtMs) return false;
  for (const point of points) plan.inserts.push(point);
  plan.head = { lastReadAtMs: last.readAtMs, tail: run ? run.state : null };
  if (run) addDifferences(plan, null, run);
  if (run && plan.series.lastReadAtMs !== null) plan.following = run.intervals;
  return true;
}

/** Adds what a stretch gains by its new readings to the plan, beside its energy. */
export function addMerge(plan: SeriesPlan, { inserted, lowered, conflicts, duplicates }: Merge): void {
  for (const point of inserted) plan.inserts.push(point);
  for (const point of lowered) plan.lowered.push(point);
  plan.duplicates += duplicates;
  for (const { message, element } of conflicts) plan.rejects.push({ message, element, reason: CONFLICT });
  // The message of the value that gave way is gone: what took its place tells of it.
  for (const { message, element } of lowered) {
    plan.rejects.push({ message, element, reason: `a higher value, stored before, gave way: ${CONFLICT}` });
  }
}

/**
 * Adds the difference between what is stored of a stretch and a replay of it to the plan: energy, by the roles that the series
 * had and by those that it has, and what readings were taken for. Null: nothing of it counted, or counts.
 */
export function addDifferences(plan: SeriesPlan, before: Stored | null, after: Replay | null): void {
  const [was, is] = [rolesAt(plan.series), rolesAt(plan)];
  for (const interval of before?.intervals ?? []) {
    if (plan.steps) plan.steps.removed.push(interval);
    else count(plan.deltas, interval, was(interval.endMs), -1);
  }
  for (const interval of after?.intervals ?? []) {
    if (plan.steps) plan.steps.added.push(interval);
    else count(plan.deltas, interval, is(interval.endMs), 1);
  }
  const [known, now] = [before?.verdicts ?? NO_VERDICTS, after?.verdicts ?? NO_VERDICTS];
  if (known.size === 0 && now.size === 0) return;
  plan.verdicts ??= new Map();
  for (const [key, judged] of now) if (known.get(key)?.verdict !== judged.verdict) plan.verdicts.set(key, judged);
  for (const [key, judged] of known) if (!now.has(key)) plan.verdicts.set(key, { ...judged, verdict: null });
}
