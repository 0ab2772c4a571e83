import type { Database } from '#src/database/connect.ts';
import { checkBatchSecret } from '#src/onboarding/batches.ts';
import { answerClaim, CLAIM_REPLY_TOPIC, CLAIM_TOPIC, claimMessage } from '#src/onboarding/claim-message.ts';

/** How meters claim their identities at the embedded broker, for ingest, which knows nothing of batches. */
export function claimsAtBroker(db: Database) {
  return {
    prefix: 'prb_',
    topic: CLAIM_TOPIC,
    replyTopic: CLAIM_REPLY_TOPIC,
    check: (batchId: string, secret: string) => checkBatchSecret(db, batchId, secret),
    async claim(batchId: string, payload: Buffer, address: string) {
      const message = claimMessage.safeParse(jsonOf(payload));
      if (!message.success) {
        const [issue] = message.error.issues;
        const error = `${issue?.path.join('.') || 'message'}: ${issue?.message}`;
        return { isRefused: true, answer: JSON.stringify({ error, status: 422 }) };
      }
      const answer = await answerClaim(db, batchId, message.data, { now: new Date(), address });
      if (answer) return { isRefused: false, answer: JSON.stringify(answer) };
      return { isRefused: true, answer: JSON.stringify({ error: 'The claim is refused', status: 403 }) };
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
