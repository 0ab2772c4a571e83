import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { revokeKey as revoke } from '#src/auth/keys.ts';
import { AppError } from '#src/core/errors.ts';

export const revokeKey = operation({
  summary: 'Revokes a key: it changes nothing from now on, and reads nothing after 10 seconds.',
  method: 'DELETE',
  path: '/v1/keys/{key_id}',
  audit: { action: 'key.revoked', target: 'key_id' },
  scope: 'keys:write',
  answer: shapes.message,
  params: z.object({ key_id: id }),
  async handle({ context, caller, params }) {
    if (!(await revoke(context.db, reachOf(caller), holdable(params.key_id)))) throw new AppError('notFound');
    return { message: `Key ${params.key_id} was revoked` };
  },
});
