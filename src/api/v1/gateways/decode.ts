import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError, orNotFound } from '#src/core/errors.ts';
import { findGateway } from '#src/devices/gateways.ts';
import { askedMessage, judgedMessage } from './shape.ts';

export const decodeMessage = operation({
  summary:
    'Says what the service would read out of a message of a gateway, why not, and which setting would help. Nothing is stored.',
  method: 'POST',
  changes: 'nothing',
  path: '/v1/gateways/{gateway_id}/decode',
  scope: 'devices:read',
  status: 200,
  answer: judgedMessage,
  params: z.object({ gateway_id: id }),
  body: askedMessage,
  async handle({ context, caller, params, body: { topic, payload, payload_b64, retained, decoder_config } }) {
    const gateway = orNotFound(await findGateway(context.db, reachOf(caller), holdable(params.gateway_id)));
    if (!context.judge) throw new AppError('unavailable');
    return context.judge({
      gatewayId: gateway.gateway_id,
      topic,
      payload: payload_b64 === undefined ? Buffer.from(payload ?? '') : Buffer.from(payload_b64, 'base64'),
      receivedAtMs: context.clock().getTime(),
      replayed: retained ?? false,
      config: decoder_config ?? gateway.decoder_config,
    });
  },
});
