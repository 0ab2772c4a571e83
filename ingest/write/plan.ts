import type { CountingSettingsByTime } from '#ingest/normalise/counting-rule.ts';
import { computeSeriesEdits, type SeriesEdits } from '#ingest/normalise/edits.ts';
import {
  applySeriesRolesUntil,
  createSeriesRolesLookup,
  findRangeOfSeriesRoleDifference,
  getContributionEndMs,
  hasMatchingSeriesRole,
  type SeriesRolesByTime,
} from '#ingest/normalise/roles-by-time.ts';
import { applyCountingSettingsUntil } from '#ingest/normalise/settings.ts';
import { getNativeQuantityName } from '#src/devices/channel-name.ts';
import type { NewReading, SeriesBatch } from './collect.ts';
import { addIntervalToDeltas, createEmptyDeltas, type DeviceDeltas, dropZeroDeltas } from './deltas.ts';
import {
  createSeriesState,
  type DeviceState,
  formatSeriesName,
  getReadingRefusalEndMs,
  type SeriesState,
} from './device-state.ts';
import { findRangeOfSettingsChange } from './plan-recomputation.ts';
import { planSeriesWrites } from './plan-series.ts';
import { planTariffEnergy } from './plan-tariffs.ts';
import { createEmptySeriesWritePlan, type SeriesWritePlan } from './series-plan.ts';
import { type ReadingStretch, type ReadingStretchRequest, skipExcludedReadings } from './stretch.ts';
import {
  computeFirstReadingTimes,
  computeTargetSeriesRoles,
  type FirstReadingTimes,
  findRangesWithOutdatedRoles,
  type TargetSeriesRoles,
} from './target-roles.ts';

export interface DeviceWritePlan {
  readonly device: DeviceState;
  readonly series: readonly SeriesWritePlan[];
  readonly deltas: DeviceDeltas;
  /** The part of `deltas` from readings that are later than all stored ones. Null if all of `deltas` is from such readings. */
  readonly followed: DeviceDeltas | null;
  /** End (exclusive, Unix ms) of the time range in which this transaction applies changed settings and edits. */
  readonly pieceUntilMs: number;
  readonly computedWith: CountingSettingsByTime;
  /** Whether changed roles (totals to which series contribute) remain to be applied to earlier readings. */
  readonly areRolesOpen: boolean;
  /** Whether a software update changes to which totals stored readings contribute. The owner is then notified once. */
  readonly isRecounted: boolean;
}

/** Returns the number of new readings that are stored, or that are duplicates of stored readings. */
export const countValidReadings = ({ series }: DeviceWritePlan): number =>
  series.reduce((sum, { inserts, lowered, duplicates }) => sum + inserts.length + lowered.length + duplicates, 0);

/**
 * Determines the changes that a batch makes to a device. `arrived`: new readings by series. `stretches`: stored readings loaded so far, by
 * series_id. If more stored readings are needed, returns the ranges to load before the next call.
 */
export function planDeviceWrites(
  device: DeviceState,
  arrived: ReadonlyMap<string, SeriesBatch>,
  stretches: ReadonlyMap<number, readonly ReadingStretch[]>,
): DeviceWritePlan | { wanted: ReadingStretchRequest[] } {
  const found = findSeries(device, arrived, stretches);
  if ('wanted' in found) return found;
  const wanted: ReadingStretchRequest[] = [];
  const deltas = createEmptyDeltas();
  // Years of readings may lie between an edit and the new readings of a batch, so edits are applied in another transaction.
  const pieceUntilMs = arrived.size > 0 ? Number.NEGATIVE_INFINITY : (device.pieceUntilMs ?? Number.NEGATIVE_INFINITY);
  const before = device.computedWith ?? device.settings;
  const computed = { before, after: applyCountingSettingsUntil(before, device.settings, pieceUntilMs) };
  const { work, areRolesOpen, isRecounted } = selectWork(device, found, { deltas, pieceUntilMs });
  for (const { plan, points } of work) {
    const { seriesId } = plan.series;
    const loaded = seriesId === null ? undefined : stretches.get(seriesId);
    const needs = planSeriesWrites(
      { device, pieceUntilMs, computed },
      plan,
      points,
      loaded?.filter(({ lookFor }) => lookFor === undefined) ?? [],
    );
    endTail(plan);
    if (seriesId === null) continue;
    for (const bounds of needs) wanted.push({ ...skipExcludedReadings(bounds, plan.edits.passedOver), seriesId });
  }
  const series = work.map(({ plan }) => plan);
  const followed = series.some(({ revises }) => revises) ? followedBy(series) : null;
  if (wanted.length === 0) wanted.push(...planTariffEnergy(device, series, stretches, { deltas, followed }));
  if (wanted.length > 0) return { wanted };
  return {
    device,
    series,
    deltas: dropZeroDeltas(deltas),
    followed,
    pieceUntilMs,
    computedWith: computed.after,
    areRolesOpen,
    isRecounted,
  };
}

