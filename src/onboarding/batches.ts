import { timingSafeEqual } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { createId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { createDeviceSecret, hashSecret } from '#src/devices/credentials.ts';

const COLUMNS = [
  'batch_id',
  'user_id',
  'owner_user_id',
  'name',
  'type',
  'location',
  'max_devices',
  'claimed',
  'expires_at',
  'revoked_at',
  'created_at',
] as const;

/** Number of serial numbers with which a meter of the batch can claim a device. Null if every serial number can be used. */
const SERIAL_COUNT = sql<number | null>`cardinality(serials)`.as('serial_count');

/** A batch of meters that share a secret, with which each meter claims a login for its device. */
export type StoredProvisioningBatch = Pick<Selectable<Tables['provisioning_batches']>, (typeof COLUMNS)[number]> & {
  serial_count: number | null;
};

interface NewProvisioningBatch {
  /** Account that creates the batch. Meters can claim only devices that this account can access. */
  userId: string;
  /** Owner of new devices for meters without a matching device. Null: the claim of such a meter is refused. */
  ownerId: string | null;
  name: string;
  type: string;
  location: string;
  /** If set, meters can claim a device only with these serial numbers. Null: with any serial number. */
  serials: string[] | null;
  maxDevices: number;
  expiresAt: Date;
}

/** Creates a batch. Returns its secret. */
export async function createBatch(
  db: Database,
  wanted: NewProvisioningBatch,
): Promise<{ batch: StoredProvisioningBatch; secret: string }> {
  const { secret, sha256 } = createDeviceSecret();
  const batch = await db
    .insertInto('provisioning_batches')
    .values({
      batch_id: createId('prb'),
      user_id: wanted.userId,
      owner_user_id: wanted.ownerId,
      name: wanted.name,
      type: wanted.type,
      location: wanted.location,
      secret_sha256: sha256,
      serials: wanted.serials,
      max_devices: wanted.maxDevices,
      expires_at: wanted.expiresAt,
    })
    .returning([...COLUMNS, SERIAL_COUNT])
    .executeTakeFirstOrThrow();
  return { batch, secret };
}

/** Returns at most `limit` batches of accounts that the caller can access, in order of their ids, after `cursor`. */
export async function listBatches(
  db: Database,
  reach: AccessibleAccounts,
  { limit, cursor = '' }: { limit: number; cursor?: string },
): Promise<StoredProvisioningBatch[]> {
  return db
    .selectFrom('provisioning_batches')
    .select([...COLUMNS, SERIAL_COUNT])
    .where(isAccountAccessibleSql(reach, 'provisioning_batches.user_id'))
    .where('batch_id', '>', cursor)
    .orderBy('batch_id')
    .limit(limit)
    .execute();
}

/**
 * Revokes a batch, so that no further meter can claim a device. Already claimed devices are not affected. Returns false if the caller can
 * access no such active batch.
 */
export async function revokeBatch(
  db: Database,
  reach: AccessibleAccounts,
  batchId: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('provisioning_batches')
    .set({ revoked_at: now })
    .where('batch_id', '=', batchId)
    .where('revoked_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'provisioning_batches.user_id'))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether the secret belongs to the batch and the batch has not ended. */
export async function isBatchSecretValid(
  db: Database,
  batchId: string,
  secret: string,
  now = new Date(),
): Promise<boolean> {
  if (batchId.includes('\0')) return false;
  const batch = await db
    .selectFrom('provisioning_batches')
    .select('secret_sha256')
    .where('batch_id', '=', batchId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return batch !== undefined && timingSafeEqual(batch.secret_sha256, hashSecret(secret));
}
