import { haveSameRoles, type Roles } from '#ingest/normalise/channels.ts';
import { editsOfSeries, type SeriesEdits } from '#ingest/normalise/edits.ts';
import type { Law, SettingsByTime } from '#ingest/normalise/law.ts';
import { lawByTime } from '#ingest/normalise/law-by-time.ts';
import { recall, replay } from '#ingest/normalise/replay.ts';
import {
  countedOtherwise,
  counts,
  countsUntilMs,
  type RolesByTime,
  rolesAt,
  rolesUpTo,
} from '#ingest/normalise/roles-by-time.ts';
import { lawOfSeries } from '#ingest/normalise/series-law.ts';
import { computedOtherwise, settingsUpTo } from '#ingest/normalise/settings.ts';
import { nativeNameOf } from '#src/devices/channel-name.ts';
import type { NewPoint, SeriesBatch } from './collect.ts';
import { count, type DeviceDeltas, dropZeros, noDeltas } from './device-deltas.ts';
import { merge } from './merge.ts';
import { firstLook, planLate } from './plan-late.ts';
import { bothOf, type Piece, planPiece, withEdits } from './plan-piece.ts';
import { planTariffs } from './plan-tariffs.ts';
import {
  addDifferences,
  addMerge,
  append,
  emptyPlan,
  isByTime,
  type Recompute,
  type SeriesPlan,
} from './series-plan.ts';
import { newSeries, type StandingDevice, type StandingSeries, settingsOfSeries } from './standing.ts';
import { type Stretch, type StretchBounds, type WantedStretch, withoutPassedOver } from './stretch.ts';
import { rolesOpen, targetRoles } from './target-roles.ts';

/** What a batch does to a device. */
export interface DevicePlan {
  readonly device: StandingDevice;
  /** The series that it changes. */
  readonly series: readonly SeriesPlan[];
  /** Differences to the load profile. */
  readonly deltas: DeviceDeltas;
  /** Part of them that follows what was known of its series. Asked of devices of which something is revised: else null. */
  readonly followed: DeviceDeltas | null;
  /** What lies before this time of changed settings, and of edits by hand that were open, is worked in with it, Unix ms. */
  readonly pieceUntilMs: number;
  /** What the device's stored consumption is computed with from now on. */
  readonly computedWith: SettingsByTime;
  /** Whether some of its series still count, at some time, as something else than its owner says. */
  readonly areRolesOpen: boolean;
}

/** How many valid readings a plan has: stored or known. Those that are closed, or lose against a stored value, are none. */
export const validReadings = ({ series }: DevicePlan): number =>
  series.reduce((sum, { inserts, lowered, duplicates }) => sum + inserts.length + lowered.length + duplicates, 0);

/** The whole of a series. */
const WHOLE = { firstMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY, back: 0, beyond: 0 };

/**
 * What a batch does to a device: pure, it decides and changes nothing. `arrived`: the batch's readings of the device, by the
 * name of their series. `stretches`: what was loaded of its series, by series_id, in the order of loading.
 * Answers the plan or, where late readings or a recomputation need more than was given, which stretches to load before it is
 * asked again.
 */
