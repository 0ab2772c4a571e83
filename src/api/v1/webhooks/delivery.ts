import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { findSent } from '#src/delivery/sent.ts';
import { deliveryToWire, sentDelivery } from './shape.ts';

export const getDelivery = operation({
  summary: 'One delivery of a subscription, with what is sent.',
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
  scope: 'webhooks:read',
  answer: sentDelivery,
  params: z.object({ webhook_id: id, delivery_id: id }),
  async handle({ context, caller, params }) {
    const which = { webhookId: holdable(params.webhook_id), deliveryId: holdable(params.delivery_id) };
    const sent = orNotFound(await findSent(context.db, reachOf(caller), which, context.environment));
    return { ...deliveryToWire(sent), request: sent.request };
  },
});
