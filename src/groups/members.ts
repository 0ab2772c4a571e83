import { type RawBuilder, sql } from 'kysely';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { type AccountsForRole, groupTreeSql, isAccountAccessibleSql } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { PENDING_EMAIL_SQL } from '#src/users/email-changes.ts';
import { USER_COLUMNS, type User } from '#src/users/store.ts';

/**
 * SQL condition on a row `m` of `group_members`: the group's owner can currently access the home. Rows are retained while the
 * condition is false.
 */
export const IS_MEMBER_IN_FORCE_SQL: RawBuilder<boolean> = sql<boolean>`EXISTS (
  SELECT FROM home_groups g JOIN users o ON o.user_id = g.user_id JOIN users h ON h.user_id = m.user_id
  WHERE g.group_id = m.group_id
    AND (o.role = 'admin' OR o.role = 'utility' AND (h.user_id = o.user_id OR h.enrolled_by = o.user_id AND h.role = 'homeowner')))`;

/**
 * Returns at most `limit` homes of a group, without those of its subgroups, in order of their ids, after `cursor`. Only homes that the
 * group's owner can access are returned.
 */
export async function listGroupMembers(
  db: Database,
  groupId: string,
  { limit, cursor = '' }: { limit: number; cursor?: string },
): Promise<User[]> {
  return db
    .selectFrom('users')
    .select([...USER_COLUMNS, PENDING_EMAIL_SQL])
    .where(
      sql<boolean>`EXISTS (SELECT FROM group_members m WHERE m.group_id = ${groupId} AND m.user_id = users.user_id AND ${IS_MEMBER_IN_FORCE_SQL})`,
    )
    .where('user_id', '>', cursor)
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

/**
 * Returns the homes of a group and of its subgroups, each once, in order of their ids. Only homes that the group's owner can access are
 * returned.
 */
export async function listGroupHomes(db: Database, groupId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('group_members as m')
    .select('m.user_id')
    .distinct()
    .where('m.group_id', 'in', groupTreeSql(groupId))
    .where(IS_MEMBER_IN_FORCE_SQL)
    .orderBy('m.user_id')
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Returns the time zone of a group's owner. */
export async function findOwnerTimeZone(db: Database, userId: string): Promise<string> {
  const { timezone } = await db
    .selectFrom('users')
    .select('timezone')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return timezone;
}

/** Numbers of homes that a request added to a group and removed from it. */
interface MemberChangeCounts {
  added: number;
  removed: number;
}

/** Returns the accounts that the group's owner can access. Other accounts cannot be homes of the group. */
export async function filterAccessibleUsers(
  db: Database,
  ofOwner: AccountsForRole,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('users')
    .select('user_id')
    .where('user_id', '=', sql<string>`ANY (${userIds}::text[])`)
    .where(isAccountAccessibleSql(ofOwner, 'users.user_id'))
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Adds homes to a group and removes other homes from it. Adding existing members and removing absent ones has no effect. */
export async function changeGroupMembers(
  db: Database,
  groupId: string,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<MemberChangeCounts> {
  // Raw SQL: each list is one parameter. Rows are sorted, so that two concurrent changes cannot deadlock.
  return joinOrBeginTransaction(db, async (trx) => {
    const query = createQueryFunction(trx);
    const added = await query<{ user_id: string }>(
      `INSERT INTO group_members (group_id, user_id) SELECT $1, u FROM unnest($2::text[]) u ORDER BY u
       ON CONFLICT DO NOTHING RETURNING user_id`,
      [groupId, add],
    );
    const removed = await query<{ user_id: string }>(
      `DELETE FROM group_members m USING (
         SELECT user_id FROM group_members WHERE group_id = $1 AND user_id = ANY ($2::text[]) ORDER BY user_id FOR UPDATE) r
       WHERE m.group_id = $1 AND m.user_id = r.user_id RETURNING m.user_id`,
      [groupId, remove],
    );
    return { added: added.rows.length, removed: removed.rows.length };
  });
}
