import { z } from 'zod';
import { ofUser, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf, reachUserId } from '#src/auth/access.ts';
import { listTariffs as list } from '#src/tariffs/store.ts';
import { tariff, toWire } from './shape.ts';

export const listTariffs = operation({
  summary: 'The tariffs of a user in order of `valid_from`, page by page.',
  method: 'GET',
  path: '/v1/tariffs',
  scope: 'tariffs:read',
  answer: z.array(tariff),
  query: z.object({ user_id: ofUser.optional(), ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) => list(context.db, reachOf(caller), userId, page);
    const rows = await pageOf(reply, url, asked, find, (one) => one.valid_from);
    return rows.map(toWire);
  },
});
