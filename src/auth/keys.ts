import { type Selectable, sql } from 'kysely';
import type { Environment } from '#src/core/environment.ts';
import { createId } from '#src/core/ids.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeviceManager } from '#src/database/enums.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { createUser, findUser } from '#src/users/store.ts';
import type { DeviceOfKey, MemberHome } from './authenticate.ts';
import { createApiKey, getShownKeyPrefix, hashApiKey } from './key-format.ts';
import { DEFAULT_SCOPES, isScope, type Scope } from './scopes.ts';

/** A new key with its secret, which is shown only once. */
export interface CreatedKey {
  key_id: string;
  key: string;
  prefix: string;
  scopes: Scope[];
  expires_at: Date | null;
  group_id?: string;
  device_id?: string;
  /** The home to which the key is limited, if its owner is a member of that home. */
  home_user_id?: string;
  allowed_addresses: string[];
}

/**
 * Creates a key for a user. `groupId`, `device` and `home` limit the key. `home`: a home of another account, of which the user is a member.
 * `key`: a key that the operator chose; the default is a random key.
 */
export async function createKey(
  db: Database,
  options: {
    userId: string;
    environment: Environment;
    name?: string;
    scopes?: Scope[];
    expiresAt?: Date;
    allowedAddresses?: readonly string[];
    key?: string;
    groupId?: string;
    device?: DeviceOfKey;
    home?: Pick<MemberHome, 'memberId' | 'userId'>;
  },
): Promise<CreatedKey> {
  const key = options.key ?? createApiKey(options.environment);
  const created: CreatedKey = {
    key_id: createId('key'),
    key,
    prefix: getShownKeyPrefix(key),
    scopes: options.scopes ?? [...DEFAULT_SCOPES],
    expires_at: options.expiresAt ?? null,
    ...omitUndefined({ group_id: options.groupId, device_id: options.device?.id, home_user_id: options.home?.userId }),
    allowed_addresses: [...(options.allowedAddresses ?? [])],
  };
  await db
    .insertInto('api_keys')
    .values({
      key_id: created.key_id,
      user_id: options.userId,
      key_sha256: hashApiKey(key),
      prefix: created.prefix,
      name: options.name ?? null,
      scopes: created.scopes,
      group_id: created.group_id ?? null,
      device_id: options.device?.id ?? null,
      made_by: options.device?.madeBy ?? null,
      member_id: options.home?.memberId ?? null,
      expires_at: created.expires_at,
      allowed_addresses: created.allowed_addresses,
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
  return created;
}

const COLUMNS = [
  'key_id',
  'name',
  'prefix',
  'scopes',
  'group_id',
  'device_id',
  'created_at',
  'last_used_at',
  'expires_at',
  'allowed_addresses',
] as const;

/** Column for a query of `api_keys`: the home to which a key is limited, if its owner created it as a member of that home. */
const HOME_OF_KEY = sql<string | null>`(
  SELECT m.user_id FROM home_members m WHERE m.member_id = api_keys.member_id)`.as('home_user_id');

/** Stored attributes of a key, without its secret. */
export type Key = Pick<Selectable<Tables['api_keys']>, (typeof COLUMNS)[number]> & { home_user_id: string | null };

/** Returns at most `limit` unrevoked keys of an account, in order of their ids, after `cursor`. */
export async function listKeys(
  db: Database,
  reach: AccessibleAccounts,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Key[]> {
  return db
    .selectFrom('api_keys')
    .select([...COLUMNS, HOME_OF_KEY])
    .where('user_id', '=', userId)
    .where(isAccountAccessibleSql(reach, 'api_keys.user_id'))
    .where('revoked_at', 'is', null)
    .where('key_id', '>', page.cursor ?? '')
    .orderBy('key_id')
    .limit(page.limit)
    .execute();
}

/**
 * Query of an unrevoked key that the caller can access. If the key was created for a home as a member, the query returns the
 * membership.
 */
const unrevokedKey = (db: Database, reach: AccessibleAccounts, keyId: string) =>
  db
    .selectFrom('api_keys')
    .select([...COLUMNS, HOME_OF_KEY, 'user_id', 'member_id'])
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'api_keys.user_id'));

/**
 * A key with its owner. If the owner created the key as a member of another account's home, `member_id` is the membership; otherwise null.
 */
export type OwnedKey = Key & { user_id: string; member_id: string | null };

export async function findActiveKey(db: Database, reach: AccessibleAccounts, keyId: string): Promise<OwnedKey | null> {
  return (await unrevokedKey(db, reach, keyId).executeTakeFirst()) ?? null;
}

/** Revokes a key that the caller can access. Returns false if there is no such key, or if it was already revoked. */
export async function revokeKey(db: Database, reach: AccessibleAccounts, keyId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'api_keys.user_id'))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Revokes keys by their ids, without checking the owner. Ignores ids that are unknown or already revoked. */
export async function revokeKeys(db: Database, keyIds: readonly string[]): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('key_id', '=', sql<string>`ANY (${keyIds}::text[])`)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Changes the allowed addresses and the expiry of an unrevoked key that the caller can access; null if there is no such key. */
export async function updateKeyLimits(
  db: Database,
  reach: AccessibleAccounts,
  keyId: string,
  { now, ...limits }: { now: Date; expiresAt?: Date | null; allowedAddresses?: readonly string[] },
): Promise<Key | null> {
  const row = await db
    .updateTable('api_keys')
    .set({
      revoked_at: null,
      ...(limits.expiresAt === undefined ? {} : endAt(limits.expiresAt, now)),
      ...(limits.allowedAddresses ? { allowed_addresses: [...limits.allowedAddresses] } : {}),
    })
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .where(isAccountAccessibleSql(reach, 'api_keys.user_id'))
    .returning([...COLUMNS, HOME_OF_KEY])
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the columns that set a key's expiry. If the expiry changes, the columns include the time of the change. */
const endAt = (expiresAt: Date | null, now: Date) => ({
  expires_at: expiresAt,
  end_set_at: sql<Date | null>`CASE WHEN expires_at IS DISTINCT FROM ${expiresAt} THEN ${now} ELSE end_set_at END`,
});

/** Default time in ms for which an old key stays valid after its rotation. */
const OVERLAP_MS = 24 * 3_600_000;
/** Longest time for which a rotated key may stay valid, in hours. */
export const MAX_KEY_ROTATION_OVERLAP_HOURS = 720;

/**
 * Creates a key with the same name, scopes, addresses and limits as an old key. The old key stays valid for `overlapMs`, or until it
 * expires if that is sooner. `madeBy`: who rotates the key. Null if the caller cannot access a valid key with this id.
 */
export async function rotateKey(
  db: Database,
  reach: AccessibleAccounts,
  keyId: string,
  {
    environment,
    now,
    overlapMs = OVERLAP_MS,
    expiresAt,
    madeBy,
  }: { environment: Environment; now: Date; overlapMs?: number; expiresAt?: Date; madeBy: DeviceManager },
): Promise<{ created: CreatedKey; oldExpiresAt: Date } | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const owner = await findActiveKey(trx, reach, keyId);
    // Locks the account before the key. Otherwise a concurrent revocation of all keys of the account would miss the new key.
    if (!owner || !(await findUser(trx, reach, owner.user_id, { isHeld: true }))) return null;
    const old = await unrevokedKey(trx, reach, keyId).forUpdate().executeTakeFirst();
    if (!old || (old.expires_at && old.expires_at <= now)) return null;
    const overlapEnds = new Date(now.getTime() + overlapMs);
    const oldExpiresAt = old.expires_at && old.expires_at < overlapEnds ? old.expires_at : overlapEnds;
    await trx.updateTable('api_keys').set(endAt(oldExpiresAt, now)).where('key_id', '=', keyId).execute();
    const created = await createKey(trx, {
      userId: old.user_id,
      environment,
      scopes: old.scopes.filter(isScope),
      allowedAddresses: old.allowed_addresses,
      ...omitUndefined({ name: old.name ?? undefined, groupId: old.group_id ?? undefined, expiresAt }),
      ...(old.device_id !== null && { device: { id: old.device_id, madeBy } }),
      ...(old.member_id !== null &&
        old.home_user_id !== null && { home: { memberId: old.member_id, userId: old.home_user_id } }),
    });
    return { created, oldExpiresAt };
  });
}

