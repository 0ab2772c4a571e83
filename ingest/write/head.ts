import type { SeriesBatch } from './collect.ts';
import { isPastEdits, MAX_SERIES, type StandingDevice, type StandingLaw, seriesName } from './device-state.ts';
import { type OpenHour, openHourText } from './open-hour.ts';
import { type DevicePlan, validReadings } from './plan.ts';
import { type SeriesPlan, tariffSinceMs } from './series-plan.ts';
import { mayChangeFirsts } from './target-roles.ts';

/** A device and all that a reading of it needs and changes. */
export interface Head extends StandingDevice {
  /** Drawn anew with each change of what is stored of it: what is written must have been planned on the version that is there. */
  readonly version: number;
  readonly open: OpenHour;
  /**
   * It is heard, active, none of its last readings was rejected, and it has no more than `MAX_SERIES`: a reading that follows the
   * others changes nothing of the device beside its head.
   */
  readonly isSettled: boolean;
}

/** A plan, and the head that it was made on. */
export interface HeadPlan {
  readonly head: Head;
  readonly plan: DevicePlan;
}

/** A head as it is stored next: the plan's, with a version of its own. */
export interface NextHead {
  readonly deviceId: string;
  /** The version that it was planned on. */
  readonly was: number;
  /** With a valid reading. */
  readonly isHeard: boolean;
  readonly head: Head;
}

/** A number that no other change draws. */
export const newVersion = (): number => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);

/** Whether all readings follow what is remembered of a device, and change nothing of what its series count as. */
export function isFollowedBy(head: Head, arrived: ReadonlyMap<string, SeriesBatch>): boolean {
  for (const [name, { points }] of arrived) {
    const series = head.series.get(name);
    if (!series || series.isBehind || mayChangeFirsts(series, points)) return false;
    if (series.lastReadAtMs === null || (points[0]?.readAtMs ?? 0) <= series.lastReadAtMs) return false;
  }
  return true;
}

/** The head after a plan. `ids`: what its new series are stored under, by their names. */
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

/** The value of a series' last reading, as far as it is known. */
function lastValueAfter({ series, inserts, lowered, head }: SeriesPlan): number | undefined {
  if (lowered.length > 0) return undefined;
  if (!head || head.lastReadAtMs === series.lastReadAtMs) return series.lastValue;
  const last = inserts.at(-1);
  return last?.readAtMs === head.lastReadAtMs ? last.value : undefined;
}

/** `device_heads.laws`: of each series that has readings its id, the time of the last one and the state of its law. */
export const lawsOf = (head: Head): string => JSON.stringify([...lawsIn(head.series), ...(head.rest?.laws ?? [])]);

/** Where the laws of series stand that have readings. */
const lawsIn = (series: Head['series']): StandingLaw[] =>
  [...series.values()].flatMap(({ seriesId, lastReadAtMs, tail }) =>
    lastReadAtMs === null ? [] : [[seriesId as number, lastReadAtMs, tail] as const],
  );

/** Reads `device_heads.laws`. */
export const parseLaws = (text: string): readonly StandingLaw[] => JSON.parse(text);

/** `device_heads.open`. */
export const openOf = ({ open }: Head): string | null => open && openHourText(open);
