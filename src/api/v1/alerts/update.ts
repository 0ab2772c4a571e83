import { z } from 'zod';
import { DELIVERIES, findAlert, updateAlert as update } from '#src/alerts/store.ts';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf, reachUser } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { checkDelivery, checkThreshold, thresholdHours, thresholdKwh } from './fields.ts';

const body = z.strictObject({
  threshold_kwh: thresholdKwh.optional(),
  threshold_hours: thresholdHours.optional(),
  delivery: z.enum(DELIVERIES).optional(),
  status: z.enum(['active', 'paused']).optional(),
});

export const updateAlert = operation({
  summary: 'Changes an alert’s threshold, delivery or status.',
  method: 'PATCH',
  path: '/v1/alerts/{alert_id}',
  scope: 'alerts:write',
  answer: shapes.alert,
  params: z.object({ alert_id: id }),
  body,
  async handle({ context, caller, params, body: { threshold_kwh, threshold_hours, delivery, status } }) {
    const reach = reachOf(caller);
    const alert = orNotFound(await findAlert(context.db, reach, holdable(params.alert_id)));
    checkThreshold(alert.type, { threshold_kwh, threshold_hours }, { required: false });
    const owner = await reachUser(context.db, caller, alert.user_id);
    await checkDelivery(context.db, owner, delivery);
    return orNotFound(
      await update(context.db, reach, alert.alert_id, {
        ...(threshold_kwh === undefined ? {} : { thresholdKwh: threshold_kwh }),
        ...(threshold_hours === undefined ? {} : { thresholdHours: threshold_hours }),
        ...(delivery === undefined ? {} : { delivery }),
        ...(status === undefined ? {} : { status }),
      }),
    );
  },
});
