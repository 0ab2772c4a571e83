import { z } from 'zod';
import type { Alert } from '#src/alerts/store.ts';
import { id } from '#src/api/fields.ts';
import { instant } from '#src/api/shapes.ts';
import { defined } from '#src/core/defined.ts';
import { kwhToMilliwattHours, MILLIWATT_HOURS_PER_KWH } from '#src/core/units.ts';
import { ALERT_DELIVERIES, ALERT_TYPES, PAUSABLE_STATUSES } from '#src/database/enums.ts';

const type = z.enum(ALERT_TYPES);
const delivery = z.enum(ALERT_DELIVERIES);
const status = z.enum(PAUSABLE_STATUSES);
const thresholds = {
  /** Above nothing (a mWh at least, the unit of everything stored) and below what could be stored. */
  threshold_kwh: z.number().min(0.000_001).max(1_000_000_000).optional(),
  threshold_hours: z.number().int().min(1).max(720).optional(),
};

/** A rule and whose usage it is about: what POST /v1/alerts/preview takes. */
export const rule = z.strictObject({ user_id: id.optional(), type, ...thresholds });
export const newAlert = rule.extend({ delivery });
export const alertPatch = z.strictObject({
  ...thresholds,
  delivery: delivery.optional(),
  status: status.optional(),
});

export const alert = z
  .strictObject({
    alert_id: z.string(),
    user_id: z.string(),
    type,
    threshold_kwh: z.number().optional(),
    threshold_hours: z.number().int().optional(),
    delivery,
    status,
    created_at: instant,
  })
  .meta({ id: 'Alert' });

export const alertPreview = z
  .strictObject({
    user_id: z.string(),
    data: z.array(
      z.strictObject({
        period_start: instant,
        period_end: instant.nullable(),
        kwh_used: z.number().optional(),
        device_id: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'AlertPreview' });

/** What was asked for as columns: a member keeps its name, but for the threshold in kWh, which is stored in mWh. */
export function toRow<Settings extends { threshold_kwh?: number | undefined }>(settings: Settings) {
  const { threshold_kwh, ...others } = settings;
  const threshold_milliwatt_hours = threshold_kwh === undefined ? undefined : kwhToMilliwattHours(threshold_kwh);
  return defined({ ...others, threshold_milliwatt_hours });
}

/** An alert as answers show it: with the one threshold that its type has. */
export const toWire = (row: Alert): z.output<typeof alert> =>
  defined({
    alert_id: row.alert_id,
    user_id: row.user_id,
    type: row.type,
    threshold_kwh:
      row.threshold_milliwatt_hours === null ? undefined : row.threshold_milliwatt_hours / MILLIWATT_HOURS_PER_KWH,
    threshold_hours: row.threshold_hours ?? undefined,
    delivery: row.delivery,
    status: row.status,
    created_at: row.created_at.toISOString(),
  });
