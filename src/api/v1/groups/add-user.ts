import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { change } from './change.ts';
import { changed } from './shape.ts';

export const addGroupUser = operation({
  summary: 'Adds a home to a group; one that is in it already stays.',
  method: 'PUT',
  path: '/v1/groups/{group_id}/users/{user_id}',
  audit: { action: 'group.home_added', target: 'user_id', of: 'group_id' },
  scope: 'users:write',
  answer: changed,
  params: z.object({ group_id: id, user_id: id }),
  handle: ({ context, caller, params }) =>
    change(context.db, caller, params.group_id, { add: [params.user_id], fieldOf: () => 'user_id' }),
});
