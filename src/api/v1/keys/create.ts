import { operation } from '#src/api/operation.ts';
import { checkGrant, holdable, reachOf, reachUser } from '#src/auth/access.ts';
import { createKey as create } from '#src/auth/keys.ts';
import { READING_SCOPES, SCOPES, SCOPES_FOR_HOMEOWNERS } from '#src/auth/scopes.ts';
import { defined } from '#src/core/defined.ts';
import { AppError, unprocessable } from '#src/core/errors.ts';
import { findGroup } from '#src/groups/store.ts';
import { endOf } from './end.ts';
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
  async handle({ context, caller, body: { user_id, name, scopes, group_id, expires_at, allowed_addresses } }) {
    const ownerId = user_id ?? caller.userId;
    const isForHomeowner = caller.role === 'utility' && ownerId !== caller.userId;
    const all = group_id === undefined ? SCOPES : READING_SCOPES;
    const wanted = scopes ?? [...(isForHomeowner ? SCOPES_FOR_HOMEOWNERS : all)];
    const allowedAddresses = allowed_addresses ?? caller.allowedAddresses ?? [];
    checkGrant(caller, ownerId, wanted, allowedAddresses);
    const expiresAt = endOf(expires_at, context.clock()) ?? undefined;
    if (group_id !== undefined && wanted.some((scope) => !READING_SCOPES.includes(scope))) {
      throw unprocessable({ field: 'scopes', message: 'must all end in :read in a key that is limited to a group' });
    }
    // Held: whoever changes its role or signs in to it first ends the keys that there are, and must not miss this one.
    const user = await reachUser(context.db, caller, user_id, { isHeld: true });
    const group = group_id === undefined ? null : await findGroup(context.db, reachOf(caller), holdable(group_id));
    // A group of somebody else is as good as none.
    if (group_id !== undefined && group?.user_id !== user.user_id) throw new AppError('notFound');
    const of = { userId: user.user_id, environment: context.environment, scopes: wanted, allowedAddresses };
    return createdToWire(await create(context.db, { ...of, ...defined({ name, expiresAt, groupId: group_id }) }));
  },
});
