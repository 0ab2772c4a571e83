import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { sentTo } from './sent.ts';
import { deliveryToWire, sentDelivery } from './shape.ts';

export const getDelivery = operation({
  summary: 'One delivery of a subscription, with what is sent.',
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
  scope: 'webhooks:read',
  answer: sentDelivery,
  params: z.object({ webhook_id: id, delivery_id: id }),
  async handle(call) {
    const sent = await sentTo(call);
    return { ...deliveryToWire(sent), request: sent.request };
  },
});
