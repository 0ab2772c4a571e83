import { createAlert as create } from '#src/alerts/store.ts';
import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { checkDelivery, checkTariff, checkThreshold } from './check.ts';
import { createdAlert, newAlert, toRow } from './shape.ts';

export const createAlert = operation({
  summary: 'Sets a threshold on a user’s usage or costs.',
  method: 'POST',
  path: '/v1/alerts',
  audit: { action: 'alert.created', target: 'alert_id' },
  scope: 'alerts:write',
  answer: createdAlert,
  body: newAlert,
  exactNumbers: ['threshold'],
  async handle({ context, caller, body: { user_id, ...settings } }) {
    checkThreshold(settings.type, settings, { required: true });
    const owner = await reachUser(context.db, caller, user_id);
    await checkTariff(context.db, owner.user_id, settings.threshold);
    await checkDelivery(context.db, owner, settings.delivery);
    const { alert_id, status } = await create(context.db, { userId: owner.user_id, ...toRow(settings) });
    return { alert_id, status };
  },
});
