import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { checkIdentities, checkManager, holdable, reachOf } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { orNotFound } from '#src/core/errors.ts';
import { updateDevice as update } from '#src/devices/store.ts';
import { detailsToWire, deviceDetails, devicePatch } from './shape.ts';

export const updateDevice = operation({
  summary:
    'Changes a device. Limits, and what its channels count as, hold for its past, too: it is computed anew within seconds.',
  method: 'PATCH',
  path: '/v1/devices/{device_id}',
  audit: { action: 'device.changed', target: 'device_id' },
  scope: 'devices:write',
  answer: deviceDetails,
  params: z.object({ device_id: id }),
  body: devicePatch,
  async handle({ context, caller, params, body: patch }) {
    checkIdentities(caller, [patch]);
    checkManager(caller, patch.managed_by);
    const { certificate_sha256: written, ...others } = patch;
    const certificate =
      written === undefined ? {} : { certificate_sha256: written === null ? null : Buffer.from(written, 'hex') };
    const changes = { ...defined(others), ...certificate };
    const row = await update(context.db, reachOf(caller), holdable(params.device_id), changes);
    return detailsToWire(orNotFound(row));
  },
});
