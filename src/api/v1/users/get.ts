import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { reachUser } from '#src/auth/access.ts';

export const getUser = operation({
  summary: 'One account.',
  method: 'GET',
  path: '/v1/users/{user_id}',
  scope: 'users:read',
  answer: shapes.user,
  params: z.object({ user_id: id }),
  async handle({ context, caller, params }) {
    return reachUser(context.db, caller, params.user_id);
  },
});
