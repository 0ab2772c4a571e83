import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import type { MemberAccessLevel } from '#src/database/enums.ts';
import { findOwnerOfObject } from '#src/users/audit.ts';
import type { Caller, MemberHome } from './authenticate.ts';
import { MEMBER_SCOPES } from './scopes.ts';

/** SQL condition on a row of `home_members`: the membership has not ended, and both accounts belong to homeowners. */
const IS_OPEN: RawBuilder<SqlBool> = sql<SqlBool>`(home_members.accepted_at IS NOT NULL AND home_members.ended_at IS NULL
  AND NOT EXISTS (SELECT FROM users both_sides WHERE both_sides.user_id IN (home_members.user_id, home_members.member_user_id)
    AND both_sides.role <> 'homeowner'))`;

/** Column for a query of `users`: the homes of which the account is a member, as JSON; null if there are none. */
export const MEMBER_HOMES_COLUMN = sql<MemberHome[] | null>`(
  SELECT json_agg(json_build_object('memberId', member_id, 'userId', home_members.user_id, 'access', access))
  FROM home_members WHERE home_members.member_user_id = users.user_id AND ${IS_OPEN})`.as('homes');

/** Ids in a request. They determine the home that the request concerns. The id of an account takes precedence. */
export interface HomeIdsInRequest {
  /** Id of the account that the request names. */
  userId: string | undefined;
  objects: readonly string[];
}

/**
 * Returns the caller for the home that a request concerns. If the account of a session is a member of that home, the returned
 * caller has the home's account and the scopes of the membership. Otherwise the caller is returned unchanged.
 */
export async function findCallerInHome(db: Database, caller: Caller, idsOf: () => HomeIdsInRequest): Promise<Caller> {
  const { homes = [] } = caller;
  if (homes.length === 0) return caller;
  const { userId, objects } = idsOf();
  if (userId !== undefined)
    return inHome(
      caller,
      homes.find((home) => home.userId === userId),
    );
  for (const id of objects) {
    const owner = await findOwnerOfObject(db, id);
    if (owner === caller.userId) return caller;
    const home = homes.find((one) => one.userId === owner);
    if (home) return inHome(caller, home);
  }
  return caller;
}

const inHome = (caller: Caller, home: MemberHome | undefined): Caller =>
  home
    ? { ...caller, userId: home.userId, memberId: home.memberId, scopes: new Set(MEMBER_SCOPES[home.access]) }
    : caller;

/**
 * Returns a member's access to a home, or null if the membership has ended. Locks both accounts (in the order of their ids) and
 * the membership until the transaction ends, so that the membership cannot end during a change.
 */
export async function lockMembership(
  db: Database,
  { accountId, userId, memberId }: Pick<Caller, 'accountId' | 'userId' | 'memberId'>,
  lock: RawBuilder<unknown> | null,
): Promise<MemberAccessLevel | null> {
  if (lock)
    await sql`SELECT FROM users WHERE user_id IN (${accountId}, ${userId}) ORDER BY user_id ${lock}`.execute(db);
  // Raw SQL: only one of the joined tables is locked, with a lock strength that is a parameter.
  const { rows } = await sql<{ access: MemberAccessLevel }>`
    SELECT access FROM home_members WHERE member_id = ${memberId} AND member_user_id = ${accountId} AND user_id = ${userId}
      AND ${IS_OPEN} ${lock ? sql`FOR SHARE OF home_members` : sql``}`.execute(db);
  return rows[0]?.access ?? null;
}

/** Returns an account's membership of a home, locked until the transaction ends; null if the account is not a member. */
export async function lockHome(trx: Database, accountId: string, homeId: string): Promise<MemberHome | null> {
  const row = await trx
    .selectFrom('home_members')
    .select(['member_id as memberId', 'user_id as userId', 'access'])
    .where('member_user_id', '=', accountId)
    .where('user_id', '=', homeId)
    .where(IS_OPEN)
    .forShare()
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the ids of the given memberships that have not ended. */
export async function findActiveMemberships(db: Database, memberIds: readonly string[]): Promise<Set<string>> {
  if (memberIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('home_members')
    .select('member_id')
    .where(sql<boolean>`member_id = ANY (${[...new Set(memberIds)]}::text[])`)
    .where(IS_OPEN)
    .execute();
  return new Set(rows.map(({ member_id }) => member_id));
}
