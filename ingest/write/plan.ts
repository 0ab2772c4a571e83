import { editsOfSeries, type SeriesEdits } from '#ingest/normalise/edits.ts';
import type { Law, SettingsByTime } from '#ingest/normalise/law.ts';
import { lawByTime } from '#ingest/normalise/law-by-time.ts';
import { recall, replay } from '#ingest/normalise/replay.ts';
import {
  countedOtherwise,
  counts,
  countsUntilMs,
  hasRole,
  type Roles,
  type RolesByTime,
  rolesAt,
  rolesUpTo,
} from '#ingest/normalise/roles-by-time.ts';
import { lawOfSeries } from '#ingest/normalise/series-law.ts';
import { computedOtherwise, settingsUpTo } from '#ingest/normalise/settings.ts';
import { nativeNameOf } from '#src/devices/channel-name.ts';
import type { NewPoint, SeriesBatch } from './collect.ts';
import { count, type DeviceDeltas, dropZeros, noDeltas } from './device-deltas.ts';
import { type Firsts, firstsAfter } from './firsts.ts';
import { merge } from './merge.ts';
import { firstLook, planLate } from './plan-late.ts';
import { bothOf, type Piece, planPiece, withEdits } from './plan-piece.ts';
import { planTariffs } from './plan-tariffs.ts';
import { addDifferences, addMerge, append, emptyPlan, isByTime, type SeriesPlan } from './series-plan.ts';
import { newSeries, type StandingDevice, type StandingSeries, seriesName, settingsOfSeries } from './standing.ts';
import { type Stretch, type StretchBounds, type WantedStretch, withoutPassedOver } from './stretch.ts';
import { rolesOpen, type Target, targetRoles } from './target-roles.ts';

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
  /** Whether an update makes readings that are stored count otherwise: its owner is informed, once. */
  readonly isRecounted: boolean;
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
  const found = foundOf(device, arrived, stretches);
  if ('wanted' in found) return found;
  const wanted: WantedStretch[] = [];
  const deltas = noDeltas();
  // What readings arrive with waits: between them and an edit may lie years.
  const pieceUntilMs = arrived.size > 0 ? Number.NEGATIVE_INFINITY : (device.pieceUntilMs ?? Number.NEGATIVE_INFINITY);
  const before = device.computedWith ?? device.settings;
  const computed = { before, after: settingsUpTo(before, device.settings, pieceUntilMs) };
  const { work, areRolesOpen, isRecounted } = workOf(device, found, { deltas, pieceUntilMs });
  for (const { plan, points } of work) {
    const { seriesId } = plan.series;
    const loaded = seriesId === null ? undefined : stretches.get(seriesId);
    const needs = planSeries(
      { device, pieceUntilMs, computed },
      plan,
      points,
      loaded?.filter(({ lookFor }) => lookFor === undefined) ?? [],
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
    isRecounted,
  };
}

/**
 * Beyond the time of which something counts a law stands nowhere: its last readings may be passed over by hand, and not be told to it; and what was to
 * count once more was read may never do.
 */
