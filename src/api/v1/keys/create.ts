import { z } from 'zod';
import { id, text } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { reachUser } from '#src/auth/access.ts';
import { createKey as create } from '#src/auth/keys.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { AppError, unprocessable } from '#src/core/errors.ts';

const body = z.strictObject({
  user_id: id.optional(),
  name: text(100).optional(),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .refine((list) => new Set(list).size === list.length, 'must not repeat')
    .optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});

export const createKey = operation({
  summary: 'Creates a key; it is shown here and never again. A key can create only what it may do itself.',
  method: 'POST',
  path: '/v1/keys',
  scope: 'keys:write',
  answer: shapes.createdKey,
  body,
  async handle({ context, caller, body: { user_id, name, scopes, expires_at } }) {
    const wanted = scopes ?? [...SCOPES];
    if (wanted.some((scope) => !caller.scopes.has(scope))) {
      throw new AppError('keyScopes');
    }
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    if (expiresAt && expiresAt <= context.clock()) {
      throw unprocessable({ field: 'expires_at', message: 'must lie in the future' });
    }
    const user = await reachUser(context.db, caller, user_id);
    return create(context.db, {
      userId: user.user_id,
      environment: context.environment,
      scopes: wanted,
      ...(name === undefined ? {} : { name }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
  },
});
