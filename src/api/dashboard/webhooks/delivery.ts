import { z } from 'zod';
import { sentDelivery } from '#src/api/dashboard/shapes.ts';
import { idField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { sentTo } from '#src/api/v1/webhooks/operations.ts';
import { deliveryToWire } from '#src/api/v1/webhooks/shape.ts';

export const webhookDelivery = defineOperation({
  summary: 'One delivery of a subscription: what is sent, and what the receiver answered at each try.',
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/exchange',
  scope: 'webhooks:read',
  answer: sentDelivery,
  params: z.object({ webhook_id: idField, delivery_id: idField }),
  async handle(call) {
    const sent = await sentTo(call);
    const { request, attempts } = sent;
    return { ...deliveryToWire(sent), request, attempts };
  },
});
