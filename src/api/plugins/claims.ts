import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { listFieldErrors } from '#src/api/validation-errors.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import { describeValidationIssue } from '#src/core/validation-messages.ts';
import { isBatchSecretValid } from '#src/onboarding/batches.ts';
import { createMeterClaimLimiter, meterClaimMessageSchema, processMeterClaim } from '#src/onboarding/claims.ts';

const BODY_LIMIT_BYTES = 4_096;
const claim = meterClaimMessageSchema.extend({ batch_id: z.string().max(100), secret: z.string().max(200) });

/**
 * Adds `POST /provisioning/claim`, with which a meter without MQTT claims its device (docs/onboarding.md). The secret of the
 * provisioning batch authorizes the claim. Refused claims count against the limit of the sender's network.
 */
export function addMeterClaimRoutes(app: FastifyInstance, { db, clock }: ApiContext, counter: RequestCounter): void {
  const gate = createMeterClaimLimiter(counter);
  app.post('/provisioning/claim', { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    const asked = claim.safeParse(request.body, { error: describeValidationIssue });
    if (!asked.success) throw createUnprocessableError(...listFieldErrors(asked.error, 'body', String));
    const { batch_id: batchId, secret, ...message } = asked.data;
    let isKnown = false;
    const answer = await gate(request.ip, async () => {
      isKnown = await isBatchSecretValid(db, batchId, secret, clock());
      return isKnown ? processMeterClaim(db, batchId, message, { now: clock(), address: request.ip }) : null;
    });
    if (answer) return reply.status(201).send(answer);
    throw new AppError(isKnown ? 'claimRefused' : 'unauthorized');
  });
}
