import { z } from 'zod';
import { ALERT_TYPES, createAlert as create, DELIVERIES } from '#src/alerts/store.ts';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { checkDelivery, checkThreshold, thresholdHours, thresholdKwh } from './fields.ts';

const body = z.strictObject({
  user_id: id.optional(),
  type: z.enum(ALERT_TYPES),
  threshold_kwh: thresholdKwh.optional(),
  threshold_hours: thresholdHours.optional(),
  delivery: z.enum(DELIVERIES),
});

export const createAlert = operation({
  summary: 'Sets a threshold on a user’s usage.',
  method: 'POST',
  path: '/v1/alerts',
  scope: 'alerts:write',
  answer: z.strictObject({ alert_id: z.string(), status: z.string() }),
  body,
  async handle({ context, caller, body: { user_id, type, threshold_kwh, threshold_hours, delivery } }) {
    checkThreshold(type, { threshold_kwh, threshold_hours }, { required: true });
    const owner = await reachUser(context.db, caller, user_id);
    await checkDelivery(context.db, owner, delivery);
    const { alert_id, status } = await create(context.db, {
      userId: owner.user_id,
      type,
      delivery,
      ...(threshold_kwh === undefined ? {} : { thresholdKwh: threshold_kwh }),
      ...(threshold_hours === undefined ? {} : { thresholdHours: threshold_hours }),
    });
    return { alert_id, status };
  },
});
