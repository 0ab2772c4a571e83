import { z } from 'zod';
import { previewSilence, previewUsage } from '#src/alerts/preview.ts';
import { ALERT_TYPES } from '#src/alerts/store.ts';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { reachUser } from '#src/auth/access.ts';
import { kwhToMilliwattHours } from '#src/core/units.ts';
import { checkThreshold, thresholdHours, thresholdKwh } from './fields.ts';

const body = z.strictObject({
  user_id: id.optional(),
  type: z.enum(ALERT_TYPES),
  threshold_kwh: thresholdKwh.optional(),
  threshold_hours: thresholdHours.optional(),
});

export const previewAlert = operation({
  summary: 'Says on which periods of the last 90 days an alert would have fired; makes none.',
  method: 'POST',
  changes: 'nothing',
  path: '/v1/alerts/preview',
  scope: 'alerts:read',
  answer: shapes.alertPreview,
  status: 200,
  body,
  async handle({ context, caller, body: { user_id, type, threshold_kwh, threshold_hours } }) {
    checkThreshold(type, { threshold_kwh, threshold_hours }, { required: true });
    const user = await reachUser(context.db, caller, user_id);
    const now = context.clock();
    const data =
      type === 'no_data'
        ? await previewSilence(context.readDb, user.user_id, threshold_hours ?? 0, now)
        : await previewUsage(context.readDb, user, type, kwhToMilliwattHours(threshold_kwh ?? 0), now);
    return { user_id: user.user_id, data };
  },
});
