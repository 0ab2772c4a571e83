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

/** Which of these devices and gateways are deleted, were erased with their owner, or have no password any more. */
export async function endedLogins(db: Database, usernames: readonly string[]): Promise<string[]> {
  const asked = JSON.stringify(usernames);
  // Raw SQL: looks for what is not there among any number of names, in one statement.
  const { rows } = await sql<{ username: string }>`
    SELECT a.username FROM jsonb_array_elements_text(${asked}::jsonb) a (username)
    WHERE NOT EXISTS (SELECT FROM devices d WHERE d.device_id = a.username AND d.deleted_at IS NULL AND length(d.mqtt_secret_sha256) > 0)
      AND NOT EXISTS (SELECT FROM gateways g WHERE g.gateway_id = a.username)`.execute(db);
  return rows.map((row) => row.username);
}

/** How long a temporary secret holds where nobody ends it: whoever made it was killed. */
const TEMPORARY_MS = 24 * 3_600_000;

/**
 * Makes a secret with which somebody may play a device beside it, for a day or until `end`. The device's own is not touched: none
 * of those who play it can lose it, whatever becomes of them. Null where there is no such device.
 */
export async function makeTemporarySecret(
  db: Database,
  deviceId: string,
  now = new Date(),
): Promise<{ secret: string; end(): Promise<void> } | null> {
  const { secret, sha256 } = newDeviceSecret();
  await db.deleteFrom('temporary_secrets').where('expires_at', '<=', now).execute();
  const device = await db
    .selectFrom('devices')
    .select('device_id')
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!device) return null;
  const expires_at = new Date(now.getTime() + TEMPORARY_MS);
  await db.insertInto('temporary_secrets').values({ secret_sha256: sha256, device_id: deviceId, expires_at }).execute();
  return {
    secret,
    async end() {
      await db.deleteFrom('temporary_secrets').where('secret_sha256', '=', sha256).execute();
    },
  };
}

/**
 * Whether the secret is the device's or the gateway's of that name, or holds for the device for a while. False for unknown and for
 * deleted ones.
 */
export async function checkDeviceLogin(
  db: Database,
  username: string,
  secret: string,
  now = new Date(),
): Promise<boolean> {
  if (username.includes('\0')) return false;
  const known = username.startsWith('gwy_')
    ? await db.selectFrom('gateways').select('mqtt_secret_sha256').where('gateway_id', '=', username).executeTakeFirst()
    : await db
        .selectFrom('devices')
        .select('mqtt_secret_sha256')
        .where('device_id', '=', username)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
  const [own, given] = [known?.mqtt_secret_sha256, secretDigest(secret)];
  if (own?.length === 32 && timingSafeEqual(own, given)) return true;
  // One of 192 random bits is looked up by its hash: how long that takes tells nothing of it.
  const temporary = await db
    .selectFrom('temporary_secrets')
    .select('device_id')
    .where('secret_sha256', '=', given)
    .where('device_id', '=', username)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return known !== undefined && temporary !== undefined;
}
