import { z } from 'zod';
import { id, text } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { decoderConfig } from '#src/api/v1/devices/settings.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { updateGateway as update } from '#src/devices/gateways.ts';

export const updateGateway = operation({
  summary: 'Renames a gateway, or changes what decoders must know of all that lies below it.',
  method: 'PATCH',
  path: '/v1/gateways/{gateway_id}',
  scope: 'devices:write',
  answer: shapes.gateway,
  params: z.object({ gateway_id: id }),
  body: z.strictObject({ name: text(100).optional(), decoder_config: decoderConfig.optional() }),
  async handle({ context, caller, params, body: { name, decoder_config } }) {
    return orNotFound(
      await update(context.db, reachOf(caller), holdable(params.gateway_id), {
        ...(name === undefined ? {} : { name }),
        ...(decoder_config === undefined ? {} : { decoderConfig: decoder_config }),
      }),
    );
  },
});
