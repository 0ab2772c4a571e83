import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';

/** One account. */
export const getUser = operation({
  method: 'GET',
  path: '/v1/users/{user_id}',
  scope: 'users:read',
  async handle({ context, caller, params }) {
    return reachUser(context.db, caller, (params as { user_id: string }).user_id);
  },
});
