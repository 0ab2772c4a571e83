import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { updateWebhook as update } from '#src/delivery/webhook/subscriptions.ts';
import { toWire, webhook, webhookPatch } from './shape.ts';

export const updateWebhook = operation({
  summary: 'Pauses or resumes a subscription, or changes its address or secret (both secrets are valid for 24 h).',
  method: 'PATCH',
  path: '/v1/webhooks/{webhook_id}',
  audit: { action: 'webhook.changed', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: webhook,
  params: z.object({ webhook_id: id }),
  body: webhookPatch,
  async handle({ context, caller, params, body: { url, status, auth_token } }) {
    const { db, box, clock } = context;
    const patch = { url, status, authToken: auth_token };
    return toWire(orNotFound(await update(db, box, reachOf(caller), holdable(params.webhook_id), patch, clock())));
  },
});
