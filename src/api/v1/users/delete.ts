import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { reachUser } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { eraseUser } from '#src/users/erase.ts';

export const deleteUser = operation({
  summary: 'Removes an account with all that is known of it.',
  method: 'DELETE',
  path: '/v1/users/{user_id}',
  audit: { action: 'user.deleted', target: 'user_id' },
  scope: 'users:write',
  answer: shapes.message,
  params: z.object({ user_id: id }),
  async handle({ context, caller, params }) {
    const { user_id } = await reachUser(context.db, caller, params.user_id);
    if (!(await eraseUser(context.db, user_id))) throw new AppError('notFound');
    return { message: `User ${user_id} and all associated data were deleted` };
  },
});
