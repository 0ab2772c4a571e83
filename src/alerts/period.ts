import { DateTime, IANAZone } from 'luxon';
import { HOUR_MS, MINUTE_MS } from '#src/core/units.ts';
import { firstInstant } from '#src/energy/ranges.ts';
import type { AlertType } from './store.ts';

/** Kind of period that an alert on usage or costs adds up: clock hours, days or months in the time zone of its user. */
export type PeriodKind = 'hour' | 'day' | 'month';

/** Types of alerts on the cost of a period. */
export type CostAlertType = 'daily_cost' | 'monthly_cost';
/** Types of alerts on the consumption in a period. */
export type UsageAlertType = Exclude<AlertType, CostAlertType | 'no_data'>;

/** Kind of period by type of alert. `no_data` has none. */
export const PERIOD_KIND_BY_ALERT_TYPE = {
  peak_usage: 'hour',
  daily_usage: 'day',
  monthly_usage: 'month',
  daily_cost: 'day',
  monthly_cost: 'month',
} as const satisfies Record<UsageAlertType | CostAlertType, PeriodKind>;

export const isCostAlertType = (type: AlertType): type is CostAlertType =>
  type === 'daily_cost' || type === 'monthly_cost';

/** Half-open period `[startMs, endMs)`, Unix ms. */
export interface Period {
  startMs: number;
  endMs: number;
}

/**
 * Returns the period that contains an instant, in a time zone (IANA name). Hours begin on the clock of the zone: at half past (UTC) in
 * Kolkata.
 */
export function periodAt(kind: PeriodKind, zone: string, atMs: number): Period {
  if (kind === 'hour') {
    const offsetMs = zone === 'UTC' ? 0 : IANAZone.create(zone).offset(atMs) * MINUTE_MS;
    const startMs = Math.floor((atMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
    return { startMs, endMs: startMs + HOUR_MS };
  }
  const time = DateTime.fromMillis(atMs, { zone });
  const next = time.startOf(kind).plus({ [kind]: 1 });
  return { startMs: firstInstant(time, kind).toMillis(), endMs: firstInstant(next, kind).toMillis() };
}

/**
 * Returns hours (starts in UTC) that together touch every day or month that may still fire: current periods, and periods that ended less
 * than 24 hours ago. They are 12 hours apart, because no day is shorter than that.
 */
export const listHoursThatMayFire = (nowMs: number): number[] =>
  [0, 12, 24].map((back) => Math.floor(nowMs / HOUR_MS) * HOUR_MS - back * HOUR_MS);

/** Returns the periods of a zone that a UTC hour touches: one, or two if a period of the zone begins within the hour. */
export function periodsOfHour(kind: PeriodKind, zone: string, hourMs: number): Period[] {
  const first = periodAt(kind, zone, hourMs);
  const last = periodAt(kind, zone, hourMs + HOUR_MS - 1);
  return last.startMs === first.startMs ? [first] : [first, last];
}
