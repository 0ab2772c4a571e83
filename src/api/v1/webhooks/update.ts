import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { updateWebhook as update } from '#src/delivery/webhook/subscriptions.ts';
import { authToken, callbackUrl } from './fields.ts';

const body = z.strictObject({
  url: callbackUrl.optional(),
  auth_token: authToken.optional(),
  status: z.enum(['active', 'paused']).optional(),
});

export const updateWebhook = operation({
  summary: 'Pauses or resumes a subscription, or changes its address or secret (both secrets are valid for 24 h).',
  method: 'PATCH',
  path: '/v1/webhooks/{webhook_id}',
  scope: 'webhooks:write',
  answer: shapes.webhook,
  params: z.object({ webhook_id: id }),
  body,
  async handle({ context, caller, params, body: { url, auth_token, status } }) {
    const patch = {
      ...(url === undefined ? {} : { url }),
      ...(auth_token === undefined ? {} : { authToken: auth_token }),
      ...(status === undefined ? {} : { status }),
    };
    const { db, box, clock } = context;
    return orNotFound(await update(db, box, reachOf(caller), holdable(params.webhook_id), patch, clock()));
  },
});
