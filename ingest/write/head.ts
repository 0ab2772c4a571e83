import type { SeriesBatch } from './collect.ts';
import { formatCountingState, parseCountingState } from './counting-state.ts';
import {
  areAllSeriesPastEdits,
  type DeviceState,
  formatSeriesName,
  MAX_CACHED_SERIES,
  type StoredCountingState,
} from './device-state.ts';
import { formatOpenHour, type OpenHour } from './open-hour.ts';
import { countValidReadings, type DevicePlan } from './plan.ts';
import { getTariffRuleStartMs, type SeriesPlan } from './series-plan.ts';
import { canChangeFirstReadingTimes } from './target-roles.ts';

/** The state of a device on which a write plan is based. It was either unpacked from the cache (head-record.ts), or loaded and locked. */
export interface DeviceHead extends DeviceState {
  /**
   * Random number that changes with each write of the head (the stored state). A batch is written only if the stored head still has this
   * number.
   */
  readonly version: number;
  readonly open: OpenHour;
  /**
   * Whether the device is active, has sent readings, has no rejection among its latest messages, and has at most `MAX_CACHED_SERIES`
   * series. A reading later than the stored readings then changes no other state of the device than its head.
   */
  readonly isSettled: boolean;
}

/** A write plan, and the head (state of the device) on which it is based. */
export interface HeadWithPlan {
  readonly head: DeviceHead;
  readonly plan: DevicePlan;
}

/** The head (the stored state of a device) with a new version, as it is after a plan. */
export interface NextHead {
  readonly deviceId: string;
  /** Version of the head (the stored state) on which the plan is based. */
  readonly was: number;
  /** Whether the batch contains a valid reading of the device. */
  readonly hasValidReading: boolean;
  readonly head: DeviceHead;
}

/** Returns a random version. The probability that two versions are equal is negligible. */
export const createHeadVersion = (): number => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);

/** Whether each new reading of a device is later than the last reading of its series, and no role of a series changes. */
export function areReadingsInOrder(head: DeviceHead, arrived: ReadonlyMap<string, SeriesBatch>): boolean {
  for (const [name, { points }] of arrived) {
    const series = head.series.get(name);
    if (!series || series.isBehind || canChangeFirstReadingTimes(series, points)) return false;
    if (series.lastReadAtMs === null || (points[0]?.readAtMs ?? 0) <= series.lastReadAtMs) return false;
  }
  return true;
}

/** Returns the head (the state of the device) after a write plan. `ids`: series_id of each new series, by the name of the series. */
export function computeHeadAfterPlan(
  before: DeviceHead,
  plan: DevicePlan,
  open: OpenHour,
  ids: ReadonlyMap<string, number>,
): NextHead {
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
    areAllSeriesPastEdits(before.edits ?? [], countingStatesIn(all));
  const head = { ...before, series: all, open, isSettled, computedWith: null, version: createHeadVersion() };
  return { deviceId, was, hasValidReading: countValidReadings(plan) > 0, head };
}

/** Returns the value of a series' last reading; undefined if unknown. */
function lastValueAfter({ series, inserts, lowered, head }: SeriesPlan): number | undefined {
  if (lowered.length > 0) return undefined;
  if (!head || head.lastReadAtMs === series.lastReadAtMs) return series.lastValue;
  const last = inserts.at(-1);
  return last?.readAtMs === head.lastReadAtMs ? last.value : undefined;
}

/**
 * Formats the content of `device_heads.laws`: for each series with readings, its id, the time of its last reading, and the state of its
 * counting rule.
 */
export const formatCountingStates = (head: DeviceHead): string =>
  `[${countingStatesIn(head.series).map(formatStoredCountingState).join(',')}]`;

const formatStoredCountingState = ([seriesId, lastReadAtMs, tail]: StoredCountingState): string =>
  `[${seriesId},${lastReadAtMs},${formatCountingState(tail, lastReadAtMs)}]`;

/** Returns the states of the counting rules of all series that have readings. */
const countingStatesIn = (series: DeviceHead['series']): StoredCountingState[] =>
  [...series.values()].flatMap(({ seriesId, lastReadAtMs, tail }) =>
    lastReadAtMs === null ? [] : [[seriesId as number, lastReadAtMs, tail] as const],
  );

/** Parses the content of `device_heads.laws`. */
export const parseStoredCountingStates = (text: string): readonly StoredCountingState[] =>
  (JSON.parse(text) as StoredCountingState[]).map(([seriesId, lastReadAtMs, stored]) => [
    seriesId,
    lastReadAtMs,
    parseCountingState(stored, lastReadAtMs),
  ]);

/** Formats the content of `device_heads.open`. Null if no hour is open. */
export const formatOpenHourOfHead = ({ open }: DeviceHead): string | null => open && formatOpenHour(open);
