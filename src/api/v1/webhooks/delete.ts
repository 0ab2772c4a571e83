import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { deleteWebhook as remove } from '#src/delivery/webhook/subscriptions.ts';

export const deleteWebhook = operation({
  summary: 'Ends a subscription.',
  method: 'DELETE',
  path: '/v1/webhooks/{webhook_id}',
  audit: { action: 'webhook.deleted', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: shapes.message,
  params: z.object({ webhook_id: id }),
  async handle({ context, caller, params }) {
    if (!(await remove(context.db, reachOf(caller), holdable(params.webhook_id)))) throw new AppError('notFound');
    return { message: `Webhook ${params.webhook_id} was deleted` };
  },
});