function endTail(plan: SeriesPlan): void {
  const { lastReadAtMs, tail } = plan.head ?? plan.series;
  if (lastReadAtMs !== null && tail !== null && lastReadAtMs >= countsUntilMs(plan))
    plan.head = { lastReadAtMs, tail: null };
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

/** A series that a batch may concern: its new readings, and the firsts that it has with them. */
interface Found {
  series: StandingSeries;
  readonly points: readonly NewPoint[];
  readonly firsts: Firsts;
}

/** The series of a batch's readings; or the stretches that must be known before it can be said what counts. */
function foundOf(
  device: StandingDevice,
  arrived: ReadonlyMap<string, SeriesBatch>,
  stretches: ReadonlyMap<number, readonly Stretch[]>,
): Found[] | { wanted: WantedStretch[] } {
  const wanted: WantedStretch[] = [];
  const found: Found[] = [];
  for (const [name, batch] of arrived) {
    const series = device.series.get(name) ?? newSeries(batch);
    const { seriesId } = series;
    const valid = batch.points.filter(({ readAtMs }) => readAtMs > closedUntilMs(series));
    const firsts = firstsAfter(series, valid, (seriesId !== null && stretches.get(seriesId)) || []);
    if (!('wanted' in firsts)) found.push({ series, points: batch.points, firsts });
    else if (seriesId !== null) wanted.push({ ...firsts.wanted, seriesId });
  }
  return wanted.length > 0 ? { wanted } : found;
}

/** A series of a batch: its plan, still empty, and its new readings. */
interface Work {
  plan: SeriesPlan;
  points: readonly NewPoint[];
}

/** The series that a batch concerns: those of its readings, and those that count as something else from now on. */
function workOf(
  device: StandingDevice,
  arrived: readonly Found[],
  { deltas, pieceUntilMs }: { deltas: DeviceDeltas; pieceUntilMs: number },
): { work: Work[]; areRolesOpen: boolean; isRecounted: boolean } {
  const found = [...arrived];
  const isChosen = device.computedWith !== null || arrived.some(hasOtherFirsts);
  if (isChosen) {
    const names = new Set(arrived.map(({ series }) => seriesName(series.channel, series.kind)));
    for (const [name, series] of device.series)
      if (!names.has(name)) found.push({ series, points: [], firsts: firstsOf(series) });
  }
  const targets: readonly Target[] = isChosen
    ? chosenFor(device, found)
    : found.map(({ series }) => ({ ...series, meant: series.meant ?? null }));
  // Where the past of something that is stored is to count otherwise, that is worked in by pieces; and all at one time, as one excludes another.
  const isAtOnce =
    (device.computedWith === null || rolesOpen(device, [...device.series.values()]).size === 0) &&
    found.every(({ series }, index) => isAhead(series, targets[index] as RolesByTime));
  const work: Work[] = [];
  let areRolesOpen = false;
  let isRecounted = false;
  for (const [index, { series, points, firsts }] of found.entries()) {
    const target = targets[index] as Target;
    const { meant } = target;
    const will = isAtOnce ? target : rolesUpTo(series, target, pieceUntilMs);
    if (countedOtherwise(will, target)) areRolesOpen = true;
    if (isRecountedByUpdate(device, series, target)) isRecounted = true;
    const edits = tellingOf(editsOfSeries(device.edits ?? [], series.channel, series.kind, pieceUntilMs), will);
    const isOfEarlierEdition = isPlacedBefore(device, series, will);
    const isConcerned =
      points.length > 0 ||
      isOfEarlierEdition ||
      meant !== (series.meant ?? null) ||
      countedOtherwise(series, will) !== null ||
      edits.changed !== null ||
      judgedOtherwise(device, series, pieceUntilMs) !== null;
    if (isConcerned)
      work.push({ plan: emptyPlan(will, { series, meant, isOfEarlierEdition, firsts, edits, deltas }), points });
  }
  return { work, areRolesOpen, isRecounted };
}

/**
 * Whether an update makes stored readings of a series count otherwise: the device has its mark, or the series is judged with the others of its device
 * for the first time. (A series that is stored since then has been judged from the start.)
 */
function isRecountedByUpdate(device: StandingDevice, series: StandingSeries, target: Target): boolean {
  const isJudgedFirst = series.seriesId !== null && (series.meant ?? null) === null && target.meant !== null;
  if ((!device.isMarkedByUpdate && !isJudgedFirst) || series.lastReadAtMs === null) return false;
  const times = countedOtherwise(series, target);
  return (
    times !== null &&
    times.fromMs <= series.lastReadAtMs &&
    times.toMs > (series.firstReadAtMs ?? Number.NEGATIVE_INFINITY)
  );
}

const firstsOf = ({ firstReadAtMs, nonzeroAtMs }: Firsts): Firsts => ({ firstReadAtMs, nonzeroAtMs });

const hasOtherFirsts = ({ series, firsts }: Found): boolean =>
  series.seriesId === null ||
  series.firstReadAtMs !== firsts.firstReadAtMs ||
  series.nonzeroAtMs !== firsts.nonzeroAtMs;

/** Whether what a series is to count as is otherwise past all that is stored of it alone, and its law goes on from where it stands. */
function isAhead(series: StandingSeries, target: RolesByTime): boolean {
  const times = countedOtherwise(series, target);
  if (times === null || series.lastReadAtMs === null) return true;
  return times.fromMs > series.lastReadAtMs && countsUntilMs(series) > series.lastReadAtMs;
}

/** Of readings past all that counts none is passed over. */
function tellingOf(edits: SeriesEdits, will: RolesByTime): SeriesEdits {
  const { isExcluded } = edits;
  const endMs = isExcluded ? countsUntilMs(will) : Number.POSITIVE_INFINITY;
  if (!isExcluded || endMs === Number.POSITIVE_INFINITY) return edits;
  return { ...edits, isExcluded: (point) => point.readAtMs < endMs && isExcluded(point) };
}

/** What series are to count as; a new one that is called like another has its channel in its name. */
function chosenFor(device: StandingDevice, found: Found[]): Target[] {
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
    found.map(({ series, firsts }) => ({ ...series, ...firsts })),
  );
}

