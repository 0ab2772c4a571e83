import { z } from 'zod';
import { id, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { listEdits } from '#src/devices/edits/store.ts';
import { findDevice } from '#src/devices/store.ts';
import { edit, toWire } from './edit-shape.ts';

export const listDeviceEdits = operation({
  summary: 'The edits of readings of a device, revoked ones, too, with who made them and why, page by page.',
  method: 'GET',
  path: '/v1/devices/{device_id}/edits',
  scope: 'devices:read',
  answer: z.array(edit),
  params: z.object({ device_id: id }),
  query: z.object(page),
  async handle({ context, caller, params, query, reply, url }) {
    const reach = reachOf(caller);
    const { device_id } = orNotFound(await findDevice(context.db, reach, holdable(params.device_id)));
    const find = (page: { limit: number; cursor?: string }) => listEdits(context.db, reach, device_id, page);
    const rows = await pageOf(reply, url, query, find, ({ edit_id }) => edit_id);
    return rows.map(toWire);
  },
});
