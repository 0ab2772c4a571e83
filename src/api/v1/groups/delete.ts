import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { deleteGroup as remove } from '#src/groups/store.ts';

export const deleteGroup = operation({
  summary: 'Removes a group, and the keys that are limited to it; its homes stay as they are.',
  method: 'DELETE',
  path: '/v1/groups/{group_id}',
  audit: { action: 'group.deleted', target: 'group_id' },
  scope: 'users:write',
  answer: shapes.message,
  params: z.object({ group_id: id }),
  async handle({ context, caller, params }) {
    if (!(await remove(context.db, reachOf(caller), holdable(params.group_id)))) throw new AppError('notFound');
    return { message: `Group ${params.group_id} was deleted` };
  },
});
