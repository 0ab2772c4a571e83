import { z } from 'zod';
import { id, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { toWire, user } from '#src/api/v1/users/shape.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { listMembers } from '#src/groups/members.ts';
import { findGroup } from '#src/groups/store.ts';

export const listGroupUsers = operation({
  summary: 'The homes of a group, page by page, without those of groups below it.',
  method: 'GET',
  path: '/v1/groups/{group_id}/users',
  scope: 'users:read',
  answer: z.array(user),
  params: z.object({ group_id: id }),
  query: z.object(page),
  async handle({ context, caller, params, query: asked, reply, url }) {
    const { group_id } = orNotFound(await findGroup(context.db, reachOf(caller), holdable(params.group_id)));
    const find = (page: { limit: number; cursor?: string }) => listMembers(context.db, group_id, page);
    const rows = await pageOf(reply, url, asked, find, (one) => one.user_id);
    return rows.map(toWire);
  },
});
