import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeviceManager } from '#src/database/enums.ts';
import type { AccessibleAccounts, AccountsForRole } from '#src/database/reach.ts';
import { findUser, type User } from '#src/users/store.ts';
import { areAddressesWithinAllowed } from './allowed-addresses.ts';
import type { Caller } from './authenticate.ts';
import { SCOPES_FOR_HOMEOWNERS, type Scope } from './scopes.ts';

/**
 * Returns the accounts that a caller can access. They depend on the caller's role and, if its key is limited to a group of homes,
 * on that group.
 */
export function getAccessibleAccounts(caller: Caller): AccessibleAccounts {
  const of = getAccessibleAccountsOfRole(caller);
  return caller.groupId ? { inGroup: caller.groupId, of } : of;
}

/** Returns the accounts that the role of an account permits it to access. A key of the account may be limited further. */
export function getAccessibleAccountsOfRole({ role, userId }: Pick<Caller, 'role' | 'userId'>): AccountsForRole {
  if (role === 'admin') return { all: true };
  if (role === 'utility') return { enrolledBy: userId };
  return { only: userId };
}

/**
 * Throws if a homeowner sets the identity of a device (422 for `external_id`, 403 for the client certificate). Otherwise one home
 * could take over the meter of another home, because meters are found by `external_id`.
 */
export function checkDeviceIdentityAllowed(
  { role }: Caller,
  given: readonly { external_id?: string | null | undefined; certificate_sha256?: string | null | undefined }[],
): void {
  if (role !== 'homeowner') return;
  if (given.some(({ certificate_sha256 }) => certificate_sha256 !== undefined))
    throw new AppError('certificateRegistrars');
  if (given.some(({ external_id }) => external_id !== undefined))
    throw createUnprocessableError({
      field: 'external_id',
      message: 'can only be set by utilities and administrators',
    });
}

/**
 * Throws 403 if a caller may not choose who manages a device (its owner or the utility). A homeowner may never set the manager. A
 * utility may not become the manager of a device that its owner manages.
 */
export function checkManagerChangeAllowed({ role }: Caller, wanted: DeviceManager | undefined): void {
  if (wanted === undefined || role === 'admin') return;
  if (role === 'homeowner') throw new AppError('forbidden');
  if (wanted === 'utility') throw new AppError('notTheirs');
}

/**
 * Throws 403 if a caller may not write readings of a device. Readings of a device that a utility manages may only be written by
 * the utility, an administrator, or a key that one of them created.
 */
export function requireReadingsWriteAccess({ role, device }: Caller, managedBy: DeviceManager): void {
  if (managedBy === 'utility' && role === 'homeowner' && device?.madeBy !== 'utility')
    throw new AppError('deviceOfUtility');
}

/**
 * Throws 403 for a key that is limited to a group of homes. Such a key may read sums but no single readings, because single
 * readings show what people at home are doing.
 */
export function requireReadingsReadAccess({ groupId }: Caller): void {
  if (groupId !== null) throw new AppError('forbidden');
}

/** Returns who is recorded as the creator of a device's key if this caller creates the key. */
export const getDeviceKeyAuthor = ({ role }: Pick<Caller, 'role'>): DeviceManager =>
  role === 'homeowner' ? 'owner' : 'utility';

/** Returns the account, and the key or session, that a caller uses; both are recorded in the audit log. */
export const getActor = ({
  accountId,
  keyId,
}: Pick<Caller, 'accountId' | 'keyId'>): { userId: string; keyId: string } => ({
  userId: accountId,
  keyId,
});

/**
 * Returns the authorization under which an app makes this request, or null if the caller is not an app. The objects that the app
 * creates are deleted when the authorization ends.
 */
export const getAppAuthorizationId = ({ appId, keyId }: Pick<Caller, 'appId' | 'keyId'>): string | null =>
  appId === undefined ? null : keyId;

/**
 * Returns the caller's own account, for lists of objects that belong to the caller. Throws 404 for a key that is limited to a group of
 * homes.
 */
export function requireOwnAccount({ userId, groupId }: Caller): string {
  if (groupId) throw new AppError('notFound');
  return userId;
}

