import type { Insertable, Selectable } from 'kysely';
import { createId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';

export type Alert = Selectable<Tables['alerts']>;
export type AlertType = Alert['type'];

/**
 * Columns that the owner of an alert sets. Only the threshold of the alert's type is set (in mWh, hours, or units of a currency); the other
 * thresholds are null.
 */
type AlertSettings = Omit<Insertable<Tables['alerts']>, 'alert_id' | 'user_id' | 'created_at'>;

export async function createAlert(
  db: Database,
  { userId, ...settings }: AlertSettings & { userId: string },
): Promise<Alert> {
  return db
    .insertInto('alerts')
    .values({ ...settings, alert_id: createId('alr'), user_id: userId })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns at most `limit` alerts of one account, in order of their ids, after `cursor`. */
export async function listAlerts(
  db: Database,
  reach: AccessibleAccounts,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Alert[]> {
  return db
    .selectFrom('alerts')
    .selectAll()
    .where('user_id', '=', userId)
    .where(isAccountAccessibleSql(reach, 'alerts.user_id'))
    .where('alert_id', '>', page.cursor ?? '')
    .orderBy('alert_id')
    .limit(page.limit)
    .execute();
}

/** Returns an alert that the caller can access, or null. */
export async function findAlert(db: Database, reach: AccessibleAccounts, alertId: string): Promise<Alert | null> {
  const row = await db
    .selectFrom('alerts')
    .selectAll()
    .where('alert_id', '=', alertId)
    .where(isAccountAccessibleSql(reach, 'alerts.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/** Updates an alert that the caller can access. Returns null if there is none. */
export async function updateAlert(
  db: Database,
  reach: AccessibleAccounts,
  alertId: string,
  patch: Partial<AlertSettings>,
): Promise<Alert | null> {
  if (Object.keys(patch).length === 0) return findAlert(db, reach, alertId);
  const row = await db
    .updateTable('alerts')
    .set(patch)
    .where('alert_id', '=', alertId)
    .where(isAccountAccessibleSql(reach, 'alerts.user_id'))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes an alert that the caller can access. Returns false if there is none. */
export async function deleteAlert(db: Database, reach: AccessibleAccounts, alertId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('alerts')
    .where('alert_id', '=', alertId)
    .where(isAccountAccessibleSql(reach, 'alerts.user_id'))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
