import type { RequestCounter } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { checkBatchSecret } from '#src/onboarding/batches.ts';
import {
  answerClaim,
  CLAIM_REPLY_TOPIC,
  CLAIM_TOPIC,
  claimMessage,
  createClaimGate,
} from '#src/onboarding/claim-message.ts';

/** How meters claim their identities at the embedded broker, for ingest, which knows nothing of batches. */
export function claimsAtBroker(db: Database, counter: RequestCounter) {
  const gate = createClaimGate(counter);
  return {
    prefix: 'prb_',
    topic: CLAIM_TOPIC,
    replyTopic: CLAIM_REPLY_TOPIC,
    check: (batchId: string, secret: string) => checkBatchSecret(db, batchId, secret),
    /** What a meter is answered, as JSON; null where its network was refused too often. */
    async claim(batchId: string, payload: Buffer, address: string): Promise<string | null> {
      const message = claimMessage.safeParse(jsonOf(payload));
      if (!message.success) {
        const [issue] = message.error.issues;
        const error = `${issue?.path.join('.') || 'message'}: ${issue?.message}`;
        return JSON.stringify({ error, status: 422 });
      }
      try {
        const answer = await gate(address, () => answerClaim(db, batchId, message.data, { now: new Date(), address }));
        return JSON.stringify(answer ?? { error: 'The claim is refused', status: 403 });
      } catch (error) {
        if (error instanceof AppError && error.is === 'tooManyRequests') return null;
        throw error;
      }
    },
  };
}

function jsonOf(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return undefined;
  }
}
