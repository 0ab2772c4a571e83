import { type RawBuilder, sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeviceManager } from '#src/database/enums.ts';
import { findOrReturnMoving } from '#src/database/moving.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import type { Role } from '#src/users/store.ts';
import { createAllowedAddressChecker } from './allowed-addresses.ts';
import { type Caller, getDeviceOfKey, type KeyRefusalReason } from './authenticate.ts';
import { getCurrentScopes, selectUsableAuthorizations } from './authorizations.ts';
import { lockMembership } from './homes.ts';
import { isScope, MEMBER_SCOPES, SCOPES, type Scope } from './scopes.ts';
import { isSessionValid } from './sessions.ts';

/**
 * Row locks on the caller's account, and on its key or session. With FOR SHARE, requests of one caller run concurrently while a
 * revocation or deletion waits. A request that changes the account itself needs FOR NO KEY UPDATE from the start, because two
 * such requests would otherwise deadlock.
 */
const ROW_LOCKS = { none: sql``, share: sql`FOR SHARE`, change: sql`FOR NO KEY UPDATE` };

interface Row {
  role: Role;
  scopes: string[];
  group_id: string | null;
  device_id: string | null;
  made_by: DeviceManager | null;
  allowed_addresses: string[];
  expires_at: Date | null;
}

/**
 * Reads the caller again from the database, and locks its accounts, membership, and key or session, in this order. Throws 503 if
 * the account is moving to another installation, 401 if the caller no longer exists, and 403 if it has lost the permission.
 */
export async function reloadCaller(
  db: Database,
  caller: Caller,
  now: Date,
  lock: keyof typeof ROW_LOCKS,
): Promise<Caller> {
  if (caller.by === 'app') return reloadApp(db, caller, now, lock);
  const { by, keyId, accountId, userId, memberId, address } = caller;
  const access =
    memberId === undefined ? null : await lockMembership(db, caller, lock === 'none' ? null : ROW_LOCKS[lock]);
  const account = sql`WITH account AS MATERIALIZED (SELECT user_id, role FROM users WHERE user_id = ${accountId} ${ROW_LOCKS[lock]})`;
  const lockOf = (name: string): RawBuilder<unknown> =>
    lock === 'none' ? ROW_LOCKS[lock] : sql`${ROW_LOCKS[lock]} OF ${sql.ref(name)}`;
  // Raw SQL: every change waits for this statement, which locks the account before the key or session.
  const statement =
    by === 'key'
      ? sql<Row>`${account}
          SELECT role, scopes, k.group_id, k.device_id, k.made_by, allowed_addresses, k.expires_at FROM account JOIN api_keys k USING (user_id)
          WHERE k.key_id = ${keyId} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now})
          ${lockOf('k')}`
      : sql<Row>`${account}
          SELECT role, ${[...SCOPES]}::text[] AS scopes, NULL AS group_id, NULL AS device_id, NULL AS made_by, '{}'::text[] AS allowed_addresses, NULL::timestamptz AS expires_at FROM account JOIN sessions USING (user_id)
          WHERE session_id = ${keyId} AND ${isSessionValid(now)} ${lockOf('sessions')}`;
  const row = await findOrReturnMoving(db, { id: keyId }, async () => (await statement.execute(db)).rows[0]);
  if (row === 'moving') throw new AppError('unavailable');
  if (!row) throw new AppError(by === 'key' ? await refusalOf(db, keyId) : 'unauthorized');
  if (memberId !== undefined && access === null) throw new AppError(by === 'key' ? 'keyRevoked' : 'forbidden');
  const { role, scopes, allowed_addresses: allowedAddresses, expires_at: expiresAt } = row;
  const isWithinAccess = (scope: Scope) => access === null || MEMBER_SCOPES[access].includes(scope);
  if (address !== undefined && !createAllowedAddressChecker(allowedAddresses)(address))
    throw new AppError('addressNotAllowed');
  const limits = { groupId: row.group_id, ...getDeviceOfKey(row), ...(memberId !== undefined && { memberId }) };
  const granted = new Set(scopes.filter(isScope).filter(isWithinAccess));
  const current = { by, keyId, accountId, userId, role, scopes: granted, ...limits, expiresAt };
  return address === undefined ? current : { ...current, address, allowedAddresses };
}

/**
 * Reads an app's authorization again from the database. Locks the home's account before the authorization, like an erasure of the
 * account, to avoid deadlocks.
 */
async function reloadApp(db: Database, caller: Caller, now: Date, lock: keyof typeof ROW_LOCKS): Promise<Caller> {
  // Raw SQL: takes the row lock without reading a column.
  if (lock !== 'none') await sql`SELECT FROM users WHERE user_id = ${caller.userId} ${ROW_LOCKS[lock]}`.execute(db);
  const query = selectUsableAuthorizations(db, now)
    .where('authorization_id', '=', caller.keyId)
    .where('authorizations.user_id', '=', caller.userId);
  const row = await (lock === 'none' ? query : query.forShare('authorizations')).executeTakeFirst();
  if (!row) throw new AppError('unauthorized');
  return { ...caller, scopes: new Set(getCurrentScopes(row).filter((scope) => caller.scopes.has(scope))) };
}

/**
 * Runs a change in a transaction that has read the caller again and locked it. A concurrent revocation waits for the change.
 * `named`: ids in the request; they decide whether the caller's own account or key is locked for a change. Throws 401 if the
 * caller no longer exists.
 */
export async function runAsCaller<T>(
  db: Database,
  caller: Caller,
  { now, named = [] }: { now: Date; named?: readonly unknown[] },
  run: (trx: Database, caller: Caller) => Promise<T>,
): Promise<T> {
  const lock = named.includes(caller.userId) || named.includes(caller.keyId) ? 'change' : 'share';
  return joinOrBeginTransaction(db, async (trx) => {
    return run(trx, await reloadCaller(trx, caller, now, lock));
  });
}

/** Returns the reason for refusing a key that is no longer valid. */
async function refusalOf(db: Database, keyId: string): Promise<KeyRefusalReason> {
  const key = await db.selectFrom('api_keys').select('revoked_at').where('key_id', '=', keyId).executeTakeFirst();
  if (!key) return 'unauthorized';
  return key.revoked_at ? 'keyRevoked' : 'keyExpired';
}
