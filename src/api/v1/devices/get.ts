import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { findDevice } from '#src/devices/store.ts';
import { detailsToWire, deviceDetails } from './shape.ts';

export const getDevice = operation({
  summary: 'One device with its settings.',
  method: 'GET',
  path: '/v1/devices/{device_id}',
  scope: 'devices:read',
  answer: deviceDetails,
  params: z.object({ device_id: id }),
  handle: async ({ context, caller, params }) =>
    detailsToWire(orNotFound(await findDevice(context.db, reachOf(caller), holdable(params.device_id)))),
});