/** E-mail address of the first administrator. */
export const FIRST_ADMIN_EMAIL = 'admin@localhost';
/**
 * Name of the first administrator's keys. The account is found by the key's name, because its e-mail address may have changed.
 */
const BOOTSTRAP = 'bootstrap';

/**
 * Creates an administrator with a key if there is none. Returns the new key, which is shown only once. Returns null if an
 * administrator already has a key, or if the operator supplied the key (`givenKey`).
 */
export function ensureBootstrapAdmin(
  db: Database,
  options: { environment: Environment; givenKey?: string | undefined },
): Promise<string | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: an advisory lock. If several processes start at the same time, only one of them creates the administrator.
    await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('first administrator')}::bigint)`.execute(trx);
    return ensureWhileLocked(trx, options);
  });
}

async function ensureWhileLocked(
  db: Database,
  { environment, givenKey }: { environment: Environment; givenKey?: string | undefined },
): Promise<string | null> {
  const existing = await db
    .selectFrom('users')
    .select('user_id')
    .where(({ and, eb, exists, or, selectFrom }) => {
      const firstKeys = selectFrom('api_keys').whereRef('api_keys.user_id', '=', 'users.user_id');
      return or([
        eb('email', '=', FIRST_ADMIN_EMAIL),
        and([eb('role', '=', 'admin'), exists(firstKeys.select('key_id').where('name', '=', BOOTSTRAP))]),
      ]);
    })
    .orderBy(({ eb }) => eb('email', '=', FIRST_ADMIN_EMAIL), 'desc')
    .executeTakeFirst();
  const userId =
    existing?.user_id ??
    (await createUser(db, { email: FIRST_ADMIN_EMAIL, role: 'admin', plan: 'enterprise' })).user_id;
  if (givenKey !== undefined) {
    const known = await db
      .selectFrom('api_keys')
      .select('key_id')
      .where('key_sha256', '=', hashApiKey(givenKey))
      .executeTakeFirst();
    if (!known) await makeKey(db, { userId, environment, name: BOOTSTRAP, key: givenKey });
    return null;
  }
  const any = await db.selectFrom('api_keys').select('key_id').where('user_id', '=', userId).executeTakeFirst();
  if (any) return null;
  return (await makeKey(db, { userId, environment, name: BOOTSTRAP })).key;
}

/** The actor is the operator, because the key is created at the first start or from an environment variable. */
const makeKey = (db: Database, wanted: Parameters<typeof createKey>[1]) =>
  runAsOperator(
    db,
    'key.created',
    (trx) => createKey(trx, wanted),
    ({ key_id }) => key_id,
  );
