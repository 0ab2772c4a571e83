import { z } from 'zod';
import { id, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { listDeliveries, reachesWebhook } from '#src/delivery/log.ts';
import { delivery, deliveryToWire } from './shape.ts';

export const webhookDeliveries = operation({
  summary: 'Deliveries of a subscription with all their tries, the youngest first, of the last 30 days.',
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries',
  scope: 'webhooks:read',
  answer: z.array(delivery),
  params: z.object({ webhook_id: id }),
  query: z.object({ ...page }),
  async handle({ context, caller, params, query, reply, url }) {
    const reach = reachOf(caller);
    const webhookId = holdable(params.webhook_id);
    if (!(await reachesWebhook(context.db, reach, webhookId))) throw new AppError('notFound');
    const find = (page: { limit: number; cursor?: string }) => listDeliveries(context.db, reach, webhookId, page);
    const rows = await pageOf(reply, url, query, find, (one) => one.delivery_id);
    return rows.map(deliveryToWire);
  },
});
