import { type Alert, createAlert as create } from '#src/alerts/store.ts';
import { alertSettingsToRow } from '#src/api/v1/alerts/shape.ts';
import type { Database } from '#src/database/connect.ts';

export interface NewAlert {
  userId: string;
  type: Alert['type'];
  thresholdKwh?: number;
  thresholdHours?: number;
  /** Threshold of the alert as a decimal string, in kWh. */
  threshold?: string;
  delivery: Alert['delivery'];
}

/** Creates an alert. Its threshold is in kWh or, for `thresholdHours`, in hours. */
export const createAlert = (
  db: Database,
  { userId, thresholdKwh, thresholdHours, ...rule }: NewAlert,
): Promise<Alert> =>
  create(db, {
    userId,
    ...alertSettingsToRow({ ...rule, threshold_kwh: thresholdKwh, threshold_hours: thresholdHours }),
  });
