import { type RawBuilder, sql } from 'kysely';

/** The accounts that a caller's role can access. `only`: this account. `enrolledBy`: this account and the homeowners that it enrolled. */
export type AccountsForRole = { only: string } | { enrolledBy: string } | { all: true };

/**
 * The accounts that a caller can access: all that its role allows, or only the homes of one group. Functions that read or change an
 * account's data require this value, so that no check of access rights can be forgotten.
 */
export type AccessibleAccounts = AccountsForRole | { inGroup: string; of: AccountsForRole };

/** Access for operators at the command line and for the service itself. */
export const ALL_ACCOUNTS: AccessibleAccounts = { all: true };

/**
 * Returns the SQL condition that the caller may access the account in a column. A utility may access its own account and the homeowners
 * that it enrolled.
 */
export function isAccountAccessibleSql(reach: AccessibleAccounts, column: string): RawBuilder<boolean> {
  const account = sql.ref(column);
  if ('inGroup' in reach)
    return sql<boolean>`(${isAccountAccessibleSql(reach.of, column)} AND ${inTree(reach.inGroup, account)})`;
  if ('all' in reach) return sql<boolean>`true`;
  if ('only' in reach) return sql<boolean>`${account} = ${reach.only}`;
  return sql<boolean>`(${account} = ${reach.enrolledBy} OR EXISTS (
    SELECT FROM users enrolled WHERE enrolled.user_id = ${account}
      AND enrolled.enrolled_by = ${reach.enrolledBy} AND enrolled.role = 'homeowner'))`;
}

/** Returns the SQL condition that the caller may access a row of `users`. */
export function accessibleAccountsSql(reach: AccessibleAccounts): RawBuilder<boolean> {
  if (!('enrolledBy' in reach)) return isAccountAccessibleSql(reach, 'users.user_id');
  return sql<boolean>`(users.user_id = ${reach.enrolledBy}
    OR users.enrolled_by = ${reach.enrolledBy} AND users.role = 'homeowner')`;
}

/** Returns the SQL condition that the caller may access a row of `home_groups`. */
export function accessibleGroupsSql(reach: AccessibleAccounts): RawBuilder<boolean> {
  if (!('inGroup' in reach)) return isAccountAccessibleSql(reach, 'home_groups.user_id');
  return sql<boolean>`(${isAccountAccessibleSql(reach.of, 'home_groups.user_id')} AND home_groups.group_id IN ${groupTreeSql(reach.inGroup)})`;
}

export const groupTreeSql = (groupId: string): RawBuilder<string> => sql`(
  WITH RECURSIVE tree AS (
    SELECT group_id FROM home_groups WHERE group_id = ${groupId}
    UNION SELECT below.group_id FROM home_groups below JOIN tree ON below.parent_group_id = tree.group_id)
  SELECT group_id FROM tree)`;

const inTree = (groupId: string, account: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`${account} IN (SELECT user_id FROM group_members WHERE group_id IN ${groupTreeSql(groupId)})`;
