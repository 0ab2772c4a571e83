import { z } from 'zod';
import { page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { listWebhooks as list } from '#src/delivery/webhook/subscriptions.ts';

/** The caller's own subscriptions, page by page. */
export const listWebhooks = operation({
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'webhooks:read',
  query: z.object(page),
  handle: ({ context, caller, query, reply, url }) =>
    pageOf(
      reply,
      url,
      query,
      (page) => list(context.db, caller.userId, page),
      (one) => one.webhook_id,
    ),
});