export function planDevice(
  device: StandingDevice,
  arrived: ReadonlyMap<string, SeriesBatch>,
  stretches: ReadonlyMap<number, readonly Stretch[]>,
): DevicePlan | { wanted: WantedStretch[] } {
  const wanted: WantedStretch[] = [];
  const deltas = noDeltas();
  // What readings arrive with waits: between them and an edit may lie years.
  const pieceUntilMs = arrived.size > 0 ? Number.NEGATIVE_INFINITY : (device.pieceUntilMs ?? Number.NEGATIVE_INFINITY);
  const before = device.computedWith ?? device.settings;
  const computed = { before, after: settingsUpTo(before, device.settings, pieceUntilMs) };
  const { work, areRolesOpen } = workOf(device, arrived, { deltas, pieceUntilMs });
  for (const { plan, points } of work) {
    const { seriesId } = plan.series;
    const loaded = seriesId === null ? undefined : stretches.get(seriesId);
    const needs = planSeries(
      { device, pieceUntilMs, computed },
      plan,
      points,
      loaded?.filter(({ isOfTariff }) => !isOfTariff) ?? [],
    );
    endTail(plan);
    if (seriesId === null) continue;
    for (const bounds of needs) wanted.push({ ...withoutPassedOver(bounds, plan.edits.passedOver), seriesId });
  }
  const series = work.map(({ plan }) => plan);
  const followed = series.some(({ revises }) => revises) ? followedBy(series) : null;
  if (wanted.length === 0) wanted.push(...planTariffs(device, series, stretches, { deltas, followed }));
  if (wanted.length > 0) return { wanted };
  return {
    device,
    series,
    deltas: dropZeros(deltas),
    followed,
    pieceUntilMs,
    computedWith: computed.after,
    areRolesOpen,
  };
}

/** Beyond the time of which something counts a law stands nowhere: its last readings may be passed over by hand, and not be told to it. */
function endTail(plan: SeriesPlan): void {
  if (plan.head && plan.head.tail !== null && plan.head.lastReadAtMs >= countsUntilMs(plan))
    plan.head = { ...plan.head, tail: null };
}

/** What of the differences follows, but for tariffs: where theirs lie is still to be said. */
function followedBy(plans: readonly SeriesPlan[]): DeviceDeltas {
  const followed = noDeltas();
  for (const plan of plans) {
    if (plan.steps) continue;
    const roles = rolesAt(plan);
    for (const interval of plan.following) count(followed, interval, roles(interval.endMs), 1);
  }
  return followed;
}

/** A series of a batch: its plan, still empty, and its new readings. */
interface Work {
  plan: SeriesPlan;
  points: readonly NewPoint[];
}

/** The series that a batch concerns: those of its readings, and those that it makes to be computed anew. */
function workOf(
  device: StandingDevice,
  arrived: ReadonlyMap<string, SeriesBatch>,
  { deltas, pieceUntilMs }: { deltas: DeviceDeltas; pieceUntilMs: number },
): { work: Work[]; areRolesOpen: boolean } {
  const found: { series: StandingSeries; points: readonly NewPoint[] }[] = [];
  let hasNew = false;
  for (const [name, batch] of arrived) {
    const series = device.series.get(name);
    if (!series) hasNew = true;
    found.push({ series: series ?? newSeries(batch), points: batch.points });
  }
  if (hasNew || device.computedWith !== null) {
    for (const [name, series] of device.series) if (!arrived.has(name)) found.push({ series, points: [] });
  }
  const chosen = hasNew || device.computedWith !== null ? chosenFor(device, found) : null;
  // A better quantity that appears while a changed role is worked in counts once that is, piece by piece with it.
  const isUnderWay =
    device.computedWith !== null &&
    (found.some(({ series }) => series.earlierRoles) ||
      (hasNew && rolesOpen(device, [...device.series.values()]).size > 0));
  const work: Work[] = [];
  let areRolesOpen = false;
  for (const [index, { series, points }] of found.entries()) {
    const target = chosen?.[index] ?? series.roles;
    const will = hasNew && !isUnderWay ? { roles: target } : rolesUpTo(series, target, pieceUntilMs);
    if (countedOtherwise(will, target)) areRolesOpen = true;
    const recompute = recomputeOf(device, series, will, hasNew && !isUnderWay);
    const edits = tellingOf(editsOfSeries(device.edits ?? [], series.channel, series.kind, pieceUntilMs), will);
    const isConcerned =
      points.length > 0 ||
      recompute !== 'none' ||
      !haveSameRoles(series.roles, will.roles) ||
      edits.changed !== null ||
      judgedOtherwise(device, series, pieceUntilMs) !== null ||
      roleOtherwise(series, will, pieceUntilMs) !== null;
    if (isConcerned) work.push({ plan: emptyPlan(series, will, recompute, edits, deltas), points });
  }
  return { work, areRolesOpen };
}

