import { z } from 'zod';
import { page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf } from '#src/auth/access.ts';
import { listUsers as list } from '#src/users/store.ts';
import { toWire, user } from './shape.ts';

/** Nothing typed yet means everybody. */
const search = z
  .string()
  .max(254)
  .refine((value) => !value.includes('\0'), 'must not contain NUL')
  .describe('Part of the e-mail address, in any case. Default: every account.');

export const listUsers = operation({
  summary: 'The accounts that the caller reaches, page by page.',
  method: 'GET',
  path: '/v1/users',
  scope: 'users:read',
  answer: z.array(user),
  query: z.object({ search: search.optional(), ...page }),
  async handle({ context, caller, query: { search = '', ...asked }, reply, url }) {
    const find = (page: { limit: number; cursor?: string }) => list(context.db, reachOf(caller), { search, ...page });
    const rows = await pageOf(reply, url, asked, find, (one) => one.user_id);
    return rows.map(toWire);
  },
});
