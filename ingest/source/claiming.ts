import type { Client } from 'aedes';
import type { Logger } from '#src/core/log.ts';
import { MINUTE_MS } from '#src/core/units.ts';

/** How meters claim their identities at the broker (docs/onboarding.md). */
export interface Claims {
  /** What the names of batches begin with. */
  prefix: string;
  /** Where a meter says who it is, and where it is answered. */
  topic: string;
  replyTopic: string;
  /** Whether the batch and its secret belong together, and it may still be used. */
  check(batchId: string, secret: string): Promise<boolean>;
  /** What a meter is answered, as JSON; `isRefused`: it got nothing. */
  claim(batchId: string, payload: Buffer, address: string): Promise<{ isRefused: boolean; answer: string }>;
}

/** Of a connection. A meter needs one, and some more where its answer was lost. */
const MAX_TRIES = 5;
/** Of an address, in a minute: whoever has a batch's secret may not try serials until one waits. */
const MAX_REFUSED = 30;
const MAX_ADDRESSES = 10_000;
const MAX_CLAIM_BYTES = 4_096;
/** After this a connection with a batch's secret is closed: a meter goes on with its own. */
export const MAX_CLAIMING_MS = 60_000;

/** The claims of one connection: one after the other, and only so many. */
export interface Claiming {
  /** Answers a claim on this connection alone; `taken` is called when that is done. */
  take(payload: Buffer, taken: () => void): void;
}

/** Answers claims, and remembers how often an address was refused. */
export function createClaiming(claims: Claims, log: Logger, now: () => number = Date.now) {
  const refused = new Map<string, { count: number; sinceMs: number }>();
  const noteRefused = (address: string) => {
    const known = refused.get(address);
    if (known && now() - known.sinceMs < MINUTE_MS) return void known.count++;
    if (refused.size === MAX_ADDRESSES) refused.clear();
    refused.set(address, { count: 1, sinceMs: now() });
  };
  const isShut = (address: string) => {
    const known = refused.get(address);
    return known !== undefined && known.count >= MAX_REFUSED && now() - known.sinceMs < MINUTE_MS;
  };

  return (client: Client, batchId: string, address: string): Claiming => {
    let tries = 0;
    let isUnderWay = false;
    return {
      take(payload, taken) {
        tries++;
        if (isUnderWay || tries > MAX_TRIES || payload.length > MAX_CLAIM_BYTES || isShut(address))
          return client.close();
        isUnderWay = true;
        claims
          .claim(batchId, payload, address)
          .then(({ isRefused, answer }) => {
            if (isRefused) noteRefused(address);
            return answer;
          })
          .catch((error: Error) => {
            log.warn({ err: error }, 'claim not decided: database unavailable');
            return JSON.stringify({ error: 'Service Unavailable', status: 503 });
          })
          .then((answer) => {
            isUnderWay = false;
            taken();
            // On this connection, and not through the broker: nobody else can have subscribed to it.
            const packet = { cmd: 'publish' as const, topic: claims.replyTopic, payload: answer, qos: 0 as const };
            client.publish({ ...packet, retain: false, dup: false }, () => {});
          });
      },
    };
  };
}
