import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { releaseDevice as release } from '#src/onboarding/claims.ts';

export const releaseDevice = operation({
  summary:
    'Lets a meter claim the device anew, with a provisioning batch and the serial that the device has as `external_id`: the password of before ends.',
  method: 'POST',
  path: '/v1/devices/{device_id}/release',
  status: 200,
  audit: { action: 'device.released', target: 'device_id' },
  scope: 'devices:write',
  answer: shapes.message,
  params: z.object({ device_id: id }),
  async handle({ context, caller, params: { device_id } }) {
    if (!(await release(context.db, reachOf(caller), holdable(device_id)))) throw new AppError('notFound');
    return { message: `Device ${device_id} was released; its password has ended` };
  },
});
