import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { orNotFound } from '#src/core/errors.ts';
import { updateGroup as update } from '#src/groups/store.ts';
import { group, groupPatch, toWire } from './shape.ts';

export const updateGroup = operation({
  summary: 'Changes a group’s name or kind, or what it is a part of.',
  method: 'PATCH',
  path: '/v1/groups/{group_id}',
  audit: { action: 'group.changed', target: 'group_id' },
  scope: 'users:write',
  answer: group,
  params: z.object({ group_id: id }),
  body: groupPatch,
  async handle({ context, caller, params, body: patch }) {
    const row = await update(context.db, reachOf(caller), holdable(params.group_id), defined(patch));
    return toWire(orNotFound(row), caller.groupId);
  },
});
