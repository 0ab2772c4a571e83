import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { revokeBatch } from '#src/onboarding/batches.ts';

export const revokeProvisioningBatch = operation({
  summary: 'Ends a provisioning batch: nothing claims with it any more. What was claimed goes on.',
  method: 'DELETE',
  path: '/v1/provisioning-batches/{batch_id}',
  audit: { action: 'provisioning_batch.revoked', target: 'batch_id' },
  scope: 'devices:write',
  answer: shapes.message,
  params: z.object({ batch_id: id }),
  async handle({ context, caller, params: { batch_id } }) {
    const isRevoked = await revokeBatch(context.db, reachOf(caller), holdable(batch_id), context.clock());
    if (!isRevoked) throw new AppError('notFound');
    return { message: `Batch ${batch_id} was revoked; what was claimed with it goes on` };
  },
});
