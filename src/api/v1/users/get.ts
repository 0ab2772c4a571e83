import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { toWire, user } from './shape.ts';

export const getUser = operation({
  summary: 'One account.',
  method: 'GET',
  path: '/v1/users/{user_id}',
  scope: 'users:read',
  answer: user,
  params: z.object({ user_id: id }),
  handle: async ({ context, caller, params }) => toWire(await reachUser(context.db, caller, params.user_id)),
});
