import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound, unprocessable } from '#src/core/errors.ts';
import { createEdit } from '#src/devices/edits/store.ts';
import { edit, newEdit, toRow, toWire } from './edit-shape.ts';
import { editingBy } from './editing.ts';

export const createDeviceEdit = operation({
  summary:
    'Edits readings of a device by hand, with a reason: excludes those of a time, or adds what a person read off a register. Its past is computed anew within seconds; what was sent stays stored.',
  method: 'POST',
  path: '/v1/devices/{device_id}/edits',
  audit: { action: 'device.edited', target: 'device_id' },
  scope: 'devices:write',
  answer: edit,
  params: z.object({ device_id: id }),
  body: newEdit,
  async handle({ context, caller, params, body }) {
    const wanted = toRow(body);
    const editing = editingBy(context, caller);
    const isAdded = wanted.value !== null;
    if ((isAdded ? wanted.from : wanted.to) > editing.now)
      throw unprocessable({ field: isAdded ? 'at' : 'end', message: 'must not lie in the future' });
    const row = await createEdit(context.db, reachOf(caller), holdable(params.device_id), wanted, editing);
    return toWire(orNotFound(row));
  },
});
