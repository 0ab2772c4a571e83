import { type Expression, type SqlBool, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { accessibleAccountsSql } from '#src/database/reach.ts';
import { getAccessibleAccounts } from './access.ts';
import { createAllowedAddressChecker } from './allowed-addresses.ts';
import type { Caller } from './authenticate.ts';
import { findUsableAuthorizations } from './authorizations.ts';
import { findActiveMemberships } from './homes.ts';
import type { Scope } from './scopes.ts';
import { findAccountRolesOfSessions } from './sessions.ts';

/** A caller that reads an account's data for a long time, for example through a stream. */
export interface ContinuousReader {
  caller: Caller;
  /** Id of the account whose data the caller reads. */
  userId: string;
}

/**
 * Returns the readers that must stop, because their key, session, membership, authorization or role no longer gives them access
 * to the account. Suspension is not checked here, but by the request counter.
 */
export async function findReadersWithoutAccess<One extends ContinuousReader>(
  db: Database,
  readers: readonly One[],
  { scope, now }: { scope: Scope; now: Date },
): Promise<One[]> {
  const idsOf = (by: Caller['by']) => [
    ...new Set(readers.filter(({ caller }) => caller.by === by).map(({ caller }) => caller.keyId)),
  ];
  const isOneOf = (column: string, ids: readonly string[]): Expression<SqlBool> =>
    sql<boolean>`${sql.ref(column)} = ANY (${ids}::text[])`;
  const keys = await db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.user_id', 'api_keys.user_id')
    .select(['key_id', 'role', 'allowed_addresses'])
    .where(isOneOf('key_id', idsOf('key')))
    .where('revoked_at', 'is', null)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .where(sql<boolean>`${scope} = ANY (scopes)`)
    .execute();
  const sessionIds = idsOf('session');
  const sessions = sessionIds.length === 0 ? [] : await findAccountRolesOfSessions(db, sessionIds, now);
  const apps = await findUsableAuthorizations(db, idsOf('app'), scope, now);
  const roles = new Map([...keys.map(({ key_id, role }) => [key_id, role] as const), ...sessions]);
  const limitsOf = new Map(keys.map((key) => [key.key_id, key]));
  const inGroups = await reachedByGroups(db, readers);
  const open = await findActiveMemberships(
    db,
    readers.flatMap(({ caller }) => caller.memberId ?? []),
  );
  const others = readers.filter(({ caller, userId }) => caller.userId !== userId).map(({ userId }) => userId);
  const accounts = await db
    .selectFrom('users')
    .select(['user_id', 'role', 'enrolled_by'])
    .where(isOneOf('user_id', [...new Set(others)]))
    .execute();
  const accountOf = new Map(accounts.map((one) => [one.user_id, one]));
  return readers.filter(({ caller, userId }) => {
    if (caller.by === 'app') return !apps.has(caller.keyId) || caller.userId !== userId;
    if (roles.get(caller.keyId) !== caller.role) return true;
    const limits = limitsOf.get(caller.keyId);
    if (
      limits &&
      caller.address !== undefined &&
      !createAllowedAddressChecker(limits.allowed_addresses)(caller.address)
    )
      return true;
    if (caller.memberId) return !open.has(caller.memberId) || caller.userId !== userId;
    if (caller.groupId) return !inGroups.get(caller.keyId)?.has(userId);
    if (caller.userId === userId) return false;
    const account = accountOf.get(userId);
    const isReached =
      caller.role === 'admin' || (account?.role === 'homeowner' && account.enrolled_by === caller.userId);
    return !account || !isReached;
  });
}

/** Returns, for each key that is limited to a group of homes, those of the accounts being read that the key can still access. */
async function reachedByGroups(db: Database, readers: readonly ContinuousReader[]): Promise<Map<string, Set<string>>> {
  const limited = readers.filter(({ caller }) => caller.groupId !== null);
  const reached = new Map<string, Set<string>>();
  for (const [keyId, ofKey] of Map.groupBy(limited, ({ caller }) => caller.keyId)) {
    const [first] = ofKey;
    if (!first) continue;
    const rows = await db
      .selectFrom('users')
      .select('user_id')
      .where(sql<boolean>`user_id = ANY (${[...new Set(ofKey.map(({ userId }) => userId))]}::text[])`)
      .where(accessibleAccountsSql(getAccessibleAccounts(first.caller)))
      .execute();
    reached.set(keyId, new Set(rows.map(({ user_id }) => user_id)));
  }
  return reached;
}
