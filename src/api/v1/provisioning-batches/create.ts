import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { DAY_MS } from '#src/core/units.ts';
import { createBatch } from '#src/onboarding/batches.ts';
import { CLAIM_REPLY_TOPIC, CLAIM_TOPIC } from '#src/onboarding/claim-message.ts';
import { createdBatch, newBatch, toWire } from './shape.ts';

export const createProvisioningBatch = operation({
  summary:
    'Makes a secret that meters are made with in the factory, and claim their devices and their own passwords with at first contact. A meter gets the device that has its serial as `external_id`. For utilities and administrators.',
  method: 'POST',
  path: '/v1/provisioning-batches',
  audit: { action: 'provisioning_batch.created', target: 'batch_id' },
  scope: 'devices:write',
  answer: createdBatch,
  body: newBatch,
  async handle({ context, caller, body }) {
    if (caller.role === 'homeowner') throw new AppError('forbidden');
    const owner = body.owner_user_id === undefined ? null : await reachUser(context.db, caller, body.owner_user_id);
    const { batch, secret } = await createBatch(context.db, {
      userId: caller.userId,
      ownerId: owner?.user_id ?? null,
      name: body.name,
      type: body.type,
      location: body.location,
      serials: body.serials ?? null,
      maxDevices: body.max_devices,
      expiresAt: new Date(context.clock().getTime() + body.valid_days * DAY_MS),
    });
    const topics = { claim_topic: CLAIM_TOPIC, reply_topic: CLAIM_REPLY_TOPIC };
    return { ...toWire(batch), mqtt: { username: batch.batch_id, password: secret, ...topics } };
  },
});
