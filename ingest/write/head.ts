import type { SeriesBatch } from './collect.ts';
import { formatCountingState, parseCountingState } from './counting-state.ts';
import {
  type DeviceState,
  formatSeriesName,
  isEverySeriesPastEdits,
  MAX_CACHED_SERIES,
  type StoredCountingState,
} from './device-state.ts';
import { formatOpenHour, type OpenHour } from './open-hour.ts';
import { countValidReadings, type DeviceWritePlan } from './plan.ts';
import { getTariffRuleStartMs, type SeriesWritePlan } from './series-plan.ts';
import { canReadingsChangeFirstReadingTimes } from './target-roles.ts';

/** The state of a device before a batch, from the cache or from the locked row. */
export interface DeviceHead extends DeviceState {
  /** Random number that changes with each write of the state. It detects that somebody else has written the state. */
  readonly version: number;
  readonly open: OpenHour;
  /**
   * Whether a later reading changes only this state, and no other column of the device: the device is active, has sent readings, and none
   * of its latest messages was rejected.
   */
  readonly isSettled: boolean;
}

/** The planned changes of a device, and its state before them. */
export interface DeviceHeadWithPlan {
  readonly head: DeviceHead;
  readonly plan: DeviceWritePlan;
}

/** The state of a device after a batch. */
export interface DeviceHeadAfterBatch {
  readonly deviceId: string;
  /** Version of the state before the batch. */
  readonly was: number;
  readonly hasValidReading: boolean;
  readonly head: DeviceHead;
}

export const createDeviceHeadVersion = (): number => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);

/** Whether each new reading is later than the last reading of its series, and no series changes the totals to which it contributes. */
export function areReadingsInOrder(head: DeviceHead, arrived: ReadonlyMap<string, SeriesBatch>): boolean {
  for (const [name, { points }] of arrived) {
    const series = head.series.get(name);
    if (!series || series.isBehind || canReadingsChangeFirstReadingTimes(series, points)) return false;
    if (series.lastReadAtMs === null || (points[0]?.readAtMs ?? 0) <= series.lastReadAtMs) return false;
  }
  return true;
}

/** Returns the state of a device after its planned changes. `ids`: series_id of each new series, by its name. */
export function computeDeviceHeadAfterPlan(
  before: DeviceHead,
  plan: DeviceWritePlan,
  open: OpenHour,
  ids: ReadonlyMap<string, number>,
): DeviceHeadAfterBatch {
  const all = new Map(before.series);
  for (const planned of plan.series) {
    const { series, roles, earlierRoles, firsts, head } = planned;
    const { earlierRoles: _, ...one } = series;
    const name = formatSeriesName(one.channel, one.kind);
    const seriesId = one.seriesId ?? ids.get(name) ?? null;
    all.set(name, {
      ...one,
      seriesId,
      ...(firsts.firstReadAtMs !== undefined && firsts),
      roles,
      ...(earlierRoles && { earlierRoles }),
      tariffSinceMs: getTariffRuleStartMs(planned),
      ...head,
      lastValue: lastValueAfter(planned),
    });
  }
  const { deviceId, version: was } = before;
  const isSettled =
    before.isSettled &&
    before.computedWith === null &&
    !plan.areRolesOpen &&
    all.size <= MAX_CACHED_SERIES &&
    isEverySeriesPastEdits(before.edits ?? [], countingStatesIn(all));
  const head = { ...before, series: all, open, isSettled, computedWith: null, version: createDeviceHeadVersion() };
  return { deviceId, was, hasValidReading: countValidReadings(plan) > 0, head };
}

function lastValueAfter({ series, inserts, lowered, head }: SeriesWritePlan): number | undefined {
  if (lowered.length > 0) return undefined;
  if (!head || head.lastReadAtMs === series.lastReadAtMs) return series.lastValue;
  const last = inserts.at(-1);
  return last?.readAtMs === head.lastReadAtMs ? last.value : undefined;
}

/** Formats the content of `device_heads.laws`: for each series, its id, the time of its last reading and the state of its counting rule. */
export const formatCountingStates = (head: DeviceHead): string =>
  `[${countingStatesIn(head.series).map(formatStoredCountingState).join(',')}]`;

const formatStoredCountingState = ([seriesId, lastReadAtMs, tail]: StoredCountingState): string =>
  `[${seriesId},${lastReadAtMs},${formatCountingState(tail, lastReadAtMs)}]`;

const countingStatesIn = (series: DeviceHead['series']): StoredCountingState[] =>
  [...series.values()].flatMap(({ seriesId, lastReadAtMs, tail }) =>
    lastReadAtMs === null ? [] : [[seriesId as number, lastReadAtMs, tail] as const],
  );

export const parseStoredCountingStates = (text: string): readonly StoredCountingState[] =>
  (JSON.parse(text) as StoredCountingState[]).map(([seriesId, lastReadAtMs, stored]) => [
    seriesId,
    lastReadAtMs,
    parseCountingState(stored, lastReadAtMs),
  ]);

/** Formats the content of `device_heads.open`. Null if there is no open hour. */
export const formatOpenHourOfDeviceHead = ({ open }: DeviceHead): string | null => open && formatOpenHour(open);
