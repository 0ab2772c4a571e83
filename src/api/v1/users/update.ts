import { z } from 'zod';
import { id, phone, zone } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { reachOf, reachUser } from '#src/auth/access.ts';
import { AppError, orNotFound } from '#src/core/errors.ts';
import { type UserPatch, updateUser as update } from '#src/users/store.ts';

const body = z.strictObject({
  email: z.email().max(254).optional(),
  phone: phone.nullable().optional(),
  role: z.enum(['homeowner', 'utility', 'admin']).optional(),
  timezone: zone.optional(),
  plan: z.enum(['free', 'developer', 'enterprise']).optional(),
});

export const updateUser = operation({
  summary: 'Changes an account. Role and plan are an administrator’s to change.',
  method: 'PATCH',
  path: '/v1/users/{user_id}',
  scope: 'users:write',
  answer: shapes.user,
  params: z.object({ user_id: id }),
  body,
  async handle({ context, caller, params, body: patch }) {
    const user = await reachUser(context.db, caller, params.user_id);
    if (caller.role !== 'admin' && (patch.role !== undefined || patch.plan !== undefined))
      throw new AppError('forbidden');
    const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as UserPatch;
    return orNotFound(await update(context.db, reachOf(caller), user.user_id, given));
  },
});
