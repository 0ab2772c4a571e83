import { z } from 'zod';
import { paginationFields } from '#src/api/fields.ts';
import { defineOperation, type OperationCall } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import { getAppAuthorizationId, requireOwnAccount } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { SCOPE_BY_APP_EVENT } from '#src/auth/scopes.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import * as deliveryLog from '#src/delivery/log.ts';
import * as webhookStore from '#src/delivery/webhook/subscriptions.ts';
import type { EventType } from '#src/events/bodies.ts';
import * as shapes from './shape.ts';

/**
 * Returns the membership or authorization under which the caller acts. If the caller subscribes a URL of its own, the subscription ends
 * when this membership or authorization ends.
 */
const endsWith = (caller: Caller) => ({ memberId: caller.memberId, authorizationId: getAppAuthorizationId(caller) });

/** Throws 403 if an app subscribes to an event with data that the app may not read. */
function checkAppEvents({ appId, scopes }: Caller, events: readonly EventType[]): void {
  if (appId === undefined) return;
  for (const event of events) {
    const scope = SCOPE_BY_APP_EVENT[event];
    if (scope === undefined || !scopes.has(scope)) throw new AppError('forbidden');
  }
}

export const createWebhook = defineOperation('POST /v1/webhooks', {
  summary: 'Subscribes the caller to one event or several.',
  audit: { action: 'webhook.created', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: shapes.createdWebhookSchema,
  body: shapes.newWebhookSchema,
  async handle({ context, db, caller, body: { url, auth_token, ...asked } }) {
    const events = shapes.parseSubscribedEvents(asked);
    if (!events) throw createUnprocessableError({ field: 'event', message: 'is required, unless there are events' });
    checkAppEvents(caller, events);
    const webhook = { events, url, authToken: auth_token, ...endsWith(caller) };
    const { webhook_id, status } = await webhookStore.createWebhook(db, context.box, caller.userId, webhook);
    return { webhook_id, status };
  },
});

export const listWebhooks = defineOperation('GET /v1/webhooks', {
  summary: 'Lists the caller’s own subscriptions, page by page.',
  scope: 'webhooks:read',
  answer: z.array(shapes.webhookSchema),
  query: z.object(paginationFields),
  async handle({ db, caller, page }) {
    const rows = await page('webhook_id', (at) => webhookStore.listWebhooks(db, requireOwnAccount(caller), at));
    return rows.map(shapes.webhookToResponse);
  },
});

export const updateWebhook = defineOperation('PATCH /v1/webhooks/{webhook_id}', {
  summary:
    'Pauses or resumes a subscription, or changes its events, address or secret. After a change of the secret, both secrets are valid for 24 h. An app can change the address and the secret only of subscriptions that it created.',
  audit: { action: 'webhook.changed', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: shapes.webhookSchema,
  body: shapes.webhookPatchSchema,
  async handle({ context: { box, clock }, db, caller, reach, params, body: { url, status, auth_token, ...asked } }) {
    const events = shapes.parseSubscribedEvents(asked);
    if (events) checkAppEvents(caller, events);
    const patch = { events, url, status, authToken: auth_token, ...endsWith(caller) };
    return shapes.webhookToResponse(
      requireFound(await webhookStore.updateWebhook(db, box, reach, params.webhook_id, patch, clock())),
    );
  },
});

export const deleteWebhook = defineOperation('DELETE /v1/webhooks/{webhook_id}', {
  summary: 'Deletes a subscription.',
  audit: { action: 'webhook.deleted', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: messageSchema,
  handle: async ({ db, reach, params }) =>
    respondOrThrowNotFound(
      await webhookStore.deleteWebhook(db, reach, params.webhook_id),
      `Webhook ${params.webhook_id} was deleted`,
    ),
});

export const testWebhook = defineOperation('POST /v1/webhooks/{webhook_id}/test', {
  summary: 'Queues an event webhook.test for a subscription. The result is in the subscription’s deliveries.',
  audit: { action: 'webhook.tested', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: shapes.deliverySchema,
  status: 202,
  async handle({ context, db, reach, params }) {
    const row = await deliveryLog.queueTestEvent(db, reach, params.webhook_id, context.clock());
    return shapes.deliveryToResponse(requireFound(row));
  },
});

export const webhookDeliveries = defineOperation('GET /v1/webhooks/{webhook_id}/deliveries', {
  summary: 'Lists the deliveries of a subscription in the last 30 days with all attempts, latest first.',
  scope: 'webhooks:read',
  answer: z.array(shapes.deliverySchema),
  query: z.object({ ...paginationFields }),
  async handle({ db, reach, params, page }) {
    if (!(await deliveryLog.canAccessWebhook(db, reach, params.webhook_id))) throw new AppError('notFound');
    const rows = await page('delivery_id', (at) => deliveryLog.listDeliveries(db, reach, params.webhook_id, at));
    return rows.map(shapes.deliveryToResponse);
  },
});

export const getDelivery = defineOperation('GET /v1/webhooks/{webhook_id}/deliveries/{delivery_id}', {
  summary: 'Returns one delivery of a subscription, with the request.',
  scope: 'webhooks:read',
  answer: shapes.sentDeliverySchema,
  async handle(call) {
    const sent = await findSentDeliveryOfPath(call);
    return { ...shapes.deliveryToResponse(sent), request: sent.request };
  },
});

export const retryDelivery = defineOperation('POST /v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry', {
  summary:
    'Retries a delivery at once, with all its retries. If the subscription is paused, the delivery is retried when it is resumed.',
  audit: { action: 'webhook.retried', target: 'webhook_id' },
  scope: 'webhooks:write',
  answer: shapes.deliverySchema,
  status: 202,
  async handle({ context, db, reach, params }) {
    const row = await deliveryLog.retryDelivery(db, reach, params.webhook_id, params.delivery_id, context.clock());
    return shapes.deliveryToResponse(requireFound(row));
  },
});

type Which = { webhook_id: string; delivery_id: string };

/** Returns the delivery that the path names, with its request. Throws `notFound` if the caller cannot access it. */
export async function findSentDeliveryOfPath({
  context,
  db,
  reach,
  params,
}: Pick<
  OperationCall<Which, unknown, unknown>,
  'context' | 'db' | 'reach' | 'params'
>): Promise<deliveryLog.SentDelivery> {
  const which = { webhookId: params.webhook_id, deliveryId: params.delivery_id };
  return requireFound(await deliveryLog.findSentDelivery(db, reach, which, context.environment));
}
