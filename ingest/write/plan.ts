import { chooseRoles, haveSameRoles, type Roles } from '#ingest/normalise/channels.ts';
import { editsOfSeries } from '#ingest/normalise/edits.ts';
import type { Law, SettingsByTime } from '#ingest/normalise/law.ts';
import { recall, replay } from '#ingest/normalise/replay.ts';
import { lawOfSeries } from '#ingest/normalise/series-law.ts';
import { computedOtherwise, settingsUpTo } from '#ingest/normalise/settings.ts';
import { nativeNameOf, wordFor } from '#src/devices/channel-name.ts';
import type { NewPoint, SeriesBatch } from './collect.ts';
import { count, type DeviceDeltas, dropZeros, noDeltas } from './device-deltas.ts';
import { merge } from './merge.ts';
import { firstLook, planLate } from './plan-late.ts';
import { bothOf, type Piece, planPiece, withEdits } from './plan-piece.ts';
import { planTariffs } from './plan-tariffs.ts';
import { addDifferences, addMerge, append, emptyPlan, type Recompute, type SeriesPlan } from './series-plan.ts';
import { newSeries, type StandingDevice, type StandingSeries, settingsOfSeries } from './standing.ts';
import { type Stretch, type StretchBounds, type WantedStretch, withoutPassedOver } from './stretch.ts';

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
  const work = workOf(device, arrived, { deltas, pieceUntilMs });
  for (const { plan, points } of work) {
    const { seriesId } = plan.series;
    const loaded = seriesId === null ? undefined : stretches.get(seriesId);
    const needs = planSeries(
      { device, pieceUntilMs, computed },
      plan,
      points,
      loaded?.filter(({ isOfTariff }) => !isOfTariff) ?? [],
    );
    if (seriesId === null) continue;
    for (const bounds of needs) wanted.push({ ...withoutPassedOver(bounds, plan.edits.passedOver), seriesId });
  }
  const series = work.map(({ plan }) => plan);
  const followed = series.some(({ revises }) => revises) ? followedBy(series) : null;
  if (wanted.length === 0) wanted.push(...planTariffs(device, series, stretches, { deltas, followed }));
  if (wanted.length > 0) return { wanted };
  return { device, series, deltas: dropZeros(deltas), followed, pieceUntilMs, computedWith: computed.after };
}

/** What of the differences follows, but for tariffs: where theirs lie is still to be said. */
function followedBy(plans: readonly SeriesPlan[]): DeviceDeltas {
  const followed = noDeltas();
  for (const { steps, following, roles } of plans)
    if (!steps) for (const interval of following) count(followed, interval, roles, 1);
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
): Work[] {
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
  // A new series may be a better quantity, and an owner who changes a device may have said what its quantities are.
  const chosen = hasNew || device.computedWith !== null ? chooseRoles(meantBy(device, found)) : null;
  const work: Work[] = [];
  for (const [index, { series, points }] of found.entries()) {
    const roles = chosen?.[index] ?? series.roles;
    const recompute = recomputeOf(device, series, roles);
    const edits = editsOfSeries(device.edits ?? [], series.channel, series.kind, pieceUntilMs);
    const isConcerned =
      points.length > 0 ||
      recompute !== 'none' ||
      !haveSameRoles(series.roles, roles) ||
      edits.changed !== null ||
      judgedOtherwise(device, series, pieceUntilMs) !== null;
    if (isConcerned) work.push({ plan: emptyPlan(series, roles, recompute, edits, deltas), points });
  }
  return work;
}

/** Series with what their owner says that they count as; a new one that is called like another has its channel in its name. */
function meantBy({ words = {} }: StandingDevice, found: { series: StandingSeries }[]) {
  const taken = new Set(found.flatMap(({ series }) => (series.seriesId === null ? [] : nativeNameOf(series))));
  for (const one of found) {
    const { seriesId, nativeName, channel, kind } = one.series;
    if (seriesId !== null) continue;
    if (nativeName && taken.has(nativeName)) {
      one.series = { ...one.series, nativeName: `${nativeName} (${nativeNameOf({ channel, kind })})` };
    }
    taken.add(nativeNameOf(one.series));
  }
  return found.map(({ series }) => ({ ...series, word: wordFor(words, series) }));
}

/** Whether a series with readings is computed anew from the first of them, at once: changed roles hold for the past. */
function recomputeOf({ computedWith }: StandingDevice, series: StandingSeries, roles: Roles): Recompute {
  if (series.lastReadAtMs === null) return 'none';
  if (!haveSameRoles(series.roles, roles)) return 'roles';
  // What an update left as it was is brought up to the law of now on the way.
  const isBehind = computedWith !== null && roles.isTariff && Number.isFinite(series.tariffSinceMs);
  return isBehind ? 'edition' : 'none';
}

/** The readings of a series that are judged by other settings once those of its device are worked in up to a time; null: none. */
function judgedOtherwise(
  { settings, computedWith }: StandingDevice,
  series: StandingSeries,
  untilMs: number,
): Piece | null {
  const counts = series.roles.import || series.roles.export;
  const times = counts && computedWith !== null && computedOtherwise(computedWith, settings);
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

/** Plans one series; answers which stretches are needed first. */
function planSeries(
  { device, pieceUntilMs, computed }: Planning,
  plan: SeriesPlan,
  points: readonly NewPoint[],
  stretches: readonly Stretch[],
): StretchBounds[] {
  const { series, roles, recompute } = plan;
  const { channel, kind, lastReadAtMs } = series;
  const open = withoutClosed(plan, points);
  const before = lawOfSeries(channel, kind, series.roles, settingsOfSeries(computed.before, series));
  const law = lawOfSeries(channel, kind, roles, settingsOfSeries(computed.after, series));
  if (recompute !== 'none') {
    const whole = stretches.find(({ firstMs, lastMs }) => firstMs === WHOLE.firstMs && lastMs === WHOLE.lastMs);
    if (!whole) return [WHOLE];
    computeAnew(plan, { before, after: law }, whole, open);
    return [];
  }
  const piece = bothOf(plan.edits.changed, judgedOtherwise(device, series, pieceUntilMs));
  if (piece && lastReadAtMs !== null) return planPiece(plan, piece, before && law && { before, after: law }, stretches);
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
