import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { deleteDevice as remove } from '#src/devices/store.ts';

export const deleteDevice = operation({
  summary: 'Ends a device and its credentials; what it consumed stays in its owner’s history.',
  method: 'DELETE',
  path: '/v1/devices/{device_id}',
  audit: { action: 'device.deleted', target: 'device_id' },
  scope: 'devices:write',
  answer: shapes.message,
  params: z.object({ device_id: id }),
  async handle({ context, caller, params }) {
    if (!(await remove(context.db, reachOf(caller), holdable(params.device_id)))) throw new AppError('notFound');
    return { message: `Device ${params.device_id} was deleted; its past consumption stays` };
  },
});
