import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { findOrReturnMoving } from '#src/database/moving.ts';

/** Returns the SHA-256 of a secret, the only form in which secrets are stored. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Creates an MQTT password with 192 random bits for a device. */
export function createDeviceSecret(): { secret: string; sha256: Buffer } {
  const secret = randomBytes(24).toString('base64url');
  return { secret, sha256: hashSecret(secret) };
}

/** The credentials with which a connection has logged in. */
export interface LoginCredentials {
  /** Id of the device or gateway that has logged in. */
  username: string;
  /** SHA-256 of the password that the connection sent. */
  secretSha256: Buffer;
}

/** Returns the logins that the broker would now refuse, because the device or gateway was deleted or has another password. */
export async function findInvalidLogins<T extends LoginCredentials>(
  db: Database,
  logins: readonly T[],
  now = new Date(),
): Promise<T[]> {
  const asked = JSON.stringify(
    logins.map(({ username, secretSha256 }, place) => ({ place, username, digest: secretSha256.toString('hex') })),
  );
  // Raw SQL: an anti-join with any number of logins.
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

/** Lifetime in ms of a temporary secret, if its creator does not revoke it earlier. */
const TEMPORARY_MS = 24 * 3_600_000;

export async function deleteExpiredSecrets(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('temporary_secrets').where('expires_at', '<=', now).execute();
}

/**
 * Creates a temporary secret with which a simulator can publish as a device. It is valid for a day, or until `end` is called. The device's
 * own secret remains valid. Null if there is no such device.
 */
export async function createTemporaryDeviceSecret(
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
  /** Account of the home to which the device or gateway belongs. */
  userId: string;
  /** Account whose limits apply: the utility that enrolled the home, or the home itself. */
  accountId: string;
}

/**
 * Returns the account of a device or gateway with this id, and the SHA-256 of its own password. Undefined if there is none or it was
 * deleted.
 */
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

/** Returns the account of a device or gateway. Null if there is none or it was deleted. */
export async function findDeviceLoginOwner(db: Database, username: string): Promise<DeviceLoginOwner | null> {
  return (await findKnown(db, username)) ?? null;
}

/**
 * Returns the account of a device or gateway if the secret is its own or a valid temporary secret, otherwise null. Throws while the account
 * is being moved to another installation, so that brokers report a temporary error.
 */
export async function authenticateDevice(
  db: Database,
  username: string,
  secret: string,
  now = new Date(),
): Promise<DeviceLoginOwner | null> {
  const known = await findOrReturnMoving(db, { id: username }, () => findKnown(db, username));
  if (known === 'moving') throw new Error('the account of this login is moving to another installation');
  if (!known) return null;
  const secretHash = hashSecret(secret);
  if (known.sha256?.length === 32 && timingSafeEqual(known.sha256, secretHash)) return known;
  // The duration of the query reveals nothing, because a secret has 192 random bits and is looked up by its hash.
  const temporary = await db
    .selectFrom('temporary_secrets')
    .select('device_id')
    .where('secret_sha256', '=', secretHash)
    .where('device_id', '=', username)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return temporary === undefined ? null : known;
}

/** Whether a secret is valid for the device or gateway with this id (see `authenticateDevice`). */
export const isDeviceLoginValid = async (...given: Parameters<typeof authenticateDevice>): Promise<boolean> =>
  (await authenticateDevice(...given)) !== null;
