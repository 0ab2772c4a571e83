import { operation } from '#src/api/operation.ts';
import { defined } from '#src/core/defined.ts';
import { AppError } from '#src/core/errors.ts';
import { createUser as create } from '#src/users/store.ts';
import { createdUser, newUser } from './shape.ts';

export const createUser = operation({
  summary: 'Creates an account: a utility enrols homeowners, an administrator anyone.',
  method: 'POST',
  path: '/v1/users',
  audit: { action: 'user.created', target: 'user_id' },
  scope: 'users:write',
  answer: createdUser,
  body: newUser,
  async handle({ context, caller, body }) {
    if (caller.role === 'homeowner') throw new AppError('forbidden');
    if (caller.role === 'utility' && (body.role !== 'homeowner' || body.plan !== undefined)) {
      throw new AppError('forbidden');
    }
    const enrolledBy = caller.role === 'utility' ? caller.userId : undefined;
    const { user_id } = await create(context.db, { ...defined(body), enrolledBy });
    return { user_id, status: 'created' };
  },
});
