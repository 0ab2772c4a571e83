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
    'Changes an account. Role and plan are an administrator’s to change. A changed `email` needs keys:write, too, and holds once a mail to it was used, within 7 days; until then it is the `pending_email`, which the present address as `email` withdraws. An administrator’s change holds at once. A changed address or role ends all keys and sessions of the account.',
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
    const requester = caller.role === 'admin' ? undefined : caller;
    return toWire(orNotFound(await update(context.db, reachOf(caller), user_id, defined(patch), requester)));
  },
});
