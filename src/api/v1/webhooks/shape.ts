import { z } from 'zod';
import { createBoundedArraySchema, httpsUrlField } from '#src/api/fields.ts';
import { createdAtSchema, instantSchema, pickMembers } from '#src/api/shapes.ts';
import { createUnprocessableError } from '#src/core/errors.ts';
import { ACTIVE_OR_PAUSED, DELIVERY_STATUSES, EVENT_TYPES } from '#src/database/enums.ts';
import type { Delivery } from '#src/delivery/log.ts';
import type { Webhook, WebhookEvents } from '#src/delivery/webhook/subscriptions.ts';
import type { EventType } from '#src/events/bodies.ts';
import { alert_id, created_at, device_id, type Examples, user_id, webhook_id } from '../example-ids.ts';
import { EXAMPLE_REMARK } from '../remarks/shape.ts';
import { USER_EXAMPLES } from '../users/shape.ts';

const webhookId = z.string().describe('Id of the subscription.');
const event = z.enum(EVENT_TYPES);
const asked = {
  event: event.optional().describe('Event to subscribe to. Not together with `events`.'),
  events: createBoundedArraySchema(event, 1, EVENT_TYPES.length)
    .optional()
    .describe('Events to subscribe to, each once, instead of `event`.'),
};
const status = z
  .enum(ACTIVE_OR_PAUSED)
  .describe(
    'While a subscription is `paused`, nothing is sent. Its events are stored for up to 7 days, and are sent when it is resumed.',
  );

const callbackUrl = httpsUrlField.describe(
  'HTTPS address that receives the events, without credentials. `https://catcher.example` is a receiver in the service itself, for trying events without a server.',
);

/** Secret of a subscription, in the format of Standard Webhooks. The service never returns it. */
const authToken = z
  .string()
  .refine(
    (value) => (value.startsWith('whsec_') ? isKey(value.slice(6)) : /^[\x20-\x7e]{8,256}$/.test(value)),
    'must be whsec_ and base64 of 24 to 64 bytes, or 8 to 256 printable characters of ASCII',
  )
  .describe(
    'Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never returned.',
  );

/** Whether a text is valid base64 of a length that Standard Webhooks permits for keys. */
function isKey(text: string): boolean {
  const { length } = Buffer.from(text, 'base64');
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) && length >= 24 && length <= 64;
}

export const newWebhookSchema = z.strictObject({ ...asked, url: callbackUrl, auth_token: authToken });
export const webhookPatchSchema = z
  .strictObject({ ...asked, url: callbackUrl, auth_token: authToken, status })
  .partial();

export const webhookSchema = z
  .strictObject({
    webhook_id: webhookId,
    event: event.describe('The first of `events`.'),
    events: z.array(event).describe('Subscribed events.'),
    url: z.string().meta({ format: 'uri' }).describe('HTTPS address that receives the events.'),
    status,
    created_at: createdAtSchema,
  })
  .meta({ id: 'Webhook' });

export const createdWebhookSchema = z.strictObject({
  webhook_id: webhookId,
  status: z.string().describe('`active`: events are sent from now on.'),
});

export const deliverySchema = z
  .strictObject({
    delivery_id: z.string().describe('Id of the delivery.'),
    event_id: z.string().describe('Id of the event: `id` of its body, the same in every attempt.'),
    event: z.string().describe('Type of the event.'),
    status: z.enum(DELIVERY_STATUSES).describe('`failed` after the last retry has failed.'),
    attempts: z
      .array(
        z.strictObject({
          at: instantSchema.describe('Time of the attempt.'),
          response_status: z
            .number()
            .int()
            .nullable()
            .describe('Status code of the receiver’s response. Null: no response.'),
          duration_ms: z.number().describe('Duration of the attempt, in milliseconds.'),
          error: z.string().nullable().describe('Reason why the attempt failed. Null: it succeeded.'),
        }),
      )
      .describe('The attempts so far, oldest first.'),
    next_attempt_at: instantSchema
      .nullable()
      .describe('Time of the next attempt. Null: no further attempt, or the subscription is paused.'),
  })
  .meta({ id: 'Delivery' });

/** A delivery of a webhook, with the request that was sent. */
export const sentDeliverySchema = deliverySchema
  .extend({
    request: z
      .strictObject({
        url: z.string().describe('Address for the next attempt: the address of the subscription.'),
        headers: z
          .record(z.string(), z.string())
          .describe(
            'Headers of the request. The signature is only included if the address is `https://catcher.example`.',
          ),
        body: z.string().describe('Body of the request: the event, the same in every attempt.'),
      })
      .describe('Request that delivers the event.'),
  })
  .meta({ id: 'SentDelivery' });

