import { newId } from '#src/core/ids.ts';
import { kwhToMilliwattHours, MILLIWATT_HOURS_PER_KWH } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { type Reach, within } from '#src/database/reach.ts';

export const ALERT_TYPES = ['peak_usage', 'daily_usage', 'monthly_usage', 'no_data'] as const;
export const DELIVERIES = ['email', 'sms', 'webhook'] as const;
export type AlertType = (typeof ALERT_TYPES)[number];
export type Delivery = (typeof DELIVERIES)[number];

/** An alert as the API shows it: `threshold_hours` for no_data, `threshold_kwh` for every other type. */
export interface Alert {
  alert_id: string;
  user_id: string;
  type: AlertType;
  threshold_kwh?: number;
  threshold_hours?: number;
  delivery: Delivery;
  status: 'active' | 'paused';
  created_at: string;
}

export interface NewAlert {
  userId: string;
  type: AlertType;
  thresholdKwh?: number;
  thresholdHours?: number;
  delivery: Delivery;
}

export interface AlertPatch {
  thresholdKwh?: number;
  thresholdHours?: number;
  delivery?: Delivery;
  status?: 'active' | 'paused';
}

const COLUMNS = [
  'alert_id',
  'user_id',
  'type',
  'threshold_mwh',
  'threshold_hours',
  'delivery',
  'status',
  'created_at',
] as const;

export async function createAlert(db: Database, alert: NewAlert): Promise<Alert> {
  const row = await db
    .insertInto('alerts')
    .values({
      alert_id: newId('alr'),
      user_id: alert.userId,
      type: alert.type,
      threshold_mwh: alert.thresholdKwh === undefined ? null : kwhToMilliwattHours(alert.thresholdKwh),
      threshold_hours: alert.thresholdHours ?? null,
      delivery: alert.delivery,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return shown(row);
}

/** Alerts of one account, in order of their ids, after `cursor`; at most `limit`. */
export async function listAlerts(
  db: Database,
  reach: Reach,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Alert[]> {
  const rows = await db
    .selectFrom('alerts')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where(within(reach, 'alerts.user_id'))
    .where('alert_id', '>', page.cursor ?? '')
    .orderBy('alert_id')
    .limit(page.limit)
    .execute();
  return rows.map(shown);
}

/** One alert within the reach; null where there is none. */
export async function findAlert(db: Database, reach: Reach, alertId: string): Promise<Alert | null> {
  const row = await db
    .selectFrom('alerts')
    .select(COLUMNS)
    .where('alert_id', '=', alertId)
    .where(within(reach, 'alerts.user_id'))
    .executeTakeFirst();
  return row ? shown(row) : null;
}

/** Changes an alert within the reach; null where there is none. */
export async function updateAlert(
  db: Database,
  reach: Reach,
  alertId: string,
  patch: AlertPatch,
): Promise<Alert | null> {
  const values = {
    ...(patch.thresholdKwh === undefined ? {} : { threshold_mwh: kwhToMilliwattHours(patch.thresholdKwh) }),
    ...(patch.thresholdHours === undefined ? {} : { threshold_hours: patch.thresholdHours }),
    ...(patch.delivery === undefined ? {} : { delivery: patch.delivery }),
    ...(patch.status === undefined ? {} : { status: patch.status }),
  };
  if (Object.keys(values).length === 0) return findAlert(db, reach, alertId);
  const row = await db
    .updateTable('alerts')
    .set(values)
    .where('alert_id', '=', alertId)
    .where(within(reach, 'alerts.user_id'))
    .returning(COLUMNS)
    .executeTakeFirst();
  return row ? shown(row) : null;
}

/** Removes an alert within the reach; false where there is none. */
export async function deleteAlert(db: Database, reach: Reach, alertId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('alerts')
    .where('alert_id', '=', alertId)
    .where(within(reach, 'alerts.user_id'))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

type Row = Omit<Alert, 'threshold_kwh' | 'threshold_hours' | 'created_at'> & {
  threshold_mwh: number | null;
  threshold_hours: number | null;
  created_at: Date;
};

function shown({ threshold_mwh, threshold_hours, created_at, ...row }: Row): Alert {
  const { alert_id, user_id, type, delivery, status } = row;
  return {
    alert_id,
    user_id,
    type,
    ...(threshold_mwh === null ? {} : { threshold_kwh: threshold_mwh / MILLIWATT_HOURS_PER_KWH }),
    ...(threshold_hours === null ? {} : { threshold_hours }),
    delivery,
    status,
    created_at: created_at.toISOString(),
  };
}
