import { z } from 'zod';
import { page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { ownAccount } from '#src/auth/access.ts';
import { listWebhooks as list } from '#src/delivery/webhook/subscriptions.ts';
import { toWire, webhook } from './shape.ts';

export const listWebhooks = operation({
  summary: 'The caller’s own subscriptions, page by page.',
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'webhooks:read',
  answer: z.array(webhook),
  query: z.object(page),
  async handle({ context, caller, query, reply, url }) {
    const find = (page: { limit: number; cursor?: string }) => list(context.db, ownAccount(caller), page);
    const rows = await pageOf(reply, url, query, find, (one) => one.webhook_id);
    return rows.map(toWire);
  },
});
