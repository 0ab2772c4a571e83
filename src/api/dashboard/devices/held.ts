import { z } from 'zod';
import { heldAnswer } from '#src/api/dashboard/shapes.ts';
import { idField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { reachOf, toIdOrNotFound } from '#src/auth/access.ts';
import { requireFound } from '#src/core/errors.ts';
import { listHeldReadings as list } from '#src/devices/channels.ts';
import { findDevice } from '#src/devices/store.ts';

export const listHeldDevices = defineOperation({
  summary: 'Quantities of a device whose last value is implausible, and not counted so far.',
  method: 'GET',
  path: '/v1/devices/{device_id}/held',
  scope: 'devices:read',
  answer: heldAnswer,
  params: z.object({ device_id: idField }),
  async handle({ context: { db }, caller, params }) {
    const { device_id } = requireFound(await findDevice(db, reachOf(caller), toIdOrNotFound(params.device_id)));
    return (await list(db, device_id)).map(({ at, ...one }) => ({ ...one, at: at.toISOString() }));
  },
});
