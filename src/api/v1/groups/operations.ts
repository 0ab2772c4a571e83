import { z } from 'zod';
import { idField, paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import { userSchema, userToResponse } from '#src/api/v1/users/shape.ts';
import {
  getAccessibleAccounts,
  getAccessibleAccountsOfRole,
  loadAccessibleUser,
  requireStorableId,
} from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import { changeGroupMembers, filterAccessibleUsers, listGroupMembers } from '#src/groups/members.ts';
import * as groupStore from '#src/groups/store.ts';
import { findUser } from '#src/users/store.ts';
import * as shapes from './shape.ts';

export const createGroup = defineOperation('POST /v1/groups', {
  summary: 'Creates a group of homes (a building, a feeder, a district). For utilities and administrators.',
  audit: { action: 'group.created', target: 'group_id' },
  scope: 'users:write',
  answer: shapes.groupSchema,
  body: shapes.newGroupSchema,
  async handle({ db, caller, body: { user_id, name, kind = null, parent_group_id = null } }) {
    if (caller.role === 'homeowner') throw new AppError('forbidden');
    const owner = await loadAccessibleUser(db, caller, user_id);
    if (owner.role === 'homeowner') {
      throw createUnprocessableError({ field: 'user_id', message: 'must be a utility or an administrator' });
    }
    const row = await groupStore.createGroup(db, { userId: owner.user_id, name, kind, parent_group_id });
    return shapes.groupToResponse(row, caller.groupId);
  },
});

export const listGroups = defineOperation('GET /v1/groups', {
  summary: 'Lists the groups of homes that the caller can access, page by page.',
  scope: 'users:read',
  answer: z.array(shapes.groupSchema),
  query: z.object({
    user_id: idField.describe('Id of an owner: only the owner’s groups. Default: all.').optional(),
    ...paginationFields,
  }),
  async handle({ db, caller, reach, query: { user_id }, page }) {
    const owner = user_id === undefined ? undefined : await loadAccessibleUser(db, caller, user_id);
    const rows = await page('group_id', (at) =>
      groupStore.listGroups(db, reach, { ...at, ...omitUndefined({ userId: owner?.user_id }) }),
    );
    return rows.map((row) => shapes.groupToResponse(row, caller.groupId));
  },
});

export const getGroup = defineOperation('GET /v1/groups/{group_id}', {
  summary: 'Returns one group of homes.',
  scope: 'users:read',
  answer: shapes.groupSchema,
  handle: async ({ db, caller, reach, params }) =>
    shapes.groupToResponse(requireFound(await groupStore.findGroup(db, reach, params.group_id)), caller.groupId),
});

export const updateGroup = defineOperation('PATCH /v1/groups/{group_id}', {
  summary: 'Changes a group’s name, kind or parent.',
  audit: { action: 'group.changed', target: 'group_id' },
  scope: 'users:write',
  answer: shapes.groupSchema,
  body: shapes.groupPatchSchema,
  async handle({ db, caller, reach, params, body: patch }) {
    const row = await groupStore.updateGroup(db, reach, params.group_id, omitUndefined(patch));
    return shapes.groupToResponse(requireFound(row), caller.groupId);
  },
});

export const deleteGroup = defineOperation('DELETE /v1/groups/{group_id}', {
  summary: 'Deletes a group, and the keys that are limited to it. Its homes do not change.',
  audit: { action: 'group.deleted', target: 'group_id' },
  scope: 'users:write',
  answer: messageSchema,
  handle: async ({ db, reach, params }) =>
    respondOrThrowNotFound(
      await groupStore.deleteGroup(db, reach, params.group_id),
      `Group ${params.group_id} was deleted`,
    ),
});

export const listGroupUsers = defineOperation('GET /v1/groups/{group_id}/users', {
  summary: 'Lists the homes of a group, page by page, without the homes of its subgroups.',
  scope: 'users:read',
  answer: z.array(userSchema),
  query: z.object(paginationFields),
  async handle({ db, reach, params, page }) {
    const { group_id } = requireFound(await groupStore.findGroup(db, reach, params.group_id));
    const rows = await page('user_id', (at) => listGroupMembers(db, group_id, at));
    return rows.map(userToResponse);
  },
});

export const changeGroupUsers = defineOperation('POST /v1/groups/{group_id}/users', {
  summary: 'Adds homes to a group and removes others, up to 10,000 each; all of them or none.',
  audit: { action: 'group.homes_changed', target: 'group_id' },
  scope: 'users:write',
  status: 200,
  answer: shapes.changedGroupSchema,
  body: shapes.memberChangesSchema,
  handle: ({ db, caller, params, body }) =>
    change(db, caller, params.group_id, { ...body, fieldOf: (index) => `add.${index}` }),
});

export const addGroupUser = defineOperation('PUT /v1/groups/{group_id}/users/{user_id}', {
  summary: 'Adds a home to a group. Adding a member again changes nothing.',
  audit: { action: 'group.home_added', target: 'user_id', of: 'group_id' },
  scope: 'users:write',
  answer: shapes.changedGroupSchema,
  handle: ({ db, caller, params }) =>
    change(db, caller, params.group_id, { add: [params.user_id], fieldOf: () => 'user_id' }),
});

export const removeGroupUser = defineOperation('DELETE /v1/groups/{group_id}/users/{user_id}', {
  summary: 'Removes a home from a group. The home itself does not change.',
  audit: { action: 'group.home_removed', target: 'user_id', of: 'group_id' },
  scope: 'users:write',
  answer: shapes.changedGroupSchema,
  async handle({ db, caller, params }) {
    const done = await change(db, caller, params.group_id, {
      remove: [params.user_id],
      fieldOf: () => 'user_id',
    });
    if (done.removed === 0) throw new AppError('notFound');
    return done;
  },
});

interface Change {
  add?: readonly string[];
  remove?: readonly string[];
  /** Returns the name of the field at this index of `add`, for error messages. */
  fieldOf(index: number): string;
}

/**
 * Adds homes to a group and removes homes from it, all or none. Throws 404 if the caller cannot access the group, or if the group's owner
 * cannot access a home to add.
 */
async function change(
  db: Database,
  caller: Caller,
  groupId: string,
  { add = [], remove = [], fieldOf }: Change,
): Promise<z.output<typeof shapes.changedGroupSchema>> {
  const reach = getAccessibleAccounts(caller);
  const { group_id, user_id } = requireFound(await groupStore.findGroup(db, reach, requireStorableId(groupId)));
  const owner = requireFound(await findUser(db, reach, user_id));
  for (const id of [...add, ...remove]) requireStorableId(id);
  const known = await filterAccessibleUsers(
    db,
    getAccessibleAccountsOfRole({ role: owner.role, userId: owner.user_id }),
    add,
  );
  const unknown = add.flatMap((id, index) => (known.has(id) ? [] : [{ field: fieldOf(index), message: NO_HOME }]));
  if (unknown.length > 0) throw new AppError('notFound', { details: unknown });
  const done = await changeGroupMembers(db, group_id, { add, remove });
  const { members } = requireFound(await groupStore.findGroup(db, reach, group_id));
  return { group_id, ...done, members };
}

const NO_HOME = 'must be a user that the owner of the group can access';
