import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { findGroup } from '#src/groups/store.ts';
import { group, toWire } from './shape.ts';

export const getGroup = operation({
  summary: 'One group of homes.',
  method: 'GET',
  path: '/v1/groups/{group_id}',
  scope: 'users:read',
  answer: group,
  params: z.object({ group_id: id }),
  handle: async ({ context, caller, params }) =>
    toWire(orNotFound(await findGroup(context.db, reachOf(caller), holdable(params.group_id))), caller.groupId),
});
