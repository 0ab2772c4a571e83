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

/** Deletes temporary secrets that are over. */
export async function forgetTemporarySecrets(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('temporary_secrets').where('expires_at', '<=', now).execute();
}

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

/** Whose a login is. */
export interface LoginAccount {
  /** The home that the device or the gateway belongs to. */
  userId: string;
  /** The account that what it takes of the service counts to: the utility that enrolled the home, else the home's own. */
  accountId: string;
}

/** The account of a device or a gateway by its id, and the digest of its own password; null for unknown and for deleted ones. */
async function findKnown(db: Database, username: string): Promise<(LoginAccount & { sha256: Buffer | null }) | null> {
  if (username.includes('\0')) return null;
  const row = username.startsWith('gwy_')
    ? await db
        .selectFrom('gateways')
        .innerJoin('users', 'users.user_id', 'gateways.user_id')
        .select(['gateways.mqtt_secret_sha256', 'gateways.user_id', 'users.enrolled_by'])
        .where('gateway_id', '=', username)
        .executeTakeFirst()
    : await db
        .selectFrom('devices')
        .innerJoin('users', 'users.user_id', 'devices.user_id')
        .select(['devices.mqtt_secret_sha256', 'devices.user_id', 'users.enrolled_by'])
        .where('device_id', '=', username)
        .where('devices.deleted_at', 'is', null)
        .executeTakeFirst();
  if (!row) return null;
  return { userId: row.user_id, accountId: row.enrolled_by ?? row.user_id, sha256: row.mqtt_secret_sha256 };
}

/** The account of a device or a gateway; null for unknown and for deleted ones. */
export async function accountOfLogin(db: Database, username: string): Promise<LoginAccount | null> {
  return findKnown(db, username);
}

/**
 * The account of a device or a gateway where the secret is its own, or holds for the device for a while. Null for a wrong one, and for unknown and
 * deleted names.
 */
export async function findDeviceLogin(
  db: Database,
  username: string,
  secret: string,
  now = new Date(),
): Promise<LoginAccount | null> {
  const known = await findKnown(db, username);
  if (!known) return null;
  const given = secretDigest(secret);
  if (known.sha256?.length === 32 && timingSafeEqual(known.sha256, given)) return known;
  // One of 192 random bits is looked up by its hash: how long that takes tells nothing of it.
  const temporary = await db
    .selectFrom('temporary_secrets')
    .select('device_id')
    .where('secret_sha256', '=', given)
    .where('device_id', '=', username)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return temporary === undefined ? null : known;
}

/** Whether the secret is the device's or the gateway's of that name, as `findDeviceLogin` has it. */
export const checkDeviceLogin = async (...given: Parameters<typeof findDeviceLogin>): Promise<boolean> =>
  (await findDeviceLogin(...given)) !== null;
