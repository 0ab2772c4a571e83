import { DateTime } from 'luxon';
import { type MilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { usedBy } from '#src/energy/used.ts';
import { COLUMN, LOAD_PROFILE } from '#src/rollups/levels.ts';
import { devicePartsBetween } from '#src/rollups/parts.ts';
import { PERIOD_OF, periodAt } from './period.ts';
import type { AlertType } from './store.ts';

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
  device_id?: string;
}

/** On which periods of the last 90 days (of the user's zone) a rule on usage would have fired, in order. */
export async function previewUsage(
  db: Database,
  user: { user_id: string; timezone: string },
  type: Exclude<AlertType, 'no_data'>,
  thresholdMilliwattHours: MilliwattHours,
  now: Date,
): Promise<WouldHaveFired[]> {
  const { timezone: zone, user_id: userId } = user;
  const today = DateTime.fromJSDate(now, { zone });
  const range = dayRange(today.minus({ days: DAYS - 1 }).toISODate() ?? '', today.toISODate() ?? '', zone);
  const kind = PERIOD_OF[type];
  // Whole months: one that began before counts with all of it.
  const first = kind === 'month' ? DateTime.fromISO(range.start).startOf('month').toISODate() : range.start;
  const rows = await usedBy(db, userId, dayRange(first ?? '', range.end, zone), kind);
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
