import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { reachOf, reachUser } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { AppError, orNotFound } from '#src/core/errors.ts';
import { updateUser as update } from '#src/users/store.ts';
import { toWire, user, userPatch } from './shape.ts';

export const updateUser = operation({
  summary:
    'Changes an account. Role and plan are an administrator’s to change. A changed `email` needs keys:write, too; it is told to the old address, and ends the account’s sessions.',
  method: 'PATCH',
  path: '/v1/users/{user_id}',
  audit: { action: 'user.changed', target: 'user_id' },
  scope: 'users:write',
  answer: user,
  params: z.object({ user_id: id }),
  body: userPatch,
  async handle({ context, caller, params, body: patch }) {
    if (patch.email !== undefined && !caller.scopes.has('keys:write')) throw new AppError('emailNeedsKeys');
    const { user_id } = await reachUser(context.db, caller, params.user_id);
    if (caller.role !== 'admin' && (patch.role !== undefined || patch.plan !== undefined))
      throw new AppError('forbidden');
    return toWire(orNotFound(await update(context.db, reachOf(caller), user_id, defined(patch))));
  },
});
