import { z } from 'zod';
import { page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import * as shapes from '#src/api/shapes.ts';
import { listWebhooks as list } from '#src/delivery/webhook/subscriptions.ts';

export const listWebhooks = operation({
  summary: 'The caller’s own subscriptions, page by page.',
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'webhooks:read',
  answer: z.array(shapes.webhook),
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
