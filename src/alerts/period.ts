import { DateTime, IANAZone } from 'luxon';
import { HOUR_MS, MINUTE_MS } from '#src/core/units.ts';
import { firstInstant } from '#src/energy/ranges.ts';
import type { AlertType } from './store.ts';

/** What an alert on usage or costs sums up: clock hours, days or months of its user's time zone. */
export type PeriodKind = 'hour' | 'day' | 'month';

/** Alerts on what a period costs. */
export type CostType = 'daily_cost' | 'monthly_cost';
/** Alerts on what was used in a period. */
export type UsageType = Exclude<AlertType, CostType | 'no_data'>;

/** The period of each type of alert that has one. */
export const PERIOD_OF = {
  peak_usage: 'hour',
  daily_usage: 'day',
  monthly_usage: 'month',
  daily_cost: 'day',
  monthly_cost: 'month',
} as const satisfies Record<UsageType | CostType, PeriodKind>;

export const isCostType = (type: AlertType): type is CostType => type === 'daily_cost' || type === 'monthly_cost';

/** `[startMs, endMs)`, Unix ms. */
export interface Period {
  startMs: number;
  endMs: number;
}

/** The period of a zone (IANA name) that an instant lies in. Hours begin on the zone's clock: at half past in Kolkata. */
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
 * Hours (UTC, their starts) that together touch every period of a day or a month that may still fire: those under way, and those that ended less
 * than 24 hours ago. Twelve hours apart, since no day is shorter than that.
 */
export const hoursThatMayFire = (nowMs: number): number[] =>
  [0, 12, 24].map((back) => Math.floor(nowMs / HOUR_MS) * HOUR_MS - back * HOUR_MS);

/** The periods of a zone that a UTC hour touches: one, or two where the zone's clock hours lie across it. */
export function periodsOfHour(kind: PeriodKind, zone: string, hourMs: number): Period[] {
  const first = periodAt(kind, zone, hourMs);
  const last = periodAt(kind, zone, hourMs + HOUR_MS - 1);
  return last.startMs === first.startMs ? [first] : [first, last];
}