/** Clears the state of the counting rule if the series contributes to no total from its last reading on. */
function endTail(plan: SeriesWritePlan): void {
  const { lastReadAtMs, tail } = plan.head ?? plan.series;
  if (lastReadAtMs !== null && tail !== null && lastReadAtMs >= getContributionEndMs(plan))
    plan.head = { lastReadAtMs, tail: null };
}

/** Returns the changes by readings that are later than all stored ones. Tariff registers are excluded. */
function followedBy(plans: readonly SeriesWritePlan[]): DeviceDeltas {
  const followed = createEmptyDeltas();
  for (const plan of plans) {
    if (plan.steps) continue;
    const roles = createSeriesRolesLookup(plan);
    for (const interval of plan.following) addIntervalToDeltas(followed, interval, roles(interval.endMs), 1);
  }
  return followed;
}

/** A series with its new readings. `firsts`: times of its first reading and of its first nonzero reading, including the new readings. */
interface Found {
  series: SeriesState;
  readonly points: readonly NewReading[];
  readonly firsts: FirstReadingTimes;
}

/**
 * Finds the series of the new readings in a batch, and determines the roles of these series (the totals to which they contribute). If
 * stored readings are needed for this, returns the ranges to load.
 */
function findSeries(
  device: DeviceState,
  arrived: ReadonlyMap<string, SeriesBatch>,
  stretches: ReadonlyMap<number, readonly ReadingStretch[]>,
): Found[] | { wanted: ReadingStretchRequest[] } {
  const wanted: ReadingStretchRequest[] = [];
  const found: Found[] = [];
  for (const [name, batch] of arrived) {
    const series = device.series.get(name) ?? createSeriesState(batch);
    const { seriesId } = series;
    const valid = batch.points.filter(({ readAtMs }) => readAtMs > getReadingRefusalEndMs(series));
    const firsts = computeFirstReadingTimes(series, valid, (seriesId !== null && stretches.get(seriesId)) || []);
    if (!('wanted' in firsts)) found.push({ series, points: batch.points, firsts });
    else if (seriesId !== null) wanted.push({ ...firsts.wanted, seriesId });
  }
  return wanted.length > 0 ? { wanted } : found;
}

interface Work {
  plan: SeriesWritePlan;
  points: readonly NewReading[];
}

/** Selects the series that have new readings, or whose roles (contribution to totals), settings or edits change. */
function selectWork(
  device: DeviceState,
  arrived: readonly Found[],
  { deltas, pieceUntilMs }: { deltas: DeviceDeltas; pieceUntilMs: number },
): { work: Work[]; areRolesOpen: boolean; isRecounted: boolean } {
  const found = [...arrived];
  const isChosen = device.computedWith !== null || arrived.some(hasOtherFirsts);
  if (isChosen) {
    const names = new Set(arrived.map(({ series }) => formatSeriesName(series.channel, series.kind)));
    for (const [name, series] of device.series)
      if (!names.has(name)) found.push({ series, points: [], firsts: firstsOf(series) });
  }
  const targets: readonly TargetSeriesRoles[] = isChosen
    ? chosenFor(device, found)
    : found.map(({ series }) => ({ ...series, meant: series.meant ?? null }));
  // One series may exclude another from a total, so a changed role is applied to all series of the device together.
  const isAtOnce =
    (device.computedWith === null || findRangesWithOutdatedRoles(device, [...device.series.values()]).size === 0) &&
    found.every(({ series }, index) => isAhead(series, targets[index] as SeriesRolesByTime));
  const work: Work[] = [];
  let areRolesOpen = false;
  let isRecounted = false;
  for (const [index, { series, points, firsts }] of found.entries()) {
    const target = targets[index] as TargetSeriesRoles;
    const { meant } = target;
    const will = isAtOnce ? target : applySeriesRolesUntil(series, target, pieceUntilMs);
    if (findRangeOfSeriesRoleDifference(will, target)) areRolesOpen = true;
    if (isRecountedByUpdate(device, series, target)) isRecounted = true;
    const edits = withinCounted(
      computeSeriesEdits(device.edits ?? [], series.channel, series.kind, pieceUntilMs),
      will,
    );
    const isPlaced = isPlacedBefore(device, series, will);
    // A recomputation after a software update is left to a transaction without new readings.
    const isOfEarlierEdition = isPlaced && pieceUntilMs > Number.NEGATIVE_INFINITY;
    if (isPlaced && !isOfEarlierEdition) areRolesOpen = true;
    const isConcerned =
      points.length > 0 ||
      isOfEarlierEdition ||
      meant !== (series.meant ?? null) ||
      findRangeOfSeriesRoleDifference(series, will) !== null ||
      edits.changed !== null ||
      findRangeOfSettingsChange(device, series, pieceUntilMs) !== null;
    if (isConcerned)
      work.push({
        plan: createEmptySeriesWritePlan(will, { series, meant, isOfEarlierEdition, firsts, edits, deltas }),
        points,
      });
  }
  return { work, areRolesOpen, isRecounted };
}

