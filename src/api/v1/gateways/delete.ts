import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { deleteGateway as remove } from '#src/devices/gateways.ts';

export const deleteGateway = operation({
  summary: 'Ends a gateway and its credentials. Devices that were paired through it stay, with their past.',
  method: 'DELETE',
  path: '/v1/gateways/{gateway_id}',
  audit: { action: 'gateway.deleted', target: 'gateway_id' },
  scope: 'devices:write',
  answer: shapes.message,
  params: z.object({ gateway_id: id }),
  async handle({ context, caller, params }) {
    if (!(await remove(context.db, reachOf(caller), holdable(params.gateway_id)))) throw new AppError('notFound');
    return { message: `Gateway ${params.gateway_id} was deleted` };
  },
});
