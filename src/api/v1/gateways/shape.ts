import { z } from 'zod';
import { ofUser, text, zone } from '#src/api/fields.ts';
import { createdAt, instant, userId } from '#src/api/shapes.ts';
import { decoderConfigMembers } from '#src/devices/decoder-config.ts';
import type { Gateway } from '#src/devices/gateways.ts';
import type { Unread } from '#src/devices/unread.ts';

/** What a decoder must be told, of a gateway or of a device: units, pulses, zone. What is not known to any is kept. */
export const decoderConfig = z
  .looseObject({
    ...z.object(decoderConfigMembers).partial().shape,
    tz: zone.optional().describe(decoderConfigMembers.tz.description ?? ''),
  })
  .refine((value) => JSON.stringify(value).length <= 65_536, 'at most 64 KiB')
  .refine((value) => !JSON.stringify(value).includes('\\u0000'), 'must not contain NUL')
  .describe('Settings for the decoders, for what devices do not report themselves. Unknown members are kept.');

export const keptDecoderConfig = z
  .record(z.string(), z.unknown())
  .describe('Settings for the decoders, as they were given.');

const name = text(100).describe('What its owner calls the gateway.');

export const newGateway = z.strictObject({ user_id: ofUser.optional(), name });
export const gatewayPatch = z.strictObject({ name, decoder_config: decoderConfig }).partial();

export const gateway = z
  .strictObject({
    gateway_id: z.string().describe('Id of the gateway.'),
    user_id: userId,
    name: z.string().describe('What its owner calls the gateway.'),
    decoder_config: keptDecoderConfig,
    created_at: createdAt,
  })
  .meta({ id: 'Gateway' });
/** The password is shown once. */
export const createdGateway = gateway
  .extend({
    mqtt: z
      .strictObject({
        username: z.string().describe('MQTT user name.'),
        password: z.string().describe('MQTT password. It is not shown again.'),
        topic_prefix: z.string().describe('What the topics of the gateway must begin with.'),
      })
      .describe('How the gateway signs in to the broker.'),
  })
  .meta({ id: 'CreatedGateway' });

/** A gateway as answers show it. */
export const toWire = (row: Gateway): z.output<typeof gateway> => ({
  gateway_id: row.gateway_id,
  user_id: row.user_id,
  name: row.name,
  decoder_config: row.decoder_config,
  created_at: row.created_at.toISOString(),
});

export const unread = z
  .strictObject({
    shape: z
      .string()
      .describe(
        "Topic below the gateway's prefix, where `+` stands for what tells one device from others, and `#` for what follows. `#` alone: of all further shapes.",
      ),
    count: z.number().int().describe('How many messages, since the first.'),
    first_seen_at: instant.describe('When the first of them was received.'),
    last_seen_at: instant.describe('When the last of them was received.'),
    example: z
      .strictObject({
        topic: z.string().describe("Its topic, below the gateway's prefix."),
        payload: z.string().describe('Its payload, of which the first 4 KiB are kept.'),
        encoding: z.enum(['utf-8', 'base64']).describe('What `payload` is: the text, or bytes that are none.'),
        payload_bytes: z.number().int().describe('How long the whole payload was, in bytes.'),
        received_at: instant.describe('When it was received.'),
      })
      .nullable()
      .describe(
        'One of them, kept for 24 hours. Null: none is kept, as of what receivers hear of neighbours by radio.',
      ),
  })
  .meta({ id: 'UnreadMessages' });

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** What no text has: JSON would carry it, and no terminal shows it. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u;

/** A payload as text where it is one. */
function shown(payload: Buffer): { payload: string; encoding: 'utf-8' | 'base64' } {
  try {
    const text = UTF8.decode(payload);
    if (!CONTROLS.test(text)) return { payload: text, encoding: 'utf-8' };
  } catch {
    // Bytes.
  }
  return { payload: payload.toString('base64'), encoding: 'base64' };
}

/** What is not read of a gateway, as answers show it. */
export const unreadToWire = ({
  shape,
  messages,
  first_seen_at,
  last_seen_at,
  example,
}: Unread): z.output<typeof unread> => ({
  shape,
  count: messages,
  first_seen_at: first_seen_at.toISOString(),
  last_seen_at: last_seen_at.toISOString(),
  example: example && {
    topic: example.topic,
    ...shown(example.payload),
    payload_bytes: example.bytes,
    received_at: example.receivedAt.toISOString(),
  },
});
