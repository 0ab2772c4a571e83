import { AppError, unprocessable } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { ManagedBy } from '#src/database/enums.ts';
import type { Reach, RoleReach } from '#src/database/reach.ts';
import { findUser, type User } from '#src/users/store.ts';
import { isNoWider } from './allowed-addresses.ts';
import type { Caller } from './authenticate.ts';
import { SCOPES_FOR_HOMEOWNERS, type Scope } from './scopes.ts';

/** Whom a caller reaches, by its role and the group that its key may be limited to: the one place that decides it. */
export function reachOf(caller: Caller): Reach {
  const of = reachOfRole(caller);
  return caller.groupId ? { inGroup: caller.groupId, of } : of;
}

/** Whom an account reaches, whatever its key may be limited to. */
export function reachOfRole({ role, userId }: Pick<Caller, 'role' | 'userId'>): RoleReach {
  if (role === 'admin') return { all: true };
  if (role === 'utility') return { enrolledBy: userId };
  return { only: userId };
}

/**
 * Refuses a homeowner who says by what a device is recognised: one home could so take the meter of another. 422 for what others call it
 * (`external_id`): a meter claims the device that has its serial for that name (onboarding/claims.ts). 403 for its client certificate.
 */
export function checkIdentities(
  { role }: Caller,
  given: readonly { external_id?: string | null | undefined; certificate_sha256?: string | null | undefined }[],
): void {
  if (role !== 'homeowner') return;
  if (given.some(({ certificate_sha256 }) => certificate_sha256 !== undefined))
    throw new AppError('certificateRegistrars');
  if (given.some(({ external_id }) => external_id !== undefined))
    throw unprocessable({ field: 'external_id', message: 'is set by utilities and administrators alone' });
}

/** 403 where a caller may not say who manages a device: an owner says nothing of it, and a utility takes nothing that its owner manages. */
export function checkManager({ role }: Caller, wanted: ManagedBy | undefined): void {
  if (wanted === undefined || role === 'admin') return;
  if (role === 'homeowner') throw new AppError('forbidden');
  if (wanted === 'utility') throw new AppError('notTheirs');
}

/** The caller's own account, for lists of what is its own. A key that is limited to a group does not reach it (404). */
export function ownAccount({ userId, groupId }: Caller): string {
  if (groupId) throw new AppError('notFound');
  return userId;
}

/**
 * The account that a request is about: the caller's where it names none. A homeowner that names any other is refused
 * (403) before anything is looked up; whoever else is out of reach does not exist (404). `isHeld`: it stays within reach until the transaction ends.
 */
export async function reachUser(
  db: Database,
  caller: Caller,
  named: string | undefined,
  { isHeld = false }: { isHeld?: boolean } = {},
): Promise<User> {
  const userId = named ?? caller.userId;
  if (caller.role === 'homeowner' && userId !== caller.userId) throw new AppError('forbidden');
  const user = await findUser(db, reachOf(caller), toIdOrNotFound(userId), { isHeld });
  if (!user) throw new AppError('notFound');
  return user;
}

/**
 * The same for what only reads: the identifier alone. Whoever asks of itself is there, or was a moment ago (its key is
 * remembered for some seconds), and what is gone reads as nothing: that spares a question of each request.
 */
export async function reachUserId(db: Database, caller: Caller, named: string | undefined): Promise<string> {
  if (!caller.groupId && (named === undefined || named === caller.userId)) return caller.userId;
  return (await reachUser(db, caller, named)).user_id;
}

/** The same with the zone that is asked for: a name, or `account` for the account's own. */
export async function reachWithZone(
  db: Database,
  caller: Caller,
  named: string | undefined,
  zone: string,
): Promise<{ userId: string; zone: string }> {
  if (zone !== 'account') return { userId: await reachUserId(db, caller, named), zone };
  const { user_id, timezone } = await reachUser(db, caller, named);
  return { userId: user_id, zone: timezone };
}

/**
 * 403 where a caller may make no such key for the account: none may do more than its own, or be used from elsewhere, and a utility's
 * for its homeowners only reads.
 */
export function checkGrant(
  { role, userId, scopes, allowedAddresses = [] }: Caller,
  ownerId: string,
  wanted: readonly Scope[],
  addresses: readonly string[],
): void {
  if (wanted.some((scope) => !scopes.has(scope))) throw new AppError('keyScopes');
  if (!isNoWider(addresses, allowedAddresses)) throw new AppError('keyAddresses');
  const isForHomeowner = role === 'utility' && ownerId !== userId;
  if (isForHomeowner && wanted.some((scope) => !SCOPES_FOR_HOMEOWNERS.includes(scope)))
    throw new AppError('homeownersKeyScopes');
}

/** Returns an id from a request, or throws 404 if it contains NUL, which PostgreSQL cannot store. */
export function toIdOrNotFound(id: string): string {
  if (id.includes('\0')) throw new AppError('notFound');
  return id;
}
