import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { sendTest } from '#src/delivery/log.ts';
import { delivery, deliveryToWire } from './shape.ts';

export const testWebhook = operation({
  summary: 'Queues an event webhook.test for a subscription; its delivery says how it went.',
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/test',
  audit: { action: 'webhook.tested', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: delivery,
  status: 202,
  params: z.object({ webhook_id: id }),
  async handle({ context, caller, params }) {
    const row = await sendTest(context.db, reachOf(caller), holdable(params.webhook_id), context.clock());
    return deliveryToWire(orNotFound(row));
  },
});
