import { DateTime } from 'luxon';
import { DAY_MS, HOUR_MS, type MilliwattHours, milliwattHoursToKwh, QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Cost } from '#src/cost/cost.ts';
import { loadCosts } from '#src/cost/costs.ts';
import { isMixedCurrenciesError, loadCostsOfCurrentPeriods } from '#src/cost/running.ts';
import type { Database } from '#src/database/connect.ts';
import { readHomeUsageByBucket } from '#src/energy/home-usage.ts';
import { createDayRange, type DayRange } from '#src/energy/ranges.ts';
import { readQuarterHours } from '#src/energy/usage/quarter-hours.ts';
import { parseAmountForComparison } from './costs.ts';
import {
  type CostAlertType,
  getPeriodAt,
  PERIOD_KIND_BY_ALERT_TYPE,
  type Period,
  type PeriodKind,
  type UsageAlertType,
} from './period.ts';

/** Number of past days in which the preview of an alert searches for firings. */
const DAYS = 90;
const MAX_SILENCES = 1_000;

/** A past period in which the previewed rule would have fired. */
export interface HypotheticalFiring {
  period_start: string;
  /** End of the period; null for a silence that has not ended. */
  period_end: string | null;
  kwh_used?: number;
  cost?: string;
  currency?: string;
  device_id?: string;
}

/** Returns the periods of the last 90 days (in the user's zone) in which a rule on usage would have fired, oldest first. */
export async function previewUsageAlert(
  db: Database,
  user: { user_id: string; timezone: string },
  type: UsageAlertType,
  thresholdMilliwattHours: MilliwattHours,
  now: Date,
): Promise<HypotheticalFiring[]> {
  const { timezone: zone, user_id: userId } = user;
  const kind = PERIOD_KIND_BY_ALERT_TYPE[type];
  const rows = await readHomeUsageByBucket(db, userId, lookedAt(kind, zone, now), kind);
  return rows
    .filter(({ milliwattHours }) => milliwattHours > thresholdMilliwattHours)
    .map(({ at, milliwattHours }) => {
      const atMs = typeof at === 'string' ? DateTime.fromISO(at, { zone }).toMillis() : at.getTime();
      const { startMs, endMs } = getPeriodAt(kind, zone, atMs);
      return {
        period_start: new Date(startMs).toISOString(),
        period_end: new Date(endMs).toISOString(),
        kwh_used: milliwattHoursToKwh(milliwattHours),
      };
    });
}

/**
 * Returns the days or months of the last 90 days (in the user's zone) in which a rule on costs would have fired, oldest first.
 */
export async function previewCostAlert(
  db: Database,
  user: { user_id: string; timezone: string },
  type: CostAlertType,
  threshold: string,
  now: Date,
): Promise<HypotheticalFiring[]> {
  const { timezone: zone, user_id: userId } = user;
  const kind = PERIOD_KIND_BY_ALERT_TYPE[type];
  const known = await costsBy(db, userId, kind, lookedAt(kind, zone, now), now);
  return known
    .filter(({ cost }) => parseAmountForComparison(cost.total) > parseAmountForComparison(threshold))
    .map(({ period, cost: { total, currency } }) => ({
      period_start: new Date(period.startMs).toISOString(),
      period_end: new Date(period.endMs).toISOString(),
      cost: total,
      currency,
    }));
}

/**
 * Returns the costs of those periods of a range in which a tariff was valid. Omits periods in which tariffs of two currencies were valid.
 */
async function costsBy(
  db: Database,
  userId: string,
  kind: 'day' | 'month',
  range: DayRange,
  now: Date,
): Promise<{ period: Period; cost: Cost }[]> {
  const { zone, from, to } = range;
  try {
    const rows = await loadCosts(db, { buyer: { userId }, range, now }, kind);
    return rows.map(({ labels, cost }) => ({
      period: getPeriodAt(kind, zone, DateTime.fromISO(labels.date, { zone }).toMillis()),
      cost,
    }));
  } catch (error) {
    if (!isMixedCurrenciesError(error)) throw error;
  }
  // In the rare case that tariffs of two currencies are valid in the range, each period is computed separately.
  const periods: Period[] = [];
  for (let atMs = from.getTime(); atMs < to.getTime(); atMs = (periods.at(-1) as Period).endMs)
    periods.push(getPeriodAt(kind, zone, atMs));
  const costs = await loadCostsOfCurrentPeriods(db, userId, periods, now);
  return periods.flatMap((period, index) => {
    const cost = costs[index];
    return cost ? [{ period, cost }] : [];
  });
}

/** Returns the last 90 days of a zone. For alert rules on months, the range begins on the first day of a month. */
function lookedAt(kind: PeriodKind, zone: string, now: Date): DayRange {
  const today = DateTime.fromJSDate(now, { zone });
  const first = today.minus({ days: DAYS - 1 });
  return createDayRange(
    (kind === 'month' ? first.startOf('month') : first).toISODate() ?? '',
    today.toISODate() ?? '',
    zone,
  );
}

/**
 * Returns the silences of the last 90 days for which a no_data rule would have fired, oldest first. They are precise to a
 * quarter-hour. Devices without energy readings have no silences.
 */
export async function previewSilenceAlert(
  db: Database,
  userId: string,
  thresholdHours: number,
  now: Date,
): Promise<HypotheticalFiring[]> {
  const devices = await db
    .selectFrom('devices')
    .select('device_id')
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .execute();
  const ids = devices.map(({ device_id }) => device_id);
  const quarterAt = (ms: number) => Math.ceil(ms / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  // The range extends one day beyond now, because a meter's clock may run ahead.
  const fromMs = quarterAt(now.getTime() - DAYS * DAY_MS);
  const range = { from: new Date(fromMs), to: new Date(quarterAt(now.getTime() + DAY_MS)) };
  const quarters = await readQuarterHours(db, { key: 'device_id', ids }, range, ['readingCount']);
  const silences = [...quarters].flatMap(([deviceId, { readingCount }]) =>
    gapsIn(readingCount).map(({ first, next }) => ({
      deviceId,
      sinceMs: fromMs + first * QUARTER_HOUR_MS,
      untilMs: next === null ? null : fromMs + next * QUARTER_HOUR_MS,
    })),
  );
  return silences
    .filter(({ sinceMs, untilMs }) => (untilMs ?? now.getTime()) > sinceMs + thresholdHours * HOUR_MS)
    .sort((a, b) => a.sinceMs - b.sinceMs || (a.deviceId < b.deviceId ? -1 : 1))
    .slice(0, MAX_SILENCES)
    .map(({ deviceId, sinceMs, untilMs }) => ({
      device_id: deviceId,
      period_start: new Date(sinceMs).toISOString(),
      period_end: untilMs === null ? null : new Date(untilMs).toISOString(),
    }));
}

/**
 * Returns the gaps without readings as index ranges `[first, next)`, from the first reading onwards. `next` is null if the gap
 * has not ended.
 */
function gapsIn(readingCount: Float64Array): { first: number; next: number | null }[] {
  const gaps: { first: number; next: number | null }[] = [];
  let last: number | null = null;
  for (let at = 0; at < readingCount.length; at++) {
    if ((readingCount[at] as number) <= 0) continue;
    if (last !== null && at > last + 1) gaps.push({ first: last + 1, next: at });
    last = at;
  }
  return last === null ? gaps : [...gaps, { first: last + 1, next: null }];
}
