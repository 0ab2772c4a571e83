import type { SettingsByTime } from '#ingest/normalise/law.ts';
import { countsUntilMs, rolesAt } from '#ingest/normalise/roles-by-time.ts';
import { settingsUpTo } from '#ingest/normalise/settings.ts';
import type { SeriesBatch } from './collect.ts';
import { count, type DeviceDeltas, dropZeros, noDeltas } from './device-deltas.ts';
import { planSeries } from './plan-series.ts';
import { planTariffs } from './plan-tariffs.ts';
import { findSeries, selectWork } from './selected-series.ts';
import type { SeriesPlan } from './series-plan.ts';
import type { StandingDevice } from './standing.ts';
import { type Stretch, type WantedStretch, withoutPassedOver } from './stretch.ts';

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
  const found = findSeries(device, arrived, stretches);
  if ('wanted' in found) return found;
  const wanted: WantedStretch[] = [];
  const deltas = noDeltas();
  // What readings arrive with waits: between them and an edit may lie years.
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
