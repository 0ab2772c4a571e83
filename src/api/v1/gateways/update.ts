import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { orNotFound } from '#src/core/errors.ts';
import { updateGateway as update } from '#src/devices/gateways.ts';
import { gateway, gatewayPatch, toWire } from './shape.ts';

export const updateGateway = operation({
  summary: 'Renames a gateway, or changes what decoders must know of all that lies below it.',
  method: 'PATCH',
  path: '/v1/gateways/{gateway_id}',
  audit: { action: 'gateway.changed', target: 'gateway_id' },
  scope: 'devices:write',
  answer: gateway,
  params: z.object({ gateway_id: id }),
  body: gatewayPatch,
  async handle({ context, caller, params, body: patch }) {
    const row = await update(context.db, reachOf(caller), holdable(params.gateway_id), defined(patch));
    return toWire(orNotFound(row));
  },
});
