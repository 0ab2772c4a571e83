import { z } from 'zod';
import { findAlert, updateAlert as update } from '#src/alerts/store.ts';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf, reachUser } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { checkDelivery, checkTariff, checkThreshold } from './check.ts';
import { alert, alertPatch, toRow, toWire } from './shape.ts';

export const updateAlert = operation({
  summary: 'Changes an alert’s threshold, delivery or status.',
  method: 'PATCH',
  path: '/v1/alerts/{alert_id}',
  audit: { action: 'alert.changed', target: 'alert_id' },
  scope: 'alerts:write',
  answer: alert,
  params: z.object({ alert_id: id }),
  body: alertPatch,
  exactNumbers: ['threshold'],
  async handle({ context, caller, params, body: patch }) {
    const reach = reachOf(caller);
    const { alert_id, type, user_id } = orNotFound(await findAlert(context.db, reach, holdable(params.alert_id)));
    checkThreshold(type, patch, { required: false });
    await checkTariff(context.db, user_id, patch.threshold);
    await checkDelivery(context.db, await reachUser(context.db, caller, user_id), patch.delivery);
    return toWire(orNotFound(await update(context.db, reach, alert_id, toRow(patch))));
  },
});
