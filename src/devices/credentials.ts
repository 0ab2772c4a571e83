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

/** What a connection signed in with. */
export interface Login {
  /** Id of a device or a gateway. */
  username: string;
  /** SHA-256 of the password. */
  secretSha256: Buffer;
}

/**
 * Those of the logins that would be refused now: the device or gateway is deleted, was erased with its owner, or has another password or
 * none; and what they came with is no temporary secret of it either, or is so no longer.
 */
export async function endedLogins<T extends Login>(db: Database, logins: readonly T[], now = new Date()): Promise<T[]> {
  const asked = JSON.stringify(
    logins.map(({ username, secretSha256 }, place) => ({ place, username, digest: secretSha256.toString('hex') })),
  );
  // Raw SQL: looks for what is not there among any number of names, in one statement.
  const { rows } = await sql<{ place: number }>`
    SELECT a.place FROM (SELECT place, username, decode(digest, 'hex') AS sha256
      FROM jsonb_to_recordset(${asked}::jsonb) r (place int, username text, digest text)) a
    WHERE NOT EXISTS (SELECT FROM devices d WHERE d.device_id = a.username AND d.deleted_at IS NULL AND (d.mqtt_secret_sha256 = a.sha256
        OR EXISTS (SELECT FROM temporary_secrets t WHERE t.secret_sha256 = a.sha256 AND t.device_id = a.username AND t.expires_at > ${now})))
      AND NOT EXISTS (SELECT FROM gateways g WHERE g.gateway_id = a.username AND g.mqtt_secret_sha256 = a.sha256)`.execute(
    db,
  );
  return rows.flatMap(({ place }) => logins[place] ?? []);
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
