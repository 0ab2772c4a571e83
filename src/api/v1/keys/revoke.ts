import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { revokeKey as revoke } from '#src/auth/keys.ts';
import { notFound } from '#src/core/errors.ts';

/** Revokes a key; it is refused everywhere within 10 seconds. */
export const revokeKey = operation({
  method: 'DELETE',
  path: '/v1/keys/{key_id}',
  scope: 'keys:write',
  params: z.object({ key_id: id }),
  async handle({ context, caller, params }) {
    if (!(await revoke(context.db, reachOf(caller), holdable(params.key_id)))) throw notFound();
    return { message: `Key ${params.key_id} was revoked` };
  },
});
