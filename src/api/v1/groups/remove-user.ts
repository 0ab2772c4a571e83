import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { AppError } from '#src/core/errors.ts';
import { change } from './change.ts';
import { changed } from './shape.ts';

export const removeGroupUser = operation({
  summary: 'Removes a home from a group; the home itself stays as it is.',
  method: 'DELETE',
  path: '/v1/groups/{group_id}/users/{user_id}',
  audit: { action: 'group.home_removed', target: 'user_id', of: 'group_id' },
  scope: 'users:write',
  answer: changed,
  params: z.object({ group_id: id, user_id: id }),
  async handle({ context, caller, params }) {
    const done = await change(context.db, caller, params.group_id, {
      remove: [params.user_id],
      fieldOf: () => 'user_id',
    });
    if (done.removed === 0) throw new AppError('notFound');
    return done;
  },
});
