import { z } from 'zod';
import { phone, zone } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { AppError } from '#src/core/errors.ts';
import { createUser as create } from '#src/users/store.ts';

/** What makes an account, here and on the command line. */
export const newUser = z.strictObject({
  email: z.email().max(254),
  role: z.enum(['homeowner', 'utility', 'admin']),
  phone: phone.optional(),
  timezone: zone.optional(),
  plan: z.enum(['free', 'developer', 'enterprise']).optional(),
});

export const createUser = operation({
  summary: 'Creates an account: a utility enrols homeowners, an administrator anyone.',
  method: 'POST',
  path: '/v1/users',
  scope: 'users:write',
  answer: z.strictObject({ user_id: z.string(), status: z.string() }),
  body: newUser,
  async handle({ context, caller, body: { email, role, phone, timezone, plan } }) {
    if (caller.role === 'homeowner') throw new AppError('forbidden');
    if (caller.role === 'utility' && (role !== 'homeowner' || plan !== undefined)) throw new AppError('forbidden');
    const { user_id } = await create(context.db, {
      email,
      role,
      ...(phone === undefined ? {} : { phone }),
      ...(timezone === undefined ? {} : { timezone }),
      ...(plan === undefined ? {} : { plan }),
      ...(caller.role === 'utility' ? { enrolledBy: caller.userId } : {}),
    });
    return { user_id, status: 'created' };
  },
});
