import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { checkGrant, holdable, reachOf } from '#src/auth/access.ts';
import { findKey, limitKey } from '#src/auth/keys.ts';
import { defined } from '#src/core/defined.ts';
import { orNotFound } from '#src/core/errors.ts';
import { endOf } from './end.ts';
import { key, keyLimits, toWire } from './shape.ts';

export const updateKey = operation({
  summary:
    'Changes from where and until when a key may be used. For what changes something it holds at once, for what reads after 10 seconds.',
  method: 'PATCH',
  path: '/v1/keys/{key_id}',
  audit: { action: 'key.changed', target: 'key_id' },
  scope: 'keys:write',
  answer: key,
  params: z.object({ key_id: id }),
  body: keyLimits,
  async handle({ context: { db, clock }, caller, params, body: { expires_at, allowed_addresses: allowedAddresses } }) {
    const reach = reachOf(caller);
    const keyId = holdable(params.key_id);
    const old = orNotFound(await findKey(db, reach, keyId));
    checkGrant(caller, old.userId, old.scopes, allowedAddresses ?? old.allowedAddresses);
    const now = clock();
    const limits = defined({ expiresAt: endOf(expires_at, now), allowedAddresses });
    return toWire(orNotFound(await limitKey(db, reach, keyId, { now, ...limits })));
  },
});
