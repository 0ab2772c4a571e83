import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { findOrReportMoving } from '#src/database/moving.ts';

/** Returns the SHA-256 of a secret. Secrets are stored and compared in this form. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Creates an MQTT password of 192 random bits for a device. It is shown once and stored as its SHA-256. */
export function createDeviceSecret(): { secret: string; sha256: Buffer } {
  const secret = randomBytes(24).toString('base64url');
  return { secret, sha256: hashSecret(secret) };
}

/** Credentials with which a connection logged in. */
export interface LoginCredentials {
  /** Id of the device or the gateway that logs in. */
  username: string;
  /** SHA-256 of the password that the connection sent. */
  secretSha256: Buffer;
}

/**
 * Returns those logins that the broker would now refuse: the device or gateway is deleted, was erased with its owner, or has another
 * password or none, and the secret is not a valid temporary secret of the device.
 */
export async function findInvalidLogins<T extends LoginCredentials>(
  db: Database,
  logins: readonly T[],
  now = new Date(),
): Promise<T[]> {
  const asked = JSON.stringify(
    logins.map(({ username, secretSha256 }, place) => ({ place, username, digest: secretSha256.toString('hex') })),
  );
  // Raw SQL: an anti-join with any number of logins in one statement.
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

/** Lifetime of a temporary secret whose creator does not revoke it, for example because the process was killed. */
const TEMPORARY_MS = 24 * 3_600_000;

export async function deleteExpiredSecrets(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('temporary_secrets').where('expires_at', '<=', now).execute();
}

/**
 * Creates a temporary secret with which a simulator may publish as a device, concurrently with the device itself. The secret is valid for a
 * day or until `end` is called. The device's own secret is unchanged, so no simulator can invalidate it. Null if there is no such device.
 */
export async function createTemporarySecret(
  db: Database,
  deviceId: string,
  now = new Date(),
): Promise<{ secret: string; end(): Promise<void> } | null> {
  const { secret, sha256 } = createDeviceSecret();
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

export interface DeviceLoginOwner {
  /** Account of the home that the device or the gateway belongs to. */
  userId: string;
  /** Account to which use of the service is charged: the utility that enrolled the home or, without one, the home's own. */
  accountId: string;
}

/** Returns the account of a device or a gateway by its id, with the digest of its own password. Undefined if unknown or deleted. */
async function findKnown(
  db: Database,
  username: string,
): Promise<(DeviceLoginOwner & { sha256: Buffer | null }) | undefined> {
  if (username.includes('\0')) return undefined;
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
  if (!row) return undefined;
  return { userId: row.user_id, accountId: row.enrolled_by ?? row.user_id, sha256: row.mqtt_secret_sha256 };
}

/** Returns the account of a device or a gateway. Null if unknown or deleted. */
export async function findDeviceLoginOwner(db: Database, username: string): Promise<DeviceLoginOwner | null> {
  return (await findKnown(db, username)) ?? null;
}

/**
 * Returns the account of a device or a gateway, if the secret is its own or a valid temporary secret of the device.
 * Null if the secret is wrong, or the device is unknown or deleted. Throws while the account moves to another
 * installation: brokers then answer "server unavailable" instead of "bad password", and devices try again.
 */
export async function findDeviceLogin(
  db: Database,
  username: string,
  secret: string,
  now = new Date(),
): Promise<DeviceLoginOwner | null> {
  const known = await findOrReportMoving(db, { id: username }, () => findKnown(db, username));
  if (known === 'moving') throw new Error('the account of this login is moving to another installation');
  if (!known) return null;
  const secretHash = hashSecret(secret);
  if (known.sha256?.length === 32 && timingSafeEqual(known.sha256, secretHash)) return known;
  // The query cannot be attacked by its duration, because the secret has 192 random bits and is looked up by its hash.
  const temporary = await db
    .selectFrom('temporary_secrets')
    .select('device_id')
    .where('secret_sha256', '=', secretHash)
    .where('device_id', '=', username)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return temporary === undefined ? null : known;
}

/** Whether a secret is valid for the device or gateway of that name, by the rules of `findDeviceLogin`. */
export const checkDeviceLogin = async (...given: Parameters<typeof findDeviceLogin>): Promise<boolean> =>
  (await findDeviceLogin(...given)) !== null;
