import type { Environment } from '#src/core/environment.ts';
import { isApiKeyFormat } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeviceManager, MemberAccessLevel } from '#src/database/enums.ts';
import { findOrReturnMoving } from '#src/database/moving.ts';
import type { Role } from '#src/users/store.ts';
import { createAllowedAddressChecker } from './allowed-addresses.ts';
import { getCurrentScopes, selectUsableAuthorizations } from './authorizations.ts';
import { hashApiKeyToBase64, isAccessToken } from './key-format.ts';
import { isScope, MEMBER_SCOPES, type Scope } from './scopes.ts';

/** The device to which a key is limited, and the creator of the key. */
export interface DeviceOfKey {
  id: string;
  madeBy: DeviceManager;
}

/** Returns the device to which a key is limited, from the columns of the key. */
export const getDeviceOfKey = (row: {
  device_id: string | null;
  made_by: DeviceManager | null;
}): Pick<Caller, 'device'> =>
  row.device_id === null ? {} : { device: { id: row.device_id, madeBy: row.made_by ?? 'owner' } };

/** A home of which the signed-in account is a member. */
export interface MemberHome {
  memberId: string;
  userId: string;
  access: MemberAccessLevel;
}

/** An authenticated caller: its key or session, the account whose data it can access, and its permissions. */
export interface Caller {
  /** `app`: an app that a home has authorized. `client`: an app that can access only its own Green Button resources. */
  by: 'key' | 'session' | 'app' | 'client';
  /** The key_id or session_id, the authorization_id of an app, or the app_id of a client. */
  keyId: string;
  /**
   * Account of the key or session. For an app this is the home; for a client it is the account that registered the app. Request
   * limits and the audit log use this account.
   */
  accountId: string;
  /** Account whose data the caller can access: its own account or, if the caller acts as a member of a home, the account of that home. */
  userId: string;
  /** Role of the caller in the account `userId`. A member of a home has the role of a homeowner. */
  role: Role;
  scopes: ReadonlySet<Scope>;
  /** The group of homes to which the key is limited; null if the key is not limited to a group. */
  groupId: string | null;
  device?: DeviceOfKey;
  /** The membership by which the caller can access `userId`, if `userId` is not the caller's own account. */
  memberId?: string;
  /** Id of the app, if the caller is an app that the home has authorized. */
  appId?: string;
  /** For a session: the homes of which the signed-in account is a member. */
  homes?: readonly MemberHome[];
  /** Network address from which the request with a key came. `allowedAddresses`: the addresses from which the key may be used. */
  address?: string;
  allowedAddresses?: readonly string[];
  /** For a key: the time at which it expires; null if it never expires. */
  expiresAt?: Date | null;
}

/**
 * Cache lifetime of authenticated callers in ms. It is used for reads only, and must be short, because every process must refuse
 * a revoked key within 10 s.
 */
const REMEMBERED_MS = 5_000;
/**
 * Cache lifetime in ms of members' keys and apps' tokens. It is short, because the end of a membership or an authorization must take effect
 * within 1 s.
 */
const MEMBER_REMEMBERED_MS = 500;
const MAX_REMEMBERED = 10_000;
/** Minimum time in ms between two updates of a key's `last_used_at`. */
const USED_EVERY_MS = 60_000;

/** Reason for refusing a key. `unavailable`: the key's account is moving to another installation. */
export type KeyRefusalReason = 'unauthorized' | 'unavailable' | 'keyRevoked' | 'keyExpired' | 'addressNotAllowed';

/** Returns the caller who presents a key from a network address, or the reason for refusing the key. */
export type Authenticate = (presented: string, address: string) => Promise<Caller | KeyRefusalReason>;

export function createAuthenticator(db: Database, environment: Environment, now = Date.now): Authenticate {
  const remembered = new Map<string, Found & { untilMs: number }>();
  const from = ({ caller, isAllowed }: Found, address: string) =>
    isAllowed(address) ? { ...caller, address } : 'addressNotAllowed';
  return async (presented, address) => {
    const isToken = isAccessToken(presented);
    if (!isToken && !isApiKeyFormat(presented, environment)) return 'unauthorized';
    const name = hashApiKeyToBase64(presented);
    const known = remembered.get(name);
    // The expiry is measured by the monotonic clock. If it were measured by the wall clock, a revoked key would be accepted for
    // longer after the clock was set back.
    if (known && known.untilMs > performance.now())
      return known.expiresAtMs > now() ? from(known, address) : 'keyExpired';
    remembered.delete(name);
    // Reads the clock before the query, because the result may be as old as the start of the query.
    const askedMs = performance.now();
    const hash = Buffer.from(name, 'base64');
    const found = isToken ? await findTokenHolder(db, hash, now()) : await findCaller(db, hash, now());
    if (typeof found === 'string') return found;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(name, {
      ...found,
      untilMs: askedMs + (found.caller.memberId || found.caller.appId ? MEMBER_REMEMBERED_MS : REMEMBERED_MS),
    });
    return from(found, address);
  };
}

interface Found {
  caller: Caller;
  expiresAtMs: number;
  isAllowed(address: string): boolean;
}

const findKey = (db: Database, hash: Buffer) =>
  db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.user_id', 'api_keys.user_id')
    .leftJoin('home_members as m', 'm.member_id', 'api_keys.member_id')
    .leftJoin('users as home', 'home.user_id', 'm.user_id')
    .select([
      'key_id',
      'users.user_id',
      'users.role',
      'scopes',
      'expires_at',
      'revoked_at',
      'last_used_at',
      'group_id',
      'device_id',
      'made_by',
      'allowed_addresses',
      'api_keys.member_id',
      'm.access',
      'm.ended_at as membership_ended_at',
      'm.user_id as home_user_id',
      'home.role as home_role',
    ])
    .where('key_sha256', '=', hash)
    .executeTakeFirst();