/** Of readings past all that counts none is passed over. */
function tellingOf(edits: SeriesEdits, will: RolesByTime): SeriesEdits {
  const { isExcluded } = edits;
  const endMs = isExcluded ? countsUntilMs(will) : Number.POSITIVE_INFINITY;
  if (!isExcluded || endMs === Number.POSITIVE_INFINITY) return edits;
  return { ...edits, isExcluded: (point) => point.readAtMs < endMs && isExcluded(point) };
}

/** What series are to count as; a new one that is called like another has its channel in its name. */
function chosenFor(device: StandingDevice, found: { series: StandingSeries }[]): Roles[] {
  const taken = new Set(found.flatMap(({ series }) => (series.seriesId === null ? [] : nativeNameOf(series))));
  for (const one of found) {
    const { seriesId, nativeName, channel, kind } = one.series;
    if (seriesId !== null) continue;
    if (nativeName && taken.has(nativeName)) {
      one.series = { ...one.series, nativeName: `${nativeName} (${nativeNameOf({ channel, kind })})` };
    }
    taken.add(nativeNameOf(one.series));
  }
  return targetRoles(
    device,
    found.map(({ series }) => series),
  );
}

/** Whether a series with readings is computed anew from the first of them, at once: a better quantity holds for the past. */
function recomputeOf(
  { computedWith }: StandingDevice,
  series: StandingSeries,
  will: RolesByTime,
  isAtOnce: boolean,
): Recompute {
  if (series.lastReadAtMs === null) return 'none';
  if (isAtOnce && !haveSameRoles(series.roles, will.roles)) return 'roles';
  // What an update left as it was is brought up to the law of now on the way.
  const isBehind = computedWith !== null && will.roles.isTariff && Number.isFinite(series.tariffSinceMs);
  return isBehind ? 'edition' : 'none';
}

/** The readings of a series that count as something else once its role is worked in up to a time; null: none. */
function roleOtherwise(series: StandingSeries, will: RolesByTime, untilMs: number): Piece | null {
  // Before that time its role is one, the one that it is to have.
  const times = countedOtherwise(series, rolesAt(will)(Number.NEGATIVE_INFINITY));
  if (!times || times.fromMs >= untilMs) return null;
  return { firstMs: times.fromMs, lastMs: Math.min(times.toMs, untilMs) - 1 };
}

/** The readings of a series that are judged by other settings once those of its device are worked in up to a time; null: none. */
function judgedOtherwise(
  { settings, computedWith }: StandingDevice,
  series: StandingSeries,
  untilMs: number,
): Piece | null {
  const times = counts(series) && computedWith !== null && computedOtherwise(computedWith, settings);
  if (!times || times.fromMs >= untilMs) return null;
  return { firstMs: times.fromMs, lastMs: Math.min(times.toMs, untilMs) - 1 };
}

/** A device, and how far its plan works in what is open of it. */
interface Planning {
  readonly device: StandingDevice;
  readonly pieceUntilMs: number;
  /** What its consumption is computed with before the plan, and after it. */
  readonly computed: { readonly before: SettingsByTime; readonly after: SettingsByTime };
}

/** What a series is counted by as it is stored, and once its plan is carried out; null: nothing of it counts. */
function lawsOf(
  plan: SeriesPlan,
  computed: Planning['computed'],
): { [name in 'before' | 'after']: Law<unknown> | null } & { longer?: Law<unknown> } {
  const { series, recompute } = plan;
  const { channel, kind } = series;
  const of = (by: RolesByTime, settings: SettingsByTime) => {
    const lawOf = (roles: Roles) => lawOfSeries(channel, kind, roles, settingsOfSeries(settings, series));
    return isByTime(series, plan, recompute) ? lawByTime(by, lawOf) : lawOf(by.roles);
  };
  const [before, after] = [of(series, computed.before), of(plan, computed.after)];
  return before && countsUntilMs(series) > countsUntilMs(plan) ? { before, after, longer: before } : { before, after };
}

