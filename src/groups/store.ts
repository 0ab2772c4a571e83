import { type Selectable, sql } from 'kysely';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, accessibleGroupsSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { IS_MEMBER_IN_FORCE_SQL } from './members.ts';

const COLUMNS = ['group_id', 'user_id', 'name', 'kind', 'parent_group_id', 'created_at'] as const;

/** A group of homes. `members`: number of its homes that the group's owner can access, without homes of subgroups. */
export type Group = Pick<Selectable<Tables['home_groups']>, (typeof COLUMNS)[number]> & { members: number };

interface GroupSettings {
  name: string;
  kind: string | null;
  parent_group_id: string | null;
}

/** Maximum number of groups of one owner. It is higher than the number of a utility's feeders. */
const MAX_GROUPS = 10_000;

const MEMBERS = sql<number>`(SELECT count(*)::int FROM group_members m WHERE m.group_id = home_groups.group_id AND ${IS_MEMBER_IN_FORCE_SQL})`;

/** Creates a group for an owner. Error 422 if the group cannot be a subgroup of `parent_group_id`, 409 if the owner has too many groups. */
export async function createGroup(
  db: Database,
  { userId, ...settings }: GroupSettings & { userId: string },
): Promise<Group> {
  return joinOrBeginTransaction(db, async (trx) => {
    const groups = await lockGroups(trx, userId);
    if (groups.length >= MAX_GROUPS) throw new AppError('tooManyGroups');
    mayBePart(groups, null, settings.parent_group_id);
    const created = await trx
      .insertInto('home_groups')
      .values({ ...settings, group_id: createId('grp'), user_id: userId })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    return { ...created, members: 0 };
  });
}

/** Returns a group that the caller can access, or null. */
export async function findGroup(db: Database, reach: AccessibleAccounts, groupId: string): Promise<Group | null> {
  const row = await db
    .selectFrom('home_groups')
    .select([...COLUMNS, MEMBERS.as('members')])
    .where('group_id', '=', groupId)
    .where(accessibleGroupsSql(reach))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Returns at most `limit` groups that the caller can access, in order of their ids, after `cursor`. `userId` limits them to one
 * owner.
 */
export async function listGroups(
  db: Database,
  reach: AccessibleAccounts,
  { userId, limit, cursor = '' }: { userId?: string; limit: number; cursor?: string },
): Promise<Group[]> {
  let query = db
    .selectFrom('home_groups')
    .select([...COLUMNS, MEMBERS.as('members')])
    .where(accessibleGroupsSql(reach))
    .where('group_id', '>', cursor)
    .orderBy('group_id')
    .limit(limit);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  return query.execute();
}

/**
 * Updates a group that the caller can access. Returns null if there is no such group. Error 422 if the group cannot be a subgroup of
 * `parent_group_id`.
 */
export async function updateGroup(
  db: Database,
  reach: AccessibleAccounts,
  groupId: string,
  patch: Partial<GroupSettings>,
): Promise<Group | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const group = await findGroup(trx, reach, groupId);
    if (!group || Object.keys(patch).length === 0) return group;
    if (patch.parent_group_id !== undefined)
      mayBePart(await lockGroups(trx, group.user_id), groupId, patch.parent_group_id);
    await trx.updateTable('home_groups').set(patch).where('group_id', '=', groupId).execute();
    return findGroup(trx, reach, groupId);
  });
}

/**
 * Deletes a group that the caller can access, and the API keys that are limited to the group. Returns false if there is no such group.
 * Error 409 if the group has subgroups.
 */
export async function deleteGroup(db: Database, reach: AccessibleAccounts, groupId: string): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    const group = await findGroup(trx, reach, groupId);
    if (!group) return false;
    const groups = await lockGroups(trx, group.user_id);
    if (groups.some(({ parent_group_id }) => parent_group_id === groupId)) throw new AppError('groupHasSubgroups');
    const { numDeletedRows } = await trx.deleteFrom('home_groups').where('group_id', '=', groupId).executeTakeFirst();
    return numDeletedRows > 0n;
  });
}

function mayBePart(groups: Awaited<ReturnType<typeof lockGroups>>, groupId: string | null, parentId: string | null) {
  const message = parentId === null ? null : explainRefusedParent(groups, groupId, parentId);
  if (message !== null) throw createUnprocessableError({ field: 'parent_group_id', message });
}

/**
 * Locks all groups of an owner until the transaction ends, so that two concurrent changes cannot create a cycle. Then reads the
 * groups again.
 */
async function lockGroups(trx: Database, userId: string) {
  const groups = trx.selectFrom('home_groups').select(['group_id', 'parent_group_id']).where('user_id', '=', userId);
  await groups.orderBy('group_id').forUpdate().execute();
  return groups.execute();
}

/** Maximum number of levels of nested groups. Queries read all levels of a group. */
const MAX_DEPTH = 8;

interface GroupNode {
  group_id: string;
  parent_group_id: string | null;
}

/**
 * Returns the reason why a group cannot be a subgroup of `parentId`; null if it can. `groups`: all groups of the owner.
 * `groupId`: null for a new group.
 */
function explainRefusedParent(groups: readonly GroupNode[], groupId: string | null, parentId: string): string | null {
  const parents = new Map(groups.map(({ group_id, parent_group_id }) => [group_id, parent_group_id]));
  if (!parents.has(parentId)) return 'must be another group of the same owner';
  let above = 0;
  for (let one: string | null = parentId; one !== null && above <= groups.length; one = parents.get(one) ?? null) {
    if (one === groupId) return 'must not be the group itself, or one below it';
    above++;
  }
  const below = groupId === null ? 1 : countLevels(groups, groupId);
  return above + below > MAX_DEPTH ? `must leave the tree ${MAX_DEPTH} levels deep at most` : null;
}

function countLevels(groups: readonly GroupNode[], groupId: string): number {
  const children = Map.groupBy(groups, ({ parent_group_id }) => parent_group_id);
  let level = [groupId];
  let levels = 0;
  for (; level.length > 0 && levels <= groups.length; levels++)
    level = level.flatMap((id) => (children.get(id) ?? []).map(({ group_id }) => group_id));
  return levels;
}
