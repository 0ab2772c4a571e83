import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { checkGrant, holdable, reachOf } from '#src/auth/access.ts';
import { findKey, rotateKey as rotate } from '#src/auth/keys.ts';
import { defined } from '#src/core/defined.ts';
import { orNotFound } from '#src/core/errors.ts';
import { HOUR_MS } from '#src/core/units.ts';
import { endOf } from './end.ts';
import { createdToWire, rotatedKey, rotation } from './shape.ts';

export const rotateKey = operation({
  summary:
    'Makes a new key like an old one, which goes on for 24 h, or as many hours as are named. The new one ends when it is said, or never.',
  method: 'POST',
  path: '/v1/keys/{key_id}/rotate',
  audit: { action: 'key.rotated', target: 'key_id' },
  scope: 'keys:write',
  answer: rotatedKey,
  params: z.object({ key_id: id }),
  body: rotation,
  async handle({ context, caller, params, body }) {
    const { db, environment, clock } = context;
    const reach = reachOf(caller);
    const keyId = holdable(params.key_id);
    const { userId, scopes, allowedAddresses } = orNotFound(await findKey(db, reach, keyId));
    checkGrant(caller, userId, scopes, allowedAddresses);
    const expiresAt = endOf(body?.expires_at, clock()) ?? undefined;
    const overlapMs = body?.overlap_hours === undefined ? undefined : body.overlap_hours * HOUR_MS;
    const { created, oldExpiresAt } = orNotFound(
      await rotate(db, reach, keyId, { environment, now: clock(), ...defined({ overlapMs, expiresAt }) }),
    );
    return { ...createdToWire(created), old_expires_at: oldExpiresAt.toISOString() };
  },
});
