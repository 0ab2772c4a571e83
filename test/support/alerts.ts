import { type Alert, createAlert as create } from '#src/alerts/store.ts';
import { toRow } from '#src/api/v1/alerts/shape.ts';
import type { Database } from '#src/database/connect.ts';

export interface NewAlert {
  userId: string;
  type: Alert['type'];
  thresholdKwh?: number;
  thresholdHours?: number;
  /** A decimal. */
  threshold?: string;
  delivery: Alert['delivery'];
}

/** Makes an alert whose threshold is in kWh or hours, as people say it. */
export const createAlert = (
  db: Database,
  { userId, thresholdKwh, thresholdHours, ...rule }: NewAlert,
): Promise<Alert> =>
  create(db, { userId, ...toRow({ ...rule, threshold_kwh: thresholdKwh, threshold_hours: thresholdHours }) });
