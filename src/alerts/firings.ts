import type { Selectable } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';

/**
 * A past firing of an alert. If the alert has the type `no_data`, `device_id` is the silent device, and `period_end` and the
 * totals are null. Firings of alerts on costs have `total_cost` and `currency` instead of `total_milliwatt_hours`.
 */
export type PastAlertFiring = Omit<Selectable<Tables['alert_firings']>, 'alert_id'>;

/** Returns at most `limit` firings of an alert that the caller can access, newest first, before `cursor` (an event id). */
export async function listFirings(
  db: Database,
  reach: AccessibleAccounts,
  alertId: string,
  page: { limit: number; cursor?: string },
): Promise<PastAlertFiring[]> {
  const { cursor, limit } = page;
  const all = db
    .selectFrom('alert_firings as f')
    .innerJoin('alerts as a', 'a.alert_id', 'f.alert_id')
    .select(['f.fired_at', 'f.period_start', 'f.period_end', 'f.device_id', 'f.event_id'])
    .select(['f.total_milliwatt_hours', 'f.total_cost', 'f.currency'])
    .where('f.alert_id', '=', alertId)
    .where(isAccountAccessibleSql(reach, 'a.user_id'));
  return (cursor === undefined ? all : all.where('f.event_id', '<', cursor))
    .orderBy('f.event_id', 'desc')
    .limit(limit)
    .execute();
}