async function findCaller(db: Database, hash: Buffer, nowMs: number): Promise<Found | KeyRefusalReason> {
  const row = await findOrReturnMoving(db, { secretSha256: hash }, () => findKey(db, hash));
  if (row === 'moving') return 'unavailable';
  if (!row) return 'unauthorized';
  const isOfEndedMembership = row.member_id !== null && !isOpenMembership(row);
  if (row.revoked_at || isOfEndedMembership) return 'keyRevoked';
  const expiresAtMs = row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
  if (expiresAtMs <= nowMs) return 'keyExpired';
  const used = { last_used_at: new Date(nowMs) };
  if (isUseToNote(row, nowMs)) runAside(db.updateTable('api_keys').set(used).where('key_id', '=', row.key_id));
  const caller: Caller = {
    by: 'key',
    keyId: row.key_id,
    accountId: row.user_id,
    userId: row.home_user_id ?? row.user_id,
    role: row.role,
    scopes: new Set(
      row.scopes.filter(isScope).filter((scope) => !row.access || MEMBER_SCOPES[row.access].includes(scope)),
    ),
    groupId: row.group_id,
    ...(row.member_id !== null && { memberId: row.member_id }),
    ...getDeviceOfKey(row),
    allowedAddresses: row.allowed_addresses,
    expiresAt: row.expires_at,
  };
  return { caller, expiresAtMs, isAllowed: createAllowedAddressChecker(row.allowed_addresses) };
}

const isUseToNote = ({ last_used_at }: { last_used_at: Date | null }, nowMs: number): boolean =>
  Math.abs(nowMs - (last_used_at?.getTime() ?? 0)) > USED_EVERY_MS;

/** Runs a statement without waiting for its result. Errors are ignored, because a read-only database must still serve reads. */
const runAside = (statement: { execute(): Promise<unknown> }): void => void statement.execute().catch(() => {});

/** Whether the membership on which a key depends has not ended, and both accounts of the membership belong to homeowners. */
const isOpenMembership = (row: { membership_ended_at: Date | null; role: Role; home_role: Role | null }) =>
  row.membership_ended_at === null && row.role === 'homeowner' && row.home_role === 'homeowner';

/** Finds the app that presents an access token. */
async function findTokenHolder(db: Database, hash: Buffer, nowMs: number): Promise<Found | KeyRefusalReason> {
  const found = await findApp(db, hash, nowMs);
  return found === 'unauthorized' ? findClient(db, hash, nowMs) : found;
}

/**
 * Finds the app that presents an access token from the grant `client_credentials`. Such a token gives no access to a home and has
 * no scopes.
 */
async function findClient(db: Database, hash: Buffer, nowMs: number): Promise<Found | KeyRefusalReason> {
  const row = await db
    .selectFrom('oauth_tokens')
    .innerJoin('apps', 'apps.app_id', 'oauth_tokens.app_id')
    .innerJoin('users as app_owner', 'app_owner.user_id', 'apps.user_id')
    .select(['apps.app_id', 'apps.user_id', 'oauth_tokens.expires_at'])
    .where('token_sha256', '=', hash)
    .where('kind', '=', 'client')
    .where('app_owner.role', '<>', 'homeowner')
    .executeTakeFirst();
  if (!row) return 'unauthorized';
  const { app_id: appId, user_id: userId } = row;
  const expiresAtMs = row.expires_at.getTime();
  if (expiresAtMs <= nowMs) return 'keyExpired';
  const caller: Caller = {
    by: 'client',
    keyId: appId,
    accountId: userId,
    userId,
    role: 'homeowner',
    scopes: new Set(),
    groupId: null,
    appId,
  };
  return { caller, expiresAtMs, isAllowed: () => true };
}

/**
 * Finds the app that presents an access token for a home. The caller gets only those scopes of the token that the authorization
 * still has.
 */
async function findApp(db: Database, hash: Buffer, nowMs: number): Promise<Found | KeyRefusalReason> {
  const row = await selectUsableAuthorizations(db, new Date(nowMs))
    .innerJoin('oauth_tokens as token', 'token.authorization_id', 'authorizations.authorization_id')
    .select(['apps.app_id', 'authorizations.user_id', 'last_used_at', 'authorizations.expires_at as ends_at'])
    .select(['token.payload', 'token.expires_at'])
    .where('token_sha256', '=', hash)
    .where('kind', '=', 'access')
    .executeTakeFirst();
  if (!row) return 'unauthorized';
  const { authorization_id, app_id: appId, user_id: userId } = row;
  const expiresAtMs = Math.min(row.expires_at.getTime(), row.ends_at?.getTime() ?? Number.POSITIVE_INFINITY);
  if (expiresAtMs <= nowMs) return 'keyExpired';
  const used = { last_used_at: new Date(nowMs) };
  if (isUseToNote(row, nowMs))
    runAside(db.updateTable('authorizations').set(used).where('authorization_id', '=', authorization_id));
  const ofToken = (row.payload as { scope?: string }).scope?.split(' ') ?? [];
  const caller: Caller = {
    by: 'app',
    keyId: authorization_id,
    accountId: userId,
    userId,
    role: 'homeowner',
    scopes: new Set(getCurrentScopes(row).filter((scope) => ofToken.includes(scope))),
    groupId: null,
    appId,
  };
  return { caller, expiresAtMs, isAllowed: () => true };
}

/** Returns the name of the counter for a caller's requests. Accounts have one counter; an app has one counter in each home. */
export const getRequestCounterName = ({ accountId, appId }: Pick<Caller, 'accountId' | 'appId'>): string =>
  appId === undefined ? accountId : `app:${accountId}:${appId}`;
