import type { Client } from 'aedes';
import type { Logger } from '#src/core/log.ts';

/** What a meter needs to claim its identity at the broker (docs/onboarding.md). */
export interface ClaimOptions {
  /** Common start of all batch names. A login name that starts with it belongs to a batch of meters. */
  prefix: string;
  /** Topic on which a meter claims its identity. The answer is sent on `replyTopic`. */
  topic: string;
  replyTopic: string;
  /** Whether this is the secret of the batch of meters, and the batch may still be used. */
  check(batchId: string, secret: string): Promise<boolean>;
  /** Returns the answer for a meter, as JSON. Null if too many claims from the meter's network were refused. */
  claim(batchId: string, payload: Buffer, address: string): Promise<string | null>;
}

/** Maximum number of claims per connection. A meter needs one, and may repeat it if an answer was lost. */
const MAX_TRIES = 5;
const MAX_CLAIM_BYTES = 4_096;
/** Maximum duration of a connection that logged in with the secret of a batch. After a claim, a meter reconnects with its own login. */
export const MAX_CLAIM_CONNECTION_MS = 60_000;

/** Handles the claims of one connection, one at a time, up to a maximum number. */
export interface ClaimHandler {
  /** Handles a claim, and sends the answer on this connection only. Calls `taken` after the decision. */
  take(payload: Buffer, taken: () => void): void;
}

/** Creates a function that makes the claim handler of a connection. The handler sends each answer on this connection. */
export function createClaimHandlers(claims: ClaimOptions, log: Logger) {
  return (client: Client, batchId: string, address: string): ClaimHandler => {
    let tries = 0;
    let isUnderWay = false;
    return {
      take(payload, taken) {
        tries++;
        if (isUnderWay || tries > MAX_TRIES || payload.length > MAX_CLAIM_BYTES) return client.close();
        isUnderWay = true;
        claims
          .claim(batchId, payload, address)
          .catch((error: Error) => {
            log.warn({ err: error }, 'claim not decided: database unavailable');
            return JSON.stringify({ error: 'Service Unavailable', status: 503 });
          })
          .then((answer) => {
            isUnderWay = false;
            if (answer === null) return client.close();
            taken();
            // The answer is written directly to this connection and not published through the broker, so that no other client can receive
            // it.
            const packet = { cmd: 'publish' as const, topic: claims.replyTopic, payload: answer, qos: 0 as const };
            client.publish({ ...packet, retain: false, dup: false }, () => {});
          });
      },
    };
  };
}
