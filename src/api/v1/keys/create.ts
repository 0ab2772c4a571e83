import { operation } from '#src/api/operation.ts';
import { checkGrant, reachUser } from '#src/auth/access.ts';
import { createKey as create } from '#src/auth/keys.ts';
import { SCOPES, SCOPES_FOR_HOMEOWNERS } from '#src/auth/scopes.ts';
import { defined } from '#src/core/defined.ts';
import { unprocessable } from '#src/core/errors.ts';
import { createdKey, createdToWire, newKey } from './shape.ts';

export const createKey = operation({
  summary:
    'Creates a key; it is shown here and never again. A key can create only what it may do itself; a utility creates keys for its homeowners with insights:read, alerts:read and devices:read at most.',
  method: 'POST',
  path: '/v1/keys',
  audit: { action: 'key.created', target: 'key_id' },
  scope: 'keys:write',
  answer: createdKey,
  body: newKey,
  async handle({ context, caller, body: { user_id, name, scopes, expires_at } }) {
    const ownerId = user_id ?? caller.userId;
    const isForHomeowner = caller.role === 'utility' && ownerId !== caller.userId;
    const wanted = scopes ?? [...(isForHomeowner ? SCOPES_FOR_HOMEOWNERS : SCOPES)];
    checkGrant(caller, ownerId, wanted);
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    if (expiresAt && expiresAt <= context.clock()) {
      throw unprocessable({ field: 'expires_at', message: 'must lie in the future' });
    }
    const user = await reachUser(context.db, caller, user_id);
    const of = { userId: user.user_id, environment: context.environment, scopes: wanted };
    return createdToWire(await create(context.db, { ...of, ...defined({ name, expiresAt }) }));
  },
});
