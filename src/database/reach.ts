import { type RawBuilder, sql } from 'kysely';

/** The accounts that a caller's role can access: only one account, one account and those that it enrolled, or all accounts. */
export type AccountsForRole = { only: string } | { enrolledBy: string } | { all: true };

/**
 * The accounts that a caller can access (its reach): all accounts that its role can access, or only the homes among these that are in one
 * group or in the groups below it. auth/access.ts derives the reach from the caller. Functions of stores that find, list, change or delete
 * an account's data require a reach, so a call without one does not type-check. Other functions take the id of an account or device that
 * was already found within a reach (`resolveRequestedUserId`, `findDevice`): functions that create or erase, commands of `energy`, and
 * lists of the caller's own objects.
 */
export type AccessibleAccounts = AccountsForRole | { inGroup: string; of: AccountsForRole };

/** All accounts, for operators at the command line and the service itself. */
export const ALL_ACCOUNTS: AccessibleAccounts = { all: true };

/**
 * Returns the SQL condition that the account in a column is within the caller's reach. A utility may access itself and the homeowners that
 * it enrolled.
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

/**
 * Returns the SQL condition that a row of `users` is within the caller's reach. PostgreSQL finds each row through an index, however many
 * accounts there are.
 */
export function accessibleAccountsSql(reach: AccessibleAccounts): RawBuilder<boolean> {
  if (!('enrolledBy' in reach)) return isAccountAccessibleSql(reach, 'users.user_id');
  return sql<boolean>`(users.user_id = ${reach.enrolledBy}
    OR users.enrolled_by = ${reach.enrolledBy} AND users.role = 'homeowner')`;
}

/**
 * Returns the SQL condition that a row of `home_groups` is within the caller's reach. A caller limited to a group has
 * access to that group and those below it.
 */
export function accessibleGroupsSql(reach: AccessibleAccounts): RawBuilder<boolean> {
  if (!('inGroup' in reach)) return isAccountAccessibleSql(reach, 'home_groups.user_id');
  return sql<boolean>`(${isAccountAccessibleSql(reach.of, 'home_groups.user_id')} AND home_groups.group_id IN ${groupTreeSql(reach.inGroup)})`;
}

/** Returns a subquery with the `group_id` of a group and of all groups below it. */
export const groupTreeSql = (groupId: string): RawBuilder<string> => sql`(
  WITH RECURSIVE tree AS (
    SELECT group_id FROM home_groups WHERE group_id = ${groupId}
    UNION SELECT below.group_id FROM home_groups below JOIN tree ON below.parent_group_id = tree.group_id)
  SELECT group_id FROM tree)`;

const inTree = (groupId: string, account: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`${account} IN (SELECT user_id FROM group_members WHERE group_id IN ${groupTreeSql(groupId)})`;
