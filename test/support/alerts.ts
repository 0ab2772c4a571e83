import { type Alert, createAlert as create } from '#src/alerts/store.ts';
import { alertSettingsToRow } from '#src/api/v1/alerts/shape.ts';
import type { Database } from '#src/database/connect.ts';

export interface NewAlert {
  userId: string;
  type: Alert['type'];
  thresholdKwh?: number;
  thresholdHours?: number;
  /** Amount above which a cost alert fires, as a decimal string. */
  threshold?: string;
  delivery: Alert['delivery'];
}

/** Creates an alert with the threshold that its type needs: in kWh, in hours, or an amount of money. */
export const createAlert = (
  db: Database,
  { userId, thresholdKwh, thresholdHours, ...rule }: NewAlert,
): Promise<Alert> =>
  create(db, {
    userId,
    ...alertSettingsToRow({ ...rule, threshold_kwh: thresholdKwh, threshold_hours: thresholdHours }),
  });
