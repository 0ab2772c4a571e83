import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { retryDelivery as retry } from '#src/delivery/log.ts';

export const retryDelivery = operation({
  summary:
    'Tries a delivery again, at once and with all its retries; that of a paused subscription when it is resumed.',
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
  scope: 'webhooks:write',
  answer: shapes.delivery,
  status: 202,
  params: z.object({ webhook_id: id, delivery_id: id }),
  async handle({ context, caller, params }) {
    const [webhookId, deliveryId] = [holdable(params.webhook_id), holdable(params.delivery_id)];
    return orNotFound(await retry(context.db, reachOf(caller), webhookId, deliveryId, context.clock()));
  },
});
