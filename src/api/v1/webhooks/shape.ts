import { z } from 'zod';
import { createdAt, instant } from '#src/api/shapes.ts';
import { DELIVERY_STATUSES, EVENT_TYPES, PAUSABLE_STATUSES } from '#src/database/enums.ts';
import type { Delivery } from '#src/delivery/log.ts';
import type { Webhook } from '#src/delivery/webhook/subscriptions.ts';

const webhookId = z.string().describe('Id of the subscription.');
const event = z.enum(EVENT_TYPES).describe('Event that is subscribed to.');
const status = z
  .enum(PAUSABLE_STATUSES)
  .describe('Nothing is sent while it is paused. Events wait up to 7 days, and are sent when it is resumed.');

/** A callback address: HTTPS, without credentials (they would be stored in the clear), 2,048 characters at most. */
const callbackUrl = z
  .string()
  .max(2_048)
  .refine((text) => {
    // Blanks and control characters would be dropped by whoever parses it, each in its own way.
    if (!URL.canParse(text) || !/^https:\/\/[\x21-\x7e]+$/i.test(text)) return false;
    const { username, password, hostname } = new URL(text);
    return username === '' && password === '' && hostname !== '';
  }, 'must be an https:// URL in ASCII, without credentials and blanks')
  .meta({ format: 'uri' })
  .describe(
    'HTTPS address that events are sent to, without credentials. `https://catcher.example` is answered by the service itself: to see events without a server.',
  );

/** The subscriber's secret, as libraries of Standard Webhooks can use it; kept sealed and never shown again. */
const authToken = z
  .string()
  .refine(
    (value) => (value.startsWith('whsec_') ? isKey(value.slice(6)) : /^[\x20-\x7e]{8,256}$/.test(value)),
    'must be whsec_ and base64 of 24 to 64 bytes, or 8 to 256 printable characters of ASCII',
  )
  .describe(
    'Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never answered.',
  );

/** Base64 in whole groups, of so many bytes as the standard wants. */
function isKey(text: string): boolean {
  const { length } = Buffer.from(text, 'base64');
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) && length >= 24 && length <= 64;
}

export const newWebhook = z.strictObject({ event, url: callbackUrl, auth_token: authToken });
export const webhookPatch = z.strictObject({ url: callbackUrl, auth_token: authToken, status }).partial();

export const webhook = z
  .strictObject({
    webhook_id: webhookId,
    event,
    url: z.string().meta({ format: 'uri' }).describe('HTTPS address that events are sent to.'),
    status,
    created_at: createdAt,
  })
  .meta({ id: 'Webhook' });

export const createdWebhook = z.strictObject({
  webhook_id: webhookId,
  status: z.string().describe('`active`: events are sent from now on.'),
});

export const delivery = z
  .strictObject({
    delivery_id: z.string().describe('Id of the delivery.'),
    event_id: z.string().describe('Id of the event: `id` of its body, the same in every attempt.'),
    event: z.string().describe('Type of the event.'),
    status: z.enum(DELIVERY_STATUSES).describe('`failed` once all retries have failed.'),
    attempts: z
      .array(
        z.strictObject({
          at: instant.describe('When it was tried.'),
          response_status: z.number().int().nullable().describe('Status code of the receiver. Null: no answer.'),
          duration_ms: z.number().describe('How long the attempt took, in milliseconds.'),
          error: z.string().nullable().describe('Why the attempt failed. Null: it succeeded.'),
        }),
      )
      .describe('The attempts so far, oldest first.'),
    next_attempt_at: instant
      .nullable()
      .describe('When it is tried next. Null: it is not, or the subscription is paused.'),
  })
  .meta({ id: 'Delivery' });

/** A delivery with what is sent. */
export const sentDelivery = delivery
  .extend({
    request: z
      .strictObject({
        url: z.string().describe('Where the next try would go: the address of the subscription.'),
        headers: z
          .record(z.string(), z.string())
          .describe('Headers of the request. With a signature only where the address is `https://catcher.example`.'),
        body: z.string().describe('The body, the same at every try: the event.'),
      })
      .describe('What is sent.'),
  })
  .meta({ id: 'SentDelivery' });

/** A subscription as answers show it; its secret they never do. */
export const toWire = (row: Webhook): z.output<typeof webhook> => ({
  webhook_id: row.webhook_id,
  event: row.event,
  url: row.url,
  status: row.status,
  created_at: row.created_at.toISOString(),
});

/** A delivery as answers show it. What receivers answered is for the dashboard alone. */
export const deliveryToWire = (row: Delivery): z.output<typeof delivery> => ({
  delivery_id: row.delivery_id,
  event_id: row.event_id,
  event: row.event,
  status: row.status,
  attempts: row.attempts.map(({ response_body: _, ...attempt }) => attempt),
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
});
