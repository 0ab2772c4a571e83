import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { retryDelivery as retry } from '#src/delivery/log.ts';
import { delivery, deliveryToWire } from './shape.ts';

export const retryDelivery = operation({
  summary:
    'Tries a delivery again, at once and with all its retries; that of a paused subscription when it is resumed.',
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
  audit: { action: 'webhook.retried', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: delivery,
  status: 202,
  params: z.object({ webhook_id: id, delivery_id: id }),
  async handle({ context, caller, params }) {
    const [webhookId, deliveryId] = [holdable(params.webhook_id), holdable(params.delivery_id)];
    const row = await retry(context.db, reachOf(caller), webhookId, deliveryId, context.clock());
    return deliveryToWire(orNotFound(row));
  },
});