/**
 * Whether a software update changes to which totals a series' stored readings contribute: the update has marked the device, or it is the
 * first version that classifies the series by its announced description.
 */
function isRecountedByUpdate(device: DeviceState, series: SeriesState, target: TargetSeriesRoles): boolean {
  const isJudgedFirst = series.seriesId !== null && (series.meant ?? null) === null && target.meant !== null;
  if ((!device.isMarkedByUpdate && !isJudgedFirst) || series.lastReadAtMs === null) return false;
  const times = findRangeOfSeriesRoleDifference(series, target);
  return (
    times !== null &&
    times.fromMs <= series.lastReadAtMs &&
    times.toMs > (series.firstReadAtMs ?? Number.NEGATIVE_INFINITY)
  );
}

const firstsOf = ({ firstReadAtMs, nonzeroAtMs }: FirstReadingTimes): FirstReadingTimes => ({
  firstReadAtMs,
  nonzeroAtMs,
});

const hasOtherFirsts = ({ series, firsts }: Found): boolean =>
  series.seriesId === null ||
  series.firstReadAtMs !== firsts.firstReadAtMs ||
  series.nonzeroAtMs !== firsts.nonzeroAtMs;

/** Whether a changed role (contribution to totals) affects none of the stored readings of a series. */
function isAhead(series: SeriesState, target: SeriesRolesByTime): boolean {
  const times = findRangeOfSeriesRoleDifference(series, target);
  if (times === null || series.lastReadAtMs === null) return true;
  return times.fromMs > series.lastReadAtMs && getContributionEndMs(series) > series.lastReadAtMs;
}

/** Lets edits exclude readings only in the time in which the series contributes to a total. */
function withinCounted(edits: SeriesEdits, will: SeriesRolesByTime): SeriesEdits {
  const { isExcluded } = edits;
  const endMs = isExcluded ? getContributionEndMs(will) : Number.POSITIVE_INFINITY;
  if (!isExcluded || endMs === Number.POSITIVE_INFINITY) return edits;
  return { ...edits, isExcluded: (point) => point.readAtMs < endMs && isExcluded(point) };
}

/**
 * Returns the roles of series: the totals to which they should contribute. If a new series has the same native name as another one, appends
 * its channel to the name.
 */
function chosenFor(device: DeviceState, found: Found[]): TargetSeriesRoles[] {
  const taken = new Set(found.flatMap(({ series }) => (series.seriesId === null ? [] : getNativeQuantityName(series))));
  for (const one of found) {
    const { seriesId, nativeName, channel, kind } = one.series;
    if (seriesId !== null) continue;
    if (nativeName && taken.has(nativeName)) {
      one.series = { ...one.series, nativeName: `${nativeName} (${getNativeQuantityName({ channel, kind })})` };
    }
    taken.add(getNativeQuantityName(one.series));
  }
  return computeTargetSeriesRoles(
    device,
    found.map(({ series, firsts }) => ({ ...series, ...firsts })),
  );
}

/**
 * Whether an earlier version of the service has distributed the energy of a tariff register over time, so that this energy must be
 * recomputed.
 */
const isPlacedBefore = ({ computedWith }: DeviceState, series: SeriesState, will: SeriesRolesByTime): boolean =>
  computedWith !== null &&
  series.lastReadAtMs !== null &&
  hasMatchingSeriesRole(will, ({ isTariff }) => isTariff) &&
  Number.isFinite(series.tariffSinceMs);
