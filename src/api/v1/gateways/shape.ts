import { z } from 'zod';
import { ofUser, text, zone } from '#src/api/fields.ts';
import { createdAt, userId } from '#src/api/shapes.ts';
import { decoderConfigMembers } from '#src/devices/decoder-config.ts';
import type { Gateway } from '#src/devices/gateways.ts';

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
