import { sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { ManagedBy } from '#src/database/enums.ts';
import { type Reach, within } from '#src/database/reach.ts';

/**
 * Who will manage devices that somebody with this reach pairs for some accounts (docs/onboarding.md): the utility that pairs them for its homes; for
 * a home that a utility enrolled that utility, too, if an administrator or an operator pairs them; else their owner.
 */
export async function managersOf(
  db: Database,
  reach: Reach,
  ownerIds: readonly string[],
): Promise<(ownerId: string) => ManagedBy> {
  if (isOwner(reach)) return () => 'owner';
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

/** Whether a caller reaches its own account alone, so that it is the owner of all that it reaches. */
export const isOwner = (reach: Reach): boolean => 'only' in reach;

/** Members of a PATCH that an owner may change of any device. Of one that the utility manages it is these alone: a bill rests on the others. */
const OWNERS_MEMBERS: ReadonlySet<string> = new Set(['location']);

/** Whether a change of a device by these members is for its manager alone. Pure. */
export const needsManager = (members: readonly string[]): boolean => members.some((one) => !OWNERS_MEMBERS.has(one));

/**
 * 403 where an owner is about to change what the utility manages: a device. Says nothing of devices out of the reach: these are found by nobody
 * who changes them.
 */
export async function mustManage(db: Database, reach: Reach, deviceId: string): Promise<void> {
  if (!isOwner(reach)) return;
  const row = await db
    .selectFrom('devices')
    .select('managed_by')
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(within(reach, 'devices.user_id'))
    .executeTakeFirst();
  if (row?.managed_by === 'utility') throw new AppError('deviceOfUtility');
}

/** Who manages a gateway, in a query of `gateways`: the utility, while a device of it is the utility's. */
export const GATEWAY_MANAGED_BY =
  sql<ManagedBy>`CASE WHEN EXISTS (SELECT FROM discovered_devices x JOIN devices d USING (device_id)
  WHERE x.gateway_id = gateways.gateway_id AND d.managed_by = 'utility' AND d.deleted_at IS NULL) THEN 'utility' ELSE 'owner' END`.as(
    'managed_by',
  );