/**
 * Returns the account that a request names or, by default, the caller's own. Throws 403 if a homeowner names another account, and
 * 404 if any other caller cannot access the account. If `isHeld` is set, the account is locked until the transaction ends.
 */
export async function loadAccessibleUser(
  db: Database,
  caller: Caller,
  named: string | undefined,
  { isHeld = false }: { isHeld?: boolean } = {},
): Promise<User> {
  const userId = named ?? caller.userId;
  if (caller.role === 'homeowner' && userId !== caller.userId) throw new AppError('forbidden');
  const user = await findUser(db, getAccessibleAccounts(caller), requireStorableId(userId), { isHeld });
  if (!user) throw new AppError('notFound');
  return user;
}

/**
 * Returns the id of the account that a read request concerns. The caller's own account is not looked up, which saves a query for
 * each request.
 */
export async function resolveRequestedUserId(db: Database, caller: Caller, named: string | undefined): Promise<string> {
  if (!caller.groupId && (named === undefined || named === caller.userId)) return caller.userId;
  return (await loadAccessibleUser(db, caller, named)).user_id;
}

/**
 * Returns the account that a request concerns, and the time zone to use. If the request says `account` instead of a zone, this is
 * the account's zone.
 */
export async function resolveUserWithZone(
  db: Database,
  caller: Caller,
  named: string | undefined,
  zone: string,
): Promise<{ userId: string; zone: string }> {
  if (zone !== 'account') return { userId: await resolveRequestedUserId(db, caller, named), zone };
  const { user_id, timezone } = await loadAccessibleUser(db, caller, named);
  return { userId: user_id, zone: timezone };
}

/**
 * Throws 403 if a caller may not create a key with these scopes and addresses. A new key may not have more scopes or addresses than the
 * caller's key. A key that a utility creates for a homeowner may only read. To create a key of one device (`isOfDevice`), the caller needs
 * the scope `devices:write`.
 */
export function checkNewKeyAllowed(
  { role, userId, scopes, allowedAddresses = [] }: Caller,
  ownerId: string,
  wanted: readonly Scope[],
  addresses: readonly string[],
  { isOfDevice = false }: { isOfDevice?: boolean } = {},
): void {
  if (isOfDevice && !scopes.has('devices:write')) throw new AppError('forbidden');
  if (!isOfDevice && wanted.some((scope) => !scopes.has(scope))) throw new AppError('keyScopes');
  if (!areAddressesWithinAllowed(addresses, allowedAddresses)) throw new AppError('keyAddresses');
  const isForHomeowner = role === 'utility' && ownerId !== userId && !isOfDevice;
  if (isForHomeowner && wanted.some((scope) => !SCOPES_FOR_HOMEOWNERS.includes(scope)))
    throw new AppError('homeownersKeyScopes');
}

/**
 * Whether a key that expires at `one` is valid for longer than a key that expires at `other`. Null stands for a key that never
 * expires.
 */
export const isExpiryLater = (one: Date | null, other: Date | null): boolean =>
  other !== null && (one === null || one > other);

/**
 * Returns the expiry of a key that the caller creates, rotates or extends (null: never). The default is the expiry of the
 * caller's key. Throws 403 if the new expiry is later, because a stolen key could otherwise extend its own life.
 */
export function getAllowedKeyExpiry({ expiresAt = null }: Caller, requested: Date | null | undefined): Date | null {
  const expiry = requested === undefined ? expiresAt : requested;
  if (isExpiryLater(expiry, expiresAt)) throw new AppError('keyExpiry');
  return expiry;
}

/** Throws 403, before any look-up, unless the caller is an administrator whose key is not limited to a group of homes. */
export function requireAdministrator({ role, groupId }: Caller): void {
  if (role !== 'admin' || groupId) throw new AppError('forbidden');
}

/** Returns an id from a request. Throws 404 if the id contains the character NUL, which PostgreSQL cannot store. */
export function requireStorableId(id: string): string {
  if (id.includes('\0')) throw new AppError('notFound');
  return id;
}
