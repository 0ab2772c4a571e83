import { z } from 'zod';
import type { Alert } from '#src/alerts/store.ts';
import { decimalField, userIdField } from '#src/api/fields.ts';
import { createdAtSchema, instantSchema, userIdSchema } from '#src/api/shapes.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { kwhToMilliwattHours, MILLIWATT_HOURS_PER_KWH } from '#src/core/units.ts';
import { ACTIVE_OR_PAUSED, ALERT_DELIVERY_CHANNELS, ALERT_TYPES } from '#src/database/enums.ts';
import { alert_id, created_at, type Examples, user_id } from '../example-ids.ts';

const alertId = z.string().describe('Id of the alert.');
const type = z
  .enum(ALERT_TYPES)
  .describe(
    'Monitored value: the usage in any clock hour (`peak_usage`), in a day or in a month, the cost of a day or a month, or the silence of a device (`no_data`).',
  );
const delivery = z.enum(ALERT_DELIVERY_CHANNELS).describe('Notification channel.');
const status = z.enum(ACTIVE_OR_PAUSED).describe('A paused alert does not fire.');
const thresholds = {
  /** The minimum is 1 mWh, because energy is stored in mWh. */
  threshold_kwh: z
    .number()
    .min(0.000_001)
    .max(1_000_000_000)
    .optional()
    .describe('Usage above which the alert fires, in kWh. Required with types on usage, and allowed only with them.'),
  threshold: decimalField
    .refine((kept) => /[1-9]/.test(kept) && !kept.startsWith('-'), 'must be above 0')
    .optional()
    .describe(
      'Total cost above which the alert fires, in the currency of the tariff in force. Required with types on costs, and allowed only with them.',
    ),
  threshold_hours: z
    .number()
    .int()
    .min(1)
    .max(720)
    .optional()
    .describe('Silence after which the alert fires, in hours. Required with type `no_data`, and allowed only with it.'),
};

/** Body of POST /v1/alerts/preview: the rule of an alert, and the user whose past usage is evaluated. */
export const previewedRuleSchema = z.strictObject({ user_id: userIdField.optional(), type, ...thresholds });
export const newAlertSchema = previewedRuleSchema.extend({ delivery });
export const alertPatchSchema = z.strictObject({
  ...thresholds,
  delivery: delivery.optional(),
  status: status.optional(),
});

export const alertSchema = z
  .strictObject({
    alert_id: alertId,
    user_id: userIdSchema,
    type,
    threshold_kwh: z
      .number()
      .optional()
      .describe('Usage above which the alert fires, in kWh. Only in alerts on usage.'),
    threshold: z
      .string()
      .optional()
      .describe(
        'Total cost above which the alert fires, in the currency of the tariff in force: a decimal with up to 9 places, as text. Only in alerts on costs.',
      ),
    threshold_hours: z
      .number()
      .int()
      .optional()
      .describe('Silence after which the alert fires, in hours. Only in alerts of type `no_data`.'),
    delivery,
    status,
    created_at: createdAtSchema,
  })
  .meta({ id: 'Alert' });

export const createdAlertSchema = z.strictObject({
  alert_id: alertId,
  status: z.string().describe('`active`: the alert is monitored from now on.'),
});

export const alertPreviewSchema = z
  .strictObject({
    user_id: userIdSchema,
    data: z
      .array(
        z.strictObject({
          period_start: instantSchema.describe(
            'Start of the period. For `no_data`: time of the device’s last reading.',
          ),
          period_end: instantSchema.nullable().describe('End of the period, exclusive. Null: the silence continues.'),
          kwh_used: z.number().optional().describe('Usage in the period, in kWh. Only with types on usage.'),
          cost: z.string().optional().describe('Total cost of the period. Only with types on costs.'),
          currency: z.string().optional().describe('Currency of the cost (ISO 4217). Only with types on costs.'),
          device_id: z.string().optional().describe('Id of the silent device. Only with type `no_data`.'),
        }),
      )
      .describe('Periods of the last 90 days in which the alert would have fired.'),
  })
  .meta({ id: 'AlertPreview' });

/** Converts the settings in a request to the database columns of an alert. The threshold in kWh becomes mWh. */
export function alertSettingsToRow<Settings extends { threshold_kwh?: number | undefined }>(settings: Settings) {
  const { threshold_kwh, ...others } = settings;
  const threshold_milliwatt_hours = threshold_kwh === undefined ? undefined : kwhToMilliwattHours(threshold_kwh);
  return omitUndefined({ ...others, threshold_milliwatt_hours });
}

/** Converts a stored alert to its form in responses, with only the threshold that its type uses. */
export const alertToResponse = (row: Alert): z.output<typeof alertSchema> =>
  omitUndefined({
    alert_id: row.alert_id,
    user_id: row.user_id,
    type: row.type,
    threshold_kwh:
      row.threshold_milliwatt_hours === null ? undefined : row.threshold_milliwatt_hours / MILLIWATT_HOURS_PER_KWH,
    threshold: row.threshold ?? undefined,
    threshold_hours: row.threshold_hours ?? undefined,
    delivery: row.delivery,
    status: row.status,
    created_at: row.created_at.toISOString(),
  });

const exampleAlert = {
  alert_id,
  user_id,
  type: 'daily_usage',
  threshold_kwh: 15,
  delivery: 'email',
  status: 'active',
  created_at,
};

const budget = {
  alert_id: 'alr_01k8xq9v3m5n7p1r2s4t6v8wza',
  user_id,
  type: 'monthly_cost',
  threshold: '80.00',
  delivery: 'email',
  status: 'active',
  created_at,
};

export const ALERT_EXAMPLES = {
  createAlert: {
    body: { type: 'daily_usage', threshold_kwh: 15, delivery: 'email' },
    answer: { alert_id, status: 'active' },
  },
  listAlerts: { answer: [exampleAlert, budget] },
  getAlert: { answer: exampleAlert },
  updateAlert: { body: { threshold_kwh: 18 }, answer: { ...exampleAlert, threshold_kwh: 18 } },
  deleteAlert: { answer: { message: `Alert ${alert_id} was deleted` } },
  previewAlert: {
    body: { type: 'daily_usage', threshold_kwh: 15 },
    answer: {
      user_id,
      data: [{ period_start: '2026-06-12T22:00:00.000Z', period_end: '2026-06-13T22:00:00.000Z', kwh_used: 16.031 }],
    },
  },
} satisfies Examples;
