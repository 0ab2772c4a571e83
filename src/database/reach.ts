import { type RawBuilder, sql } from 'kysely';

/** As far as a role reaches: the account itself, those that it enrolled, or all. */
export type RoleReach = { only: string } | { enrolledBy: string } | { all: true };

/**
 * Which accounts a caller reaches: as its role does, or of those only the homes of a group and of the groups below it. Made in auth/access.ts
 * from a caller. Stores that find, list, change or delete what belongs to an account take one, so that such a call without it does not type-check.
 * Others take the id of an account or a device that was found within a reach before (`reachUserId`, `findDevice`): those that
 * create, erasure, those of `energy`, and lists of what is the caller's own.
 */
export type Reach = RoleReach | { inGroup: string; of: RoleReach };

/** For operators at the command line and for the service itself. */
export const EVERYBODY: Reach = { all: true };

/** Condition that the account in a column lies within the reach; a utility reaches itself and its homeowners. */
export function within(reach: Reach, column: string): RawBuilder<boolean> {
  const account = sql.ref(column);
  if ('inGroup' in reach) return sql<boolean>`(${within(reach.of, column)} AND ${inTree(reach.inGroup, account)})`;
  if ('all' in reach) return sql<boolean>`true`;
  if ('only' in reach) return sql<boolean>`${account} = ${reach.only}`;
  return sql<boolean>`(${account} = ${reach.enrolledBy} OR EXISTS (
    SELECT FROM users enrolled WHERE enrolled.user_id = ${account}
      AND enrolled.enrolled_by = ${reach.enrolledBy} AND enrolled.role = 'homeowner'))`;
}

/** The same of the rows of `users` themselves: each is found by an index, however many accounts there are. */
export function accountsWithin(reach: Reach): RawBuilder<boolean> {
  if (!('enrolledBy' in reach)) return within(reach, 'users.user_id');
  return sql<boolean>`(users.user_id = ${reach.enrolledBy}
    OR users.enrolled_by = ${reach.enrolledBy} AND users.role = 'homeowner')`;
}

/** The same of the rows of `home_groups`: of whoever is limited to a group, that one and those below it. */
export function groupsWithin(reach: Reach): RawBuilder<boolean> {
  if (!('inGroup' in reach)) return within(reach, 'home_groups.user_id');
  return sql<boolean>`(${within(reach.of, 'home_groups.user_id')} AND home_groups.group_id IN ${groupTree(reach.inGroup)})`;
}

/** A group and those below it, as a subquery: their `group_id`. */
export const groupTree = (groupId: string): RawBuilder<string> => sql`(
  WITH RECURSIVE tree AS (
    SELECT group_id FROM home_groups WHERE group_id = ${groupId}
    UNION SELECT below.group_id FROM home_groups below JOIN tree ON below.parent_group_id = tree.group_id)
  SELECT group_id FROM tree)`;

const inTree = (groupId: string, account: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`${account} IN (SELECT user_id FROM group_members WHERE group_id IN ${groupTree(groupId)})`;
