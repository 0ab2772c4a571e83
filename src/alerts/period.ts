import { DateTime } from 'luxon';
import { HOUR_MS } from '#src/core/units.ts';
import { createSubDayUnitEndFinder, findOffset, listOffsets } from '#src/energy/local-time.ts';
import { getFirstInstant } from '#src/energy/ranges.ts';
import { getStartOfSubDayUnit } from '#src/energy/wall-clock.ts';
import type { AlertType } from './store.ts';

/** Kind of period over which an alert adds up usage or costs: a clock hour, day or month in the time zone of the alert's user. */
export type PeriodKind = 'hour' | 'day' | 'month';

export type CostAlertType = 'daily_cost' | 'monthly_cost';
/** Types of alerts on the consumption in a period. */
export type UsageAlertType = Exclude<AlertType, CostAlertType | 'no_data'>;

/** Kind of period by type of alert. An alert of type `no_data` has no period. */
export const PERIOD_KIND_BY_ALERT_TYPE = {
  peak_usage: 'hour',
  daily_usage: 'day',
  monthly_usage: 'month',
  daily_cost: 'day',
  monthly_cost: 'month',
} as const satisfies Record<UsageAlertType | CostAlertType, PeriodKind>;

export const isCostAlertType = (type: AlertType): type is CostAlertType =>
  type === 'daily_cost' || type === 'monthly_cost';

/** Time range `[startMs, endMs)`, Unix ms. */
export interface Period {
  startMs: number;
  endMs: number;
}

/**
 * Returns the period that contains an instant, in a time zone (IANA name). Hours begin at full hours of the local clock, which in
 * Kolkata is half past the hour in UTC.
 */
export function getPeriodAt(kind: PeriodKind, zone: string, atMs: number): Period {
  if (kind === 'hour') return clockHourAt(zone, atMs);
  const time = DateTime.fromMillis(atMs, { zone });
  const next = time.startOf(kind).plus({ [kind]: 1 });
  return { startMs: getFirstInstant(time, kind).toMillis(), endMs: getFirstInstant(next, kind).toMillis() };
}

/** Returns the hour of the local clock that contains an instant. A clock change may shorten the hour. */
function clockHourAt(zone: string, atMs: number): Period {
  const range = { from: new Date(atMs - HOUR_MS), to: new Date(atMs + HOUR_MS), zone };
  const startMs = getStartOfSubDayUnit(atMs, { offset: findOffset(listOffsets(range), atMs) }, 'hour');
  return { startMs, endMs: createSubDayUnitEndFinder(range, 'hour')(startMs) };
}

/**
 * Returns the starts of UTC hours at intervals of 12 hours. Each day or month for which alerts may still fire contains at least
 * one of them.
 */
export const listHoursToEvaluate = (nowMs: number): number[] =>
  [0, 12, 24].map((back) => Math.floor(nowMs / HOUR_MS) * HOUR_MS - back * HOUR_MS);

/** Returns the periods of a zone that overlap the UTC hour that begins at `hourMs`. */
export function listPeriodsOverlappingHour(kind: PeriodKind, zone: string, hourMs: number): Period[] {
  const periods: Period[] = [];
  for (let atMs = hourMs; atMs < hourMs + HOUR_MS; ) {
    const period = getPeriodAt(kind, zone, atMs);
    periods.push(period);
    atMs = period.endMs;
  }
  return periods;
}
