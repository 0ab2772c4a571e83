import { sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeviceManager } from '#src/database/enums.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';

/**
 * Returns, by owner, who will manage devices that a caller with this reach pairs (docs/onboarding.md). A utility manages the devices that
 * it pairs for its homes. The utility that enrolled a home also manages devices that an administrator or operator pairs for that home. All
 * other devices are managed by their owner.
 */
export async function readFutureManagers(
  db: Database,
  reach: AccessibleAccounts,
  ownerIds: readonly string[],
): Promise<(ownerId: string) => DeviceManager> {
  if (isLimitedToOwnAccount(reach)) return () => 'owner';
  if ('enrolledBy' in reach) return (ownerId) => (ownerId === reach.enrolledBy ? 'owner' : 'utility');
  const rows = await db
    .selectFrom('users')
    .select('user_id')
    .where('user_id', '=', sql<string>`ANY (${[...new Set(ownerIds)]}::text[])`)
    .where('enrolled_by', 'is not', null)
    .execute();
  const enrolled = new Set(rows.map(({ user_id }) => user_id));
  return (ownerId) => (enrolled.has(ownerId) ? 'utility' : 'owner');
}

/** Whether a caller can access only its own account, and therefore owns every object that it can access. */
export const isLimitedToOwnAccount = (reach: AccessibleAccounts): boolean => 'only' in reach;

/** Members of a PATCH that an owner may change even on a device that the utility manages. Bills depend on all other members. */
const OWNERS_MEMBERS: ReadonlySet<string> = new Set(['location']);

/** Whether these members of a PATCH include one that only the manager of a device may change. Pure. */
export const isManagerRequired = (members: readonly string[]): boolean =>
  members.some((one) => !OWNERS_MEMBERS.has(one));

/**
 * Throws 403 if the caller owns the device but a utility manages it. Does nothing for a device outside the caller's reach, because the
 * change itself then finds no device.
 */
export async function assertMayManageDevice(db: Database, reach: AccessibleAccounts, deviceId: string): Promise<void> {
  if (!isLimitedToOwnAccount(reach)) return;
  const row = await db
    .selectFrom('devices')
    .select('managed_by')
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .executeTakeFirst();
  if (row?.managed_by === 'utility') throw new AppError('deviceOfUtility');
}

/** A device, with the columns that matter for readings sent over HTTPS. */
export interface ReadingsDevice {
  managed_by: DeviceManager;
  /** Whether the device sends the native payload itself, instead of through a gateway. */
  is_native: boolean;
}

/** Returns the device within the caller's reach for which readings are sent. Null if there is none. */
export async function findReadingsDevice(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
): Promise<ReadingsDevice | null> {
  const row = await db
    .selectFrom('devices')
    .select([
      'managed_by',
      sql<boolean>`NOT EXISTS (SELECT FROM discovered_devices x WHERE x.device_id = devices.device_id)`.as('is_native'),
    ])
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Locks a device within the caller's reach, so that it is not deleted before the transaction ends. Returns false if there is no such
 * device.
 */
export async function lockDevice(trx: Database, reach: AccessibleAccounts, deviceId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('devices')
    .select('device_id')
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * SQL column for a query of `gateways`: who manages the gateway. The utility manages a gateway as long as it manages one of the gateway's
 * devices.
 */
export const GATEWAY_MANAGER_SQL =
  sql<DeviceManager>`CASE WHEN EXISTS (SELECT FROM discovered_devices x JOIN devices d USING (device_id)
  WHERE x.gateway_id = gateways.gateway_id AND d.managed_by = 'utility' AND d.deleted_at IS NULL) THEN 'utility' ELSE 'owner' END`.as(
    'managed_by',
  );
