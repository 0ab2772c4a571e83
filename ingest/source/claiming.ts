import type { Client } from 'aedes';
import type { Logger } from '#src/core/log.ts';

/** How meters claim their identities at the broker (docs/onboarding.md). */
export interface Claims {
  /** What the names of batches begin with. */
  prefix: string;
  /** Where a meter says who it is, and where it is answered. */
  topic: string;
  replyTopic: string;
  /** Whether the batch and its secret belong together, and it may still be used. */
  check(batchId: string, secret: string): Promise<boolean>;
  /** What a meter is answered, as JSON; null where too many claims of its network were refused. */
  claim(batchId: string, payload: Buffer, address: string): Promise<string | null>;
}

/** Of a connection. A meter needs one, and some more where its answer was lost. */
const MAX_TRIES = 5;
const MAX_CLAIM_BYTES = 4_096;
/** After this a connection with a batch's secret is closed: a meter goes on with its own. */
export const MAX_CLAIMING_MS = 60_000;

/** The claims of one connection: one after the other, and only so many. */
export interface Claiming {
  /** Answers a claim on this connection alone; `taken` is called when that is done. */
  take(payload: Buffer, taken: () => void): void;
}

/** Answers claims on the connections that they came on. */
export function createClaiming(claims: Claims, log: Logger) {
  return (client: Client, batchId: string, address: string): Claiming => {
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
            // On this connection, and not through the broker: nobody else can have subscribed to it.
            const packet = { cmd: 'publish' as const, topic: claims.replyTopic, payload: answer, qos: 0 as const };
            client.publish({ ...packet, retain: false, dup: false }, () => {});
          });
      },
    };
  };
}
