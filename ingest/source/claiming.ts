import type { Client } from 'aedes';
import type { Logger } from '#src/core/log.ts';

/**
 * Handlers for new meters that log in with the login of their batch, and claim a login of their own by their serial number
 * (docs/onboarding.md).
 */
export interface MeterClaimOptions {
  /** A login name with this prefix belongs to a batch of meters. */
  prefix: string;
  topic: string;
  replyTopic: string;
  /** Whether the secret is that of the batch of meters, and the batch is not expired. */
  check(batchId: string, secret: string): Promise<boolean>;
  /** Returns the answer for a meter as JSON. Null if too many claims from its network were refused. */
  claim(batchId: string, payload: Buffer, address: string): Promise<string | null>;
}

/** Maximum number of claims per connection. A meter repeats its claim if the answer was lost. */
const MAX_TRIES = 5;
const MAX_CLAIM_BYTES = 4_096;
/** Maximum duration in ms of a connection that logged in with the secret of a batch. */
export const MAX_METER_CLAIM_CONNECTION_MS = 60_000;

/** Handles the claims of one connection, one at a time. */
export interface MeterClaimHandler {
  /** Handles a claim, and sends the answer on this connection only. `taken`: called after the decision. */
  take(payload: Buffer, taken: () => void): void;
}

/** Returns a function that creates the claim handler of a connection. */
export function createMeterClaimHandlerFactory(claims: MeterClaimOptions, log: Logger) {
  return (client: Client, batchId: string, address: string): MeterClaimHandler => {
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
            // The answer is not published through the broker, so that no other client can receive it.
            const packet = { cmd: 'publish' as const, topic: claims.replyTopic, payload: answer, qos: 0 as const };
            client.publish({ ...packet, retain: false, dup: false }, () => {});
          });
      },
    };
  };
}
