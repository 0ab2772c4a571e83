import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/** SHA-256 of a secret: the form in which it is stored and compared. */
export const secretDigest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** A device's MQTT password, of 192 random bits: shown once, stored as its SHA-256. */
export function newDeviceSecret(): { secret: string; sha256: Buffer } {
  const secret = randomBytes(24).toString('base64url');
  return { secret, sha256: secretDigest(secret) };
}

/** Which of these devices and gateways are deleted, or were erased with their owner. */
export async function endedLogins(db: Database, usernames: readonly string[]): Promise<string[]> {
  const asked = JSON.stringify(usernames);
  // Raw SQL: looks for what is not there among any number of names, in one statement.
  const { rows } = await sql<{ username: string }>`
    SELECT a.username FROM jsonb_array_elements_text(${asked}::jsonb) a (username)
    WHERE NOT EXISTS (SELECT FROM devices d WHERE d.device_id = a.username AND d.deleted_at IS NULL)
      AND NOT EXISTS (SELECT FROM gateways g WHERE g.gateway_id = a.username)`.execute(db);
  return rows.map((row) => row.username);
}

/** Whether the secret is the device's or the gateway's of that name. False for unknown and for deleted ones. */
export async function checkDeviceLogin(db: Database, username: string, secret: string): Promise<boolean> {
  if (username.includes('\0')) return false;
  const known = username.startsWith('gwy_')
    ? await db.selectFrom('gateways').select('mqtt_secret_sha256').where('gateway_id', '=', username).executeTakeFirst()
    : await db
        .selectFrom('devices')
        .select('mqtt_secret_sha256')
        .where('device_id', '=', username)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
  const expected = known?.mqtt_secret_sha256 ?? Buffer.alloc(32);
  return expected.length === 32 && timingSafeEqual(expected, secretDigest(secret)) && known !== undefined;
}
