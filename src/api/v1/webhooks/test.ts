import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { sendTest } from '#src/delivery/log.ts';

export const testWebhook = operation({
  summary: 'Queues an event webhook.test for a subscription; its delivery says how it went.',
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/test',
  scope: 'webhooks:write',
  answer: shapes.delivery,
  status: 202,
  params: z.object({ webhook_id: id }),
  async handle({ context, caller, params }) {
    return orNotFound(await sendTest(context.db, reachOf(caller), holdable(params.webhook_id), context.clock()));
  },
});
