import { z } from 'zod';
import { paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { loadAccessibleUser } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { DAY_MS } from '#src/core/units.ts';
import { createBatch, listBatches, revokeBatch } from '#src/onboarding/batches.ts';
import { METER_CLAIM_REPLY_TOPIC, METER_CLAIM_TOPIC } from '#src/onboarding/claims.ts';
import { batchSchema, createdBatchSchema, newBatchSchema, provisioningBatchToResponse } from './shape.ts';

export const createProvisioningBatch = defineOperation('POST /v1/provisioning-batches', {
  summary:
    'Creates a shared secret that meters get in the factory. At first contact, each meter uses it to claim its device and its own password. A meter gets the device whose `external_id` is its serial. For utilities and administrators.',
  audit: { action: 'provisioning_batch.created', target: 'batch_id' },
  scope: 'devices:write',
  answer: createdBatchSchema,
  body: newBatchSchema,
  async handle({ context, db, caller, body }) {
    if (caller.role === 'homeowner') throw new AppError('forbidden');
    const owner = body.owner_user_id === undefined ? null : await loadAccessibleUser(db, caller, body.owner_user_id);
    const { batch, secret } = await createBatch(db, {
      userId: caller.userId,
      ownerId: owner?.user_id ?? null,
      name: body.name,
      type: body.type,
      location: body.location,
      serials: body.serials ?? null,
      maxDevices: body.max_devices,
      expiresAt: new Date(context.clock().getTime() + body.valid_days * DAY_MS),
    });
    const topics = { claim_topic: METER_CLAIM_TOPIC, reply_topic: METER_CLAIM_REPLY_TOPIC };
    return { ...provisioningBatchToResponse(batch), mqtt: { username: batch.batch_id, password: secret, ...topics } };
  },
});

export const listProvisioningBatches = defineOperation('GET /v1/provisioning-batches', {
  summary:
    'Lists the provisioning batches that the caller created, including ended ones, page by page. Administrators see all batches.',
  scope: 'devices:read',
  answer: z.array(batchSchema),
  query: z.object(paginationFields),
  async handle({ db, reach, page }) {
    const rows = await page('batch_id', (at) => listBatches(db, reach, at));
    return rows.map(provisioningBatchToResponse);
  },
});

export const revokeProvisioningBatch = defineOperation('DELETE /v1/provisioning-batches/{batch_id}', {
  summary: 'Ends a provisioning batch: meters can no longer claim with it. Claimed devices continue to work.',
  audit: { action: 'provisioning_batch.revoked', target: 'batch_id' },
  scope: 'devices:write',
  answer: shapes.messageSchema,
  async handle({ context, db, reach, params: { batch_id } }) {
    const isRevoked = await revokeBatch(db, reach, batch_id, context.clock());
    if (!isRevoked) throw new AppError('notFound');
    return { message: `Batch ${batch_id} was revoked; its claimed devices keep working` };
  },
});
