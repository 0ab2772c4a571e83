import type { SettingsByTime } from '#ingest/normalise/law.ts';
import { countsUntilMs, rolesAt } from '#ingest/normalise/roles-by-time.ts';
import { settingsUpTo } from '#ingest/normalise/settings.ts';
import type { SeriesBatch } from './collect.ts';
import { count, type DeviceDeltas, dropZeros, noDeltas } from './deltas.ts';
import type { StandingDevice } from './device-state.ts';
import { planSeries } from './plan-series.ts';
import { planTariffs } from './plan-tariffs.ts';
import { findSeries, selectWork } from './selected-series.ts';
import type { SeriesPlan } from './series-plan.ts';
import { type Stretch, type WantedStretch, withoutPassedOver } from './stretch.ts';

/** Changes that a batch makes to a device. */
export interface DevicePlan {
  readonly device: StandingDevice;
  /** The series that the batch changes. */
  readonly series: readonly SeriesPlan[];
  /** Differences to the load profile. */
  readonly deltas: DeviceDeltas;
  /** The part of `deltas` from readings that follow the stored ones. Null if nothing of the device is revised. */
  readonly followed: DeviceDeltas | null;
  /** The plan applies changed settings and pending edits to the time before this one, Unix ms. */
  readonly pieceUntilMs: number;
  /** Settings with which the stored consumption is computed once the plan is written. */
  readonly computedWith: SettingsByTime;
  /** Whether some series still has, at some time, another role than its owner chose. */
  readonly areRolesOpen: boolean;
  /** Whether a software update changes the role of stored readings. The owner is notified once. */
  readonly isRecounted: boolean;
}

/** Number of valid readings in a plan: new ones and duplicates. Readings of a closed time, and readings that lose against a stored value, are not valid. */
export const validReadings = ({ series }: DevicePlan): number =>
  series.reduce((sum, { inserts, lowered, duplicates }) => sum + inserts.length + lowered.length + duplicates, 0);

/**
 * Plans the changes that a batch makes to a device. Pure. `arrived`: the batch's readings of the device, by the name of their
 * series. `stretches`: the loaded readings of its series, by series_id, in the order of loading. Returns the plan. If late readings or a
 * recomputation need more readings, it returns the stretches to load before the next call.
 */
export function planDevice(
  device: StandingDevice,
  arrived: ReadonlyMap<string, SeriesBatch>,
  stretches: ReadonlyMap<number, readonly Stretch[]>,
): DevicePlan | { wanted: WantedStretch[] } {
  const found = findSeries(device, arrived, stretches);
  if ('wanted' in found) return found;
  const wanted: WantedStretch[] = [];
  const deltas = noDeltas();
  // If the batch has readings, pending edits wait for a later pass: years of readings may lie between the two.
  const pieceUntilMs = arrived.size > 0 ? Number.NEGATIVE_INFINITY : (device.pieceUntilMs ?? Number.NEGATIVE_INFINITY);
  const before = device.computedWith ?? device.settings;
  const computed = { before, after: settingsUpTo(before, device.settings, pieceUntilMs) };
  const { work, areRolesOpen, isRecounted } = selectWork(device, found, { deltas, pieceUntilMs });
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
 * Clears the state of the law if nothing counts at the series' last reading. The law does not receive readings that an edit excludes, so its
 * state may lie before them. A series that was expected to count later may never do so.
 */
function endTail(plan: SeriesPlan): void {
  const { lastReadAtMs, tail } = plan.head ?? plan.series;
  if (lastReadAtMs !== null && tail !== null && lastReadAtMs >= countsUntilMs(plan))
    plan.head = { lastReadAtMs, tail: null };
}

/** The differences from readings that follow the stored ones. Tariffs are left out: `planTariffs` places their steps. */
function followedBy(plans: readonly SeriesPlan[]): DeviceDeltas {
  const followed = noDeltas();
  for (const plan of plans) {
    if (plan.steps) continue;
    const roles = rolesAt(plan);
    for (const interval of plan.following) count(followed, interval, roles(interval.endMs), 1);
  }
  return followed;
}
