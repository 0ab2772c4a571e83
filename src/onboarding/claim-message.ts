import { z } from 'zod';
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
