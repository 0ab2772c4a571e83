import { z } from 'zod';
import { id, text, zone } from '#src/api/fields.ts';
import { instant } from '#src/api/shapes.ts';
import { decoderConfigMembers } from '#src/devices/decoder-config.ts';
import type { Gateway } from '#src/devices/gateways.ts';

/** What a decoder must be told, of a gateway or of a device: units, pulses, zone. What is not known to any is kept. */
export const decoderConfig = z
  .looseObject({ ...z.object(decoderConfigMembers).partial().shape, tz: zone.optional() })
  .refine((value) => JSON.stringify(value).length <= 65_536, 'at most 64 KiB')
  .refine((value) => !JSON.stringify(value).includes('\\u0000'), 'must not contain NUL');

const name = text(100);

export const newGateway = z.strictObject({ user_id: id.optional(), name });
export const gatewayPatch = z.strictObject({ name, decoder_config: decoderConfig }).partial();

export const gateway = z
  .strictObject({
    gateway_id: z.string(),
    user_id: z.string(),
    name: z.string(),
    decoder_config: z.record(z.string(), z.unknown()),
    created_at: instant,
  })
  .meta({ id: 'Gateway' });
/** The password is shown once. */
export const createdGateway = gateway
  .extend({
    mqtt: z.strictObject({ username: z.string(), password: z.string(), topic_prefix: z.string() }),
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
