import { z } from 'zod';
import { id, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf, reachUser } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { listGroups as list } from '#src/groups/store.ts';
import { group, toWire } from './shape.ts';

export const listGroups = operation({
  summary: 'The groups of homes that the caller reaches, page by page.',
  method: 'GET',
  path: '/v1/groups',
  scope: 'users:read',
  answer: z.array(group),
  query: z.object({ user_id: id.describe('Only groups of this owner. Default: all.').optional(), ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const owner = user_id === undefined ? undefined : await reachUser(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) =>
      list(context.db, reachOf(caller), { ...page, ...defined({ userId: owner?.user_id }) });
    const rows = await pageOf(reply, url, asked, find, (one) => one.group_id);
    return rows.map((row) => toWire(row, caller.groupId));
  },
});
