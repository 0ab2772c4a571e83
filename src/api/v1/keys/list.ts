import { z } from 'zod';
import { ofUser, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf, reachUserId } from '#src/auth/access.ts';
import { listKeys as list } from '#src/auth/keys.ts';
import { key, toWire } from './shape.ts';

export const listKeys = operation({
  summary: 'The keys of a user that are not revoked, page by page; never the keys themselves.',
  method: 'GET',
  path: '/v1/keys',
  scope: 'keys:write',
  answer: z.array(key),
  query: z.object({ user_id: ofUser.optional(), ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) => list(context.db, reachOf(caller), userId, page);
    const rows = await pageOf(reply, url, asked, find, (one) => one.key_id);
    return rows.map(toWire);
  },
});
