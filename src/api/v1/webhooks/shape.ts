import { z } from 'zod';
import { instant } from '#src/api/shapes.ts';
import { DELIVERY_STATUSES, EVENT_TYPES, PAUSABLE_STATUSES } from '#src/database/enums.ts';
import type { Delivery } from '#src/delivery/log.ts';
import type { Webhook } from '#src/delivery/webhook/subscriptions.ts';

const event = z.enum(EVENT_TYPES);
const status = z.enum(PAUSABLE_STATUSES);

/** A callback address: HTTPS, without credentials (they would be stored in the clear), 2,048 characters at most. */
const callbackUrl = z
  .string()
  .max(2_048)
  .refine((text) => {
    // Blanks and control characters would be dropped by whoever parses it, each in its own way.
    if (!URL.canParse(text) || !/^https:\/\/[\x21-\x7e]+$/i.test(text)) return false;
    const { username, password, hostname } = new URL(text);
    return username === '' && password === '' && hostname !== '';
  }, 'must be an https:// URL in ASCII, without credentials and blanks');

/** The subscriber's secret, as libraries of Standard Webhooks can use it; kept sealed and never shown again. */
const authToken = z
  .string()
  .refine(
    (value) => (value.startsWith('whsec_') ? isKey(value.slice(6)) : /^[\x20-\x7e]{8,256}$/.test(value)),
    'must be whsec_ and base64 of 24 to 64 bytes, or 8 to 256 printable characters of ASCII',
  );

/** Base64 in whole groups, of so many bytes as the standard wants. */
function isKey(text: string): boolean {
  const { length } = Buffer.from(text, 'base64');
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) && length >= 24 && length <= 64;
}

export const newWebhook = z.strictObject({ event, url: callbackUrl, auth_token: authToken });
export const webhookPatch = z.strictObject({ url: callbackUrl, auth_token: authToken, status }).partial();

export const webhook = z
  .strictObject({ webhook_id: z.string(), event, url: z.string(), status, created_at: instant })
  .meta({ id: 'Webhook' });

export const delivery = z
  .strictObject({
    delivery_id: z.string(),
    event_id: z.string(),
    event: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.array(
      z.strictObject({
        at: instant,
        response_status: z.number().int().nullable(),
        duration_ms: z.number(),
        error: z.string().nullable(),
      }),
    ),
    next_attempt_at: instant.nullable(),
  })
  .meta({ id: 'Delivery' });

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