/** Plans one series; answers which stretches are needed first. */
function planSeries(
  { device, pieceUntilMs, computed }: Planning,
  plan: SeriesPlan,
  points: readonly NewPoint[],
  stretches: readonly Stretch[],
): StretchBounds[] {
  const { series, recompute } = plan;
  const { lastReadAtMs } = series;
  const open = withoutClosed(plan, points);
  const { before, after: law, ...more } = lawsOf(plan, computed);
  if (recompute !== 'none') {
    const whole = stretches.find(({ firstMs, lastMs }) => firstMs === WHOLE.firstMs && lastMs === WHOLE.lastMs);
    if (!whole) return [WHOLE];
    computeAnew(plan, { before, after: law }, whole, open);
    return [];
  }
  const judged = judgedOtherwise(device, series, pieceUntilMs);
  const piece = bothOf(bothOf(plan.edits.changed, judged), roleOtherwise(series, plan, pieceUntilMs));
  if (piece && lastReadAtMs !== null)
    return planPiece(plan, piece, before && law && { before, after: law, ...more }, stretches);
  const found = lastReadAtMs === null ? 0 : open.findIndex(({ readAtMs }) => readAtMs > lastReadAtMs);
  if (found === 0 && stretches.length === 0) return append(plan, law, open) ? [] : [firstLook(open)];
  const [late, following] = found === -1 ? [open, []] : [open.slice(0, found), open.slice(found)];
  if (isCovered(following, stretches)) return planLate(plan, law, open, stretches);
  const wanted = late.length > 0 ? planLate(plan, law, late, stretches) : [];
  if (wanted.length > 0 || append(plan, law, following)) return wanted;
  return [firstLook(following)];
}

/** Whether a stretch was loaded for points that follow what is stored: they reach back into it. */
function isCovered(following: readonly NewPoint[], stretches: readonly Stretch[]): boolean {
  const [first] = following;
  return first !== undefined && stretches.some(({ lastMs }) => lastMs >= first.readAtMs);
}

/**
 * Refuses what retention has closed (it was longer once, or a clock was wrong), and what a changed `decoder_config` has read of the time before it: it
 * is another number than those that are stored of that time.
 */
function withoutClosed({ series, rejects }: SeriesPlan, points: readonly NewPoint[]): readonly NewPoint[] {
  const closedUntilMs = series.closedUntilMs ?? Number.NEGATIVE_INFINITY;
  const splitMs = series.splits?.at(-1) ?? Number.NEGATIVE_INFINITY;
  const untilMs = Math.max(closedUntilMs, splitMs);
  if (untilMs === Number.NEGATIVE_INFINITY) return points;
  return points.filter(({ readAtMs, message, element }) => {
    if (readAtMs > untilMs) return true;
    const reason =
      readAtMs <= closedUntilMs
        ? 'time is older than the readings that are kept of this series'
        : 'time is before its decoder_config was changed: by the new one it is another number than those of that time';
    rejects.push({ message, element, reason });
    return false;
  });
}

/** Takes away what the whole series was computed to, and adds what it comes to by the law of now, with its new readings. */
function computeAnew(
  plan: SeriesPlan,
  laws: { before: Law<unknown> | null; after: Law<unknown> | null },
  whole: Stretch,
  points: readonly NewPoint[],
): void {
  const merged = merge(whole.points, points);
  addMerge(plan, merged);
  plan.revises = true;
  const edited = withEdits(plan, merged.after);
  const before = laws.before && recall(laws.before, laws.before.initial, whole.points);
  const after = laws.after && replay(laws.after, laws.after.initial, edited, plan.edits.isExcluded);
  addDifferences(plan, before, after);
  const lastReadAtMs = edited.at(-1)?.readAtMs ?? plan.series.lastReadAtMs;
  if (lastReadAtMs !== null) plan.head = { lastReadAtMs, tail: after ? after.state : null };
}
