import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { createGateway as create } from '#src/devices/gateways.ts';
import { gatewayPrefix } from '#src/devices/topics.ts';
import { createdGateway, newGateway, toWire } from './shape.ts';

export const createGateway = operation({
  summary: 'Makes a gateway; its MQTT password is shown here and never again.',
  method: 'POST',
  path: '/v1/gateways',
  audit: { action: 'gateway.created', target: 'gateway_id' },
  scope: 'devices:write',
  answer: createdGateway,
  body: newGateway,
  async handle({ context, caller, body: { user_id, name } }) {
    const user = await reachUser(context.db, caller, user_id);
    const { gateway, secret } = await create(context.db, { userId: user.user_id, name });
    const { gateway_id } = gateway;
    return {
      ...toWire(gateway),
      mqtt: { username: gateway_id, password: secret, topic_prefix: gatewayPrefix(gateway_id) },
    };
  },
});
