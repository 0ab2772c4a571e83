import { DateTime } from 'luxon';
import { type MilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Cost } from '#src/cost/cost.ts';
import { costsOf } from '#src/cost/costs.ts';
import { isOfTwoCurrencies, runningCosts } from '#src/cost/running.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { dayRange, type Range } from '#src/energy/ranges.ts';
import { usedBy } from '#src/energy/used.ts';
import { COLUMN, LOAD_PROFILE } from '#src/rollups/levels.ts';
import { devicePartsBetween } from '#src/rollups/parts.ts';
import { comparable } from './costs.ts';
import { type CostType, PERIOD_OF, type Period, type PeriodKind, periodAt, type UsageType } from './period.ts';

/** How far back a preview tries a rule. */
const DAYS = 90;
/** In SQL; quarter-hours ahead of the clock are those of meters whose clocks are. */
const LOOKED_AT = { from: `($3::timestamptz - interval '${DAYS} days')`, to: `($3::timestamptz + interval '1 day')` };

/** A period on which a rule would have fired. */
export interface WouldHaveFired {
  period_start: string;
  /** Null for a silence that goes on. */
  period_end: string | null;
  kwh_used?: number;
  cost?: string;
  currency?: string;
  device_id?: string;
}

/** On which periods of the last 90 days (of the user's zone) a rule on usage would have fired, in order. */
export async function previewUsage(
  db: Database,
  user: { user_id: string; timezone: string },
  type: UsageType,
  thresholdMilliwattHours: MilliwattHours,
  now: Date,
): Promise<WouldHaveFired[]> {
  const { timezone: zone, user_id: userId } = user;
  const kind = PERIOD_OF[type];
  const rows = await usedBy(db, userId, lookedAt(kind, zone, now), kind);
  return rows
    .filter(({ milliwattHours }) => milliwattHours > thresholdMilliwattHours)
    .map(({ at, milliwattHours }) => {
      const atMs = typeof at === 'string' ? DateTime.fromISO(at, { zone }).toMillis() : at.getTime();
      const { startMs, endMs } = periodAt(kind, zone, atMs);
      return {
        period_start: new Date(startMs).toISOString(),
        period_end: new Date(endMs).toISOString(),
        kwh_used: milliwattHoursToKwh(milliwattHours),
      };
    });
}

/** On which days or months of the last 90 days (of the user's zone) a rule on costs would have fired, in order, by the prices of now. */
export async function previewCosts(
  db: Database,
  user: { user_id: string; timezone: string },
  type: CostType,
  threshold: string,
  now: Date,
): Promise<WouldHaveFired[]> {
  const { timezone: zone, user_id: userId } = user;
  const kind = PERIOD_OF[type];
  const known = await costsBy(db, userId, kind, lookedAt(kind, zone, now), now);
  return known
    .filter(({ cost }) => comparable(cost.total) > comparable(threshold))
    .map(({ period, cost: { total, currency } }) => ({
      period_start: new Date(period.startMs).toISOString(),
      period_end: new Date(period.endMs).toISOString(),
      cost: total,
      currency,
    }));
}

/** What the periods of a range cost, where a tariff held; without those of two currencies. */
async function costsBy(
  db: Database,
  userId: string,
  kind: 'day' | 'month',
  range: Range,
  now: Date,
): Promise<{ period: Period; cost: Cost }[]> {
  const { zone, from, to } = range;
  try {
    const rows = await costsOf(db, { buyer: { userId }, range, now }, kind);
    return rows.map(({ labels, cost }) => ({
      period: periodAt(kind, zone, DateTime.fromISO(labels.date, { zone }).toMillis()),
      cost,
    }));
  } catch (error) {
    if (!isOfTwoCurrencies(error)) throw error;
  }
  // Seldom: one by one.
  const periods: Period[] = [];
  for (let atMs = from.getTime(); atMs < to.getTime(); atMs = (periods.at(-1) as Period).endMs)
    periods.push(periodAt(kind, zone, atMs));
  const costs = await runningCosts(db, userId, periods, now);
  return periods.flatMap((period, index) => {
    const cost = costs[index];
    return cost ? [{ period, cost }] : [];
  });
}

/** The last 90 days of a zone; whole months: one that began before counts with all of it. */
function lookedAt(kind: PeriodKind, zone: string, now: Date): Range {
  const today = DateTime.fromJSDate(now, { zone });
  const first = today.minus({ days: DAYS - 1 });
  return dayRange((kind === 'month' ? first.startOf('month') : first).toISODate() ?? '', today.toISODate() ?? '', zone);
}

/**
 * In which silences of the last 90 days a no_data rule would have fired, device by device. From the load profile, so to
 * the quarter-hour; a device that reports no energy is not looked at.
 */
export async function previewSilence(
  db: Database,
  userId: string,
  thresholdHours: number,
  now: Date,
): Promise<WouldHaveFired[]> {
  // Raw SQL: gaps between rows, by a window function.
  const { rows } = await queryOf(db)<{ device_id: string; since: Date; until: Date | null }>(
    `SELECT device_id, starts_at + interval '15 minutes' AS since, next_at AS until FROM (
       SELECT i.device_id, i.starts_at, lead(i.starts_at) OVER (PARTITION BY i.device_id ORDER BY i.starts_at) AS next_at
       FROM (SELECT p.device_id, p.starts_at FROM ${devicePartsBetween(LOAD_PROFILE, [COLUMN.readingCount], LOOKED_AT)} p
         WHERE p.user_id = $1 GROUP BY 1, 2 HAVING sum(p.${COLUMN.readingCount}) > 0) i
       JOIN devices d USING (device_id)
       WHERE d.deleted_at IS NULL
     ) gaps
     WHERE coalesce(next_at, $3) > starts_at + interval '15 minutes' + make_interval(hours => $2)
     ORDER BY since, device_id LIMIT 1000`,
    [userId, thresholdHours, now],
  );
  return rows.map(({ device_id, since, until }) => ({
    device_id,
    period_start: since.toISOString(),
    period_end: until?.toISOString() ?? null,
  }));
}
