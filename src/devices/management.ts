import { sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeviceManager } from '#src/database/enums.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';

/**
 * Returns, for each owner, who will manage the devices that a caller pairs (docs/onboarding.md). A utility manages the devices that it
 * pairs, and those that an administrator pairs for its homes. Other devices are managed by their owner.
 */
export async function findManagersOfNewDevices(
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

/** Whether a caller can access only its own account. */
export const isLimitedToOwnAccount = (reach: AccessibleAccounts): boolean => 'only' in reach;

/** Members of a PATCH that an owner may change even if a utility manages the device. */
const OWNERS_MEMBERS: ReadonlySet<string> = new Set(['location']);

/** Whether only the manager of the device may change one of these members of a PATCH. */
export const isChangeReservedForManager = (members: readonly string[]): boolean =>
  members.some((one) => !OWNERS_MEMBERS.has(one));

/** Throws 403 if the caller owns the device and a utility manages it. Does nothing if the caller cannot access the device. */
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

/** A device, with the columns that are needed for readings that are sent over HTTPS. */
interface HttpsReadingsDevice {
  managed_by: DeviceManager;
  /** Whether the device itself sends messages in the service's own format. */
  is_native: boolean;
}

/** Returns the device for which readings are sent. Null if the caller may access no such device. */
export async function findHttpsReadingsDevice(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
): Promise<HttpsReadingsDevice | null> {
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

/** Locks a device against deletion until the transaction ends. Returns false if the caller can access no such device. */
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

/** SQL column for a query of `gateways`: who manages the gateway. This is the utility while it manages one of the gateway's devices. */
export const GATEWAY_MANAGER_SQL =
  sql<DeviceManager>`CASE WHEN EXISTS (SELECT FROM discovered_devices x JOIN devices d USING (device_id)
  WHERE x.gateway_id = gateways.gateway_id AND d.managed_by = 'utility' AND d.deleted_at IS NULL) THEN 'utility' ELSE 'owner' END`.as(
    'managed_by',
  );
