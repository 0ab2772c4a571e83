import type { SeriesBatch } from './collect.ts';
import { type DeviceState, isPastEdits, MAX_SERIES, type StoredLaw, seriesName } from './device-state.ts';
import { type OpenHour, openHourText } from './open-hour.ts';
import { type DevicePlan, validReadings } from './plan.ts';
import { type SeriesPlan, tariffSinceMs } from './series-plan.ts';
import { mayChangeFirsts } from './target-roles.ts';

/** A device as the plan reads it: unpacked from its record (head-record.ts), or loaded and locked. */
export interface Head extends DeviceState {
  /** Drawn again with each change of the stored head. A batch may only be written on the version that it was planned on. */
  readonly version: number;
  readonly open: OpenHour;
  /**
   * The device is active, has sent readings, none of its last ones was rejected, and it has at most `MAX_SERIES`: a reading that follows the
   * others changes only its head.
   */
  readonly isSettled: boolean;
}

/** A plan, and the head that it was made on. */
export interface HeadPlan {
  readonly head: Head;
  readonly plan: DevicePlan;
}

/** The head of a plan, with a version of its own, as it will be stored. */
export interface NextHead {
  readonly deviceId: string;
  /** The version that it was planned on. */
  readonly was: number;
  /** Whether the plan has a valid reading. */
  readonly isHeard: boolean;
  readonly head: Head;
}

/** A random version: no two changes draw the same. */
export const newVersion = (): number => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);

/** Whether all readings follow the remembered ones of a device, and leave the roles of its series as they are. */
export function isFollowedBy(head: Head, arrived: ReadonlyMap<string, SeriesBatch>): boolean {
  for (const [name, { points }] of arrived) {
    const series = head.series.get(name);
    if (!series || series.isBehind || mayChangeFirsts(series, points)) return false;
    if (series.lastReadAtMs === null || (points[0]?.readAtMs ?? 0) <= series.lastReadAtMs) return false;
  }
  return true;
}

/** The head after a plan. `ids`: the series_id of its new series, by their names. */
export function headAfter(before: Head, plan: DevicePlan, open: OpenHour, ids: ReadonlyMap<string, number>): NextHead {
  const all = new Map(before.series);
  for (const planned of plan.series) {
    const { series, roles, earlierRoles, firsts, head } = planned;
    const { earlierRoles: _, ...one } = series;
    const name = seriesName(one.channel, one.kind);
    const seriesId = one.seriesId ?? ids.get(name) ?? null;
    all.set(name, {
      ...one,
      seriesId,
      ...(firsts.firstReadAtMs !== undefined && firsts),
      roles,
      ...(earlierRoles && { earlierRoles }),
      tariffSinceMs: tariffSinceMs(planned),
      ...head,
      lastValue: lastValueAfter(planned),
    });
  }
  const { deviceId, version: was } = before;
  const isSettled =
    before.isSettled &&
    before.computedWith === null &&
    !plan.areRolesOpen &&
    all.size <= MAX_SERIES &&
    isPastEdits(before.edits ?? [], lawsIn(all));
  const head = { ...before, series: all, open, isSettled, computedWith: null, version: newVersion() };
  return { deviceId, was, isHeard: validReadings(plan) > 0, head };
}

/** The value of a series' last reading. Undefined: unknown. */
function lastValueAfter({ series, inserts, lowered, head }: SeriesPlan): number | undefined {
  if (lowered.length > 0) return undefined;
  if (!head || head.lastReadAtMs === series.lastReadAtMs) return series.lastValue;
  const last = inserts.at(-1);
  return last?.readAtMs === head.lastReadAtMs ? last.value : undefined;
}

/** `device_heads.laws`: for each series with readings its id, the time of the last one, and the state of its law. */
export const lawsOf = (head: Head): string => JSON.stringify([...lawsIn(head.series), ...(head.rest?.laws ?? [])]);

/** The laws of the series that have readings. */
const lawsIn = (series: Head['series']): StoredLaw[] =>
  [...series.values()].flatMap(({ seriesId, lastReadAtMs, tail }) =>
    lastReadAtMs === null ? [] : [[seriesId as number, lastReadAtMs, tail] as const],
  );

/** Reads `device_heads.laws`. */
export const parseLaws = (text: string): readonly StoredLaw[] => JSON.parse(text);

/** `device_heads.open`. */
export const openOf = ({ open }: Head): string | null => open && openHourText(open);
