import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { revokeEdit } from '#src/devices/edits/store.ts';
import { edit, toWire } from './edit-shape.ts';
import { editingBy } from './editing.ts';

export const revokeDeviceEdit = operation({
  summary:
    'Revokes an edit of readings: consumption is as if it had never been made, within seconds, and the edit stays to be seen. One that was revoked stays as it was.',
  method: 'DELETE',
  path: '/v1/devices/{device_id}/edits/{edit_id}',
  audit: { action: 'device.edit_revoked', target: 'device_id', of: 'edit_id' },
  scope: 'devices:write',
  answer: edit,
  params: z.object({ device_id: id, edit_id: id }),
  async handle({ context, caller, params }) {
    const editing = editingBy(context, caller);
    const [deviceId, editId] = [holdable(params.device_id), holdable(params.edit_id)];
    return toWire(orNotFound(await revokeEdit(context.db, reachOf(caller), deviceId, editId, editing)));
  },
});