/** Whether the steps of a tariff lie where an earlier edition of the law had them: they are brought up to the law of now on the way. */
const isPlacedBefore = ({ computedWith }: StandingDevice, series: StandingSeries, will: RolesByTime): boolean =>
  computedWith !== null &&
  series.lastReadAtMs !== null &&
  hasRole(will, ({ isTariff }) => isTariff) &&
  Number.isFinite(series.tariffSinceMs);

/** The readings of a series that count as something else once its role is worked in up to a time; null: none. */
function roleOtherwise(series: StandingSeries, will: RolesByTime, untilMs: number): Piece | null {
  const times = countedOtherwise(series, will);
  if (!times || times.fromMs >= untilMs) return null;
  // Past the time of which something counts nothing is judged: where that becomes another time, all in between is judged, or no longer is.
  const [wasMs, isMs] = [countsUntilMs(series), countsUntilMs(will)];
  const isForgotten = isMs === Number.NEGATIVE_INFINITY;
  const firstMs = wasMs === isMs || isForgotten ? times.fromMs : Math.min(times.fromMs, wasMs, isMs);
  return { firstMs, lastMs: Math.min(times.toMs, untilMs) - 1 };
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
  const { series } = plan;
  const { channel, kind } = series;
  const of = (by: RolesByTime, settings: SettingsByTime) => {
    const lawOf = (roles: Roles) => lawOfSeries(channel, kind, roles, settingsOfSeries(settings, series));
    return isByTime(series, plan) ? lawByTime(by, lawOf) : lawOf(by.roles);
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
  const { series } = plan;
  const { lastReadAtMs } = series;
  const open = withoutClosed(plan, points);
  const { before, after: law, ...more } = lawsOf(plan, computed);
  if (plan.isOfEarlierEdition) {
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

/** Readings of a series up to this time are refused, Unix ms: retention has closed it, or another number was read then. -Infinity: none are. */
const closedUntilMs = ({ closedUntilMs, splits }: StandingSeries): number =>
  Math.max(closedUntilMs ?? Number.NEGATIVE_INFINITY, splits?.at(-1) ?? Number.NEGATIVE_INFINITY);

/**
 * Refuses what retention has closed (it was longer once, or a clock was wrong), and what a changed `decoder_config` has read of the time before it: it
 * is another number than those that are stored of that time.
 */
function withoutClosed({ series, rejects }: SeriesPlan, points: readonly NewPoint[]): readonly NewPoint[] {
  const untilMs = closedUntilMs(series);
  if (untilMs === Number.NEGATIVE_INFINITY) return points;
  return points.filter(({ readAtMs, message, element }) => {
    if (readAtMs > untilMs) return true;
    const reason =
      readAtMs <= (series.closedUntilMs ?? Number.NEGATIVE_INFINITY)
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