/**
 * Returns the events to which a request subscribes, from its member `event` or `events`. Undefined if it has neither. Throws 422
 * if it has both, or names an event twice.
 */
export function parseSubscribedEvents({
  event: one,
  events,
}: z.output<typeof webhookPatchSchema>): WebhookEvents | undefined {
  if (one !== undefined && events !== undefined)
    throw createUnprocessableError({ field: 'events', message: 'cannot be given together with event' });
  if (new Set(events).size < (events?.length ?? 0))
    throw createUnprocessableError({ field: 'events', message: 'must name each event once' });
  const [first, ...others] = events ?? (one === undefined ? [] : [one]);
  return first && [first, ...others];
}

/** Converts a stored subscription to its form in responses, without its secret. */
export const webhookToResponse = (row: Webhook): z.output<typeof webhookSchema> => ({
  ...pickMembers(webhookSchema, row),
  event: row.events[0] as EventType,
});

/** Converts a delivery to its form in responses, without the receivers' responses. */
export const deliveryToResponse = (row: Delivery): z.output<typeof deliverySchema> => ({
  ...pickMembers(deliverySchema, row),
  attempts: row.attempts.map(({ response_body: _, ...attempt }) => attempt),
});

const event_id = 'evt_01k8xqe8k4r1w5y7d9ms2b6gjt';
const exampleWebhook = {
  webhook_id,
  event: 'alert.triggered',
  events: ['alert.triggered', 'device.connected'],
  url: 'https://example.com/hooks/energy',
  status: 'active',
  created_at,
};
const exampleDelivery = {
  delivery_id: 'dlv_01k8xqd5h1p7t9v2c4ks6w8zeb',
  event_id,
  event: 'alert.triggered',
  status: 'pending',
  attempts: [{ at: '2026-06-15T12:00:00.214Z', response_status: 503, duration_ms: 87, error: 'HTTP 503' }],
  next_attempt_at: '2026-06-15T12:00:05.301Z',
};

export const WEBHOOK_EXAMPLES = {
  createWebhook: {
    body: {
      events: ['alert.triggered', 'device.connected'],
      url: 'https://example.com/hooks/energy',
      auth_token: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
    answer: { webhook_id, status: 'active' },
  },
  listWebhooks: { answer: [exampleWebhook] },
  updateWebhook: { body: { status: 'paused' }, answer: { ...exampleWebhook, status: 'paused' } },
  deleteWebhook: { answer: { message: `Webhook ${webhook_id} was deleted` } },
  webhookDeliveries: { answer: [exampleDelivery] },
  getDelivery: {
    answer: {
      ...exampleDelivery,
      event: 'webhook.test',
      request: {
        url: 'https://catcher.example/first',
        headers: {
          'webhook-id': event_id,
          'webhook-timestamp': '1781524800',
          'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
          'content-type': 'application/json',
          'user-agent': 'energy-usage-service/1.7.0',
        },
        body: `{"id":"${event_id}","type":"webhook.test","created_at":"2026-06-15T12:00:00.000Z","environment":"live","data":{"webhook_id":"${webhook_id}"}}`,
      },
    },
  },
  retryDelivery: { answer: exampleDelivery },
  testWebhook: { answer: { ...exampleDelivery, event: 'webhook.test', attempts: [] } },
} satisfies Examples;

const exampleEvent = <Type extends string, Data>(type: Type, data: Data) => ({
  id: event_id,
  type,
  created_at: '2026-06-15T12:00:00.000Z',
  environment: 'live',
  data,
});

/** Examples of requests that webhook receivers get, by event type. */
export const EVENT_EXAMPLES = {
  'usage.updated': exampleEvent('usage.updated', {
    user_id,
    hours: [{ date: '2026-06-15', hour: '11:00', kwh_used: 0.412 }],
    updated_at: '2026-06-15T12:00:00.000Z',
  }),
  'alert.triggered': exampleEvent('alert.triggered', {
    alert_id,
    user_id,
    type: 'daily_usage',
    threshold_kwh: 15,
    kwh_used: 15.031,
    period_start: '2026-06-14T22:00:00.000Z',
    period_end: '2026-06-15T22:00:00.000Z',
    devices: [{ device_id, kwh_used: 15.031 }],
  }),
  'device.connected': exampleEvent('device.connected', {
    device_id,
    user_id,
    type: 'electricity_meter',
    location: 'cellar',
    status: 'active',
    last_seen_at: '2026-06-15T11:59:50.000Z',
    placement: 'grid',
    upstream_device_id: null,
  }),
  'user.created': exampleEvent('user.created', USER_EXAMPLES.getUser.answer),
  'remark.raised': exampleEvent('remark.raised', { user_id, ...EXAMPLE_REMARK }),
  'webhook.test': exampleEvent('webhook.test', { webhook_id }),
};
