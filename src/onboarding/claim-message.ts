import { z } from 'zod';
import { networkOf, type RequestCounter } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { readingsTopic } from '#src/devices/topics.ts';
import { claimDevice } from './claims.ts';

/** Where a meter publishes its claim, and where it is answered, on its own connection alone. */
export const CLAIM_TOPIC = 'energy/v1/claim';
export const CLAIM_REPLY_TOPIC = 'energy/v1/claim/reply';

/** What a meter says of itself. */
export const claimMessage = z.strictObject({
  serial: z.string().regex(/^[\x20-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters'),
  nonce: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 printable ASCII characters, random, and kept by the meter')
    .optional(),
});

/** What it is answered where it gets its identity. */
export interface ClaimAnswer {
  device_id: string;
  username: string;
  password: string;
  topic: string;
}

/** Carries out a claim of a meter; null where it is refused (claims.ts). */
export async function answerClaim(
  db: Database,
  batchId: string,
  { serial, nonce }: z.output<typeof claimMessage>,
  about: { now: Date; address: string },
): Promise<ClaimAnswer | null> {
  const claimed = await claimDevice(db, batchId, { serial, nonce }, about);
  if (!claimed) return null;
  const { deviceId, secret } = claimed;
  return { device_id: deviceId, username: deviceId, password: secret, topic: readingsTopic(deviceId) };
}

/** Decides a claim that came from an address; what it resolves with is null where the claim is refused. */
export type ClaimGate = <Answer>(address: string, decide: () => Promise<Answer | null>) => Promise<Answer | null>;

/**
 * Limits how many claims of a network (IPv6: a /64) are refused, so that nobody finds out by trying which serials wait. A claim is counted before it is
 * decided and, if it was granted, given back after it: of any number at once no more are decided than may be refused. Those of one network wait
 * for one another, so that a house full of meters does not use up the limit by coming at once. Rejects with 429 beyond the limit.
 */
export function createClaimGate(counter: Pick<RequestCounter, 'take' | 'giveBack'>): ClaimGate {
  const lasts = new Map<string, Promise<unknown>>();

  async function decided<Answer>(network: string, decide: () => Promise<Answer | null>): Promise<Answer | null> {
    const counted = `addr:claim ${network}`;
    const { allowed, retryAfterSeconds } = await counter.take(counted);
    if (!allowed) throw new AppError('tooManyRequests', { retryAfterSeconds });
    const answer = await decide();
    if (answer !== null) await counter.giveBack(counted);
    return answer;
  }

  return (address, decide) => {
    const network = networkOf(address);
    const turn = (lasts.get(network) ?? Promise.resolve()).then(() => decided(network, decide));
    const last = turn.then(
      () => {},
      () => {},
    );
    lasts.set(network, last);
    void last.then(() => {
      if (lasts.get(network) === last) lasts.delete(network);
    });
    return turn;
  };
}
