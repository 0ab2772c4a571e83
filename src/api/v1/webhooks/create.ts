import { operation } from '#src/api/operation.ts';
import { createWebhook as create } from '#src/delivery/webhook/subscriptions.ts';
import { createdWebhook, newWebhook } from './shape.ts';

export const createWebhook = operation({
  summary: 'Subscribes the caller to an event.',
  method: 'POST',
  path: '/v1/webhooks',
  audit: { action: 'webhook.created', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: createdWebhook,
  body: newWebhook,
  async handle({ context, caller, body: { event, url, auth_token } }) {
    const webhook = { event, url, authToken: auth_token };
    const { webhook_id, status } = await create(context.db, context.box, caller.userId, webhook);
    return { webhook_id, status };
  },
});
