import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { AppError, unprocessable } from '#src/core/errors.ts';
import { createGroup as create } from '#src/groups/store.ts';
import { group, newGroup, toWire } from './shape.ts';

export const createGroup = operation({
  summary: 'Makes a group of homes (a building, a feeder, a district). For utilities and administrators.',
  method: 'POST',
  path: '/v1/groups',
  audit: { action: 'group.created', target: 'group_id' },
  scope: 'users:write',
  answer: group,
  body: newGroup,
  async handle({ context, caller, body: { user_id, name, kind = null, parent_group_id = null } }) {
    if (caller.role === 'homeowner') throw new AppError('forbidden');
    const owner = await reachUser(context.db, caller, user_id);
    if (owner.role === 'homeowner') {
      throw unprocessable({ field: 'user_id', message: 'must be a utility or an administrator' });
    }
    const row = await create(context.db, { userId: owner.user_id, name, kind, parent_group_id });
    return toWire(row, caller.groupId);
  },
});
