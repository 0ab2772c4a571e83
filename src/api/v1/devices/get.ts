import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { findDevice } from '#src/devices/store.ts';

/** One device with its settings. */
export const getDevice = operation({
  method: 'GET',
  path: '/v1/devices/{device_id}',
  scope: 'devices:read',
  params: z.object({ device_id: id }),
  handle: async ({ context, caller, params }) =>
    orNotFound(await findDevice(context.db, reachOf(caller), holdable(params.device_id))),
});
