import { z } from 'zod';
import { page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { AppError } from '#src/core/errors.ts';
import { PLANS, ROLES } from '#src/database/enums.ts';
import { countDevices, hasAttention, hasSilent } from '#src/devices/fleet/accounts.ts';
import { listUsers as list } from '#src/users/store.ts';
import { listedUser, toWire } from './shape.ts';

/** Nothing typed yet means everybody. */
const search = z
  .string()
  .max(254)
  .refine((value) => !value.includes('\0'), 'must not contain NUL')
  .describe('Part of the e-mail address, in any case. Default: every account.');

const yesOrNo = z.enum(['true', 'false']);

export const listUsers = operation({
  summary:
    'The accounts that the caller reaches, page by page. What is asked about their devices needs `devices:read`, too.',
  method: 'GET',
  path: '/v1/users',
  scope: 'users:read',
  answer: z.array(listedUser),
  query: z.object({
    search: search.optional(),
    role: z.enum(ROLES).optional().describe('Only accounts of this role. Default: of any.'),
    plan: z.enum(PLANS).optional().describe('Only accounts on this plan. Default: on any.'),
    has_attention: yesOrNo
      .optional()
      .describe('Only accounts with (`true`) or without (`false`) a device that wants its owner. Default: all.'),
    silent: yesOrNo
      .optional()
      .describe(
        'Only accounts with (`true`) or without (`false`) a device that was silent for 24 hours. Default: all.',
      ),
    include: z
      .enum(['devices'])
      .optional()
      .describe('`devices`: adds how many devices each account has. Default: nothing.'),
    ...page,
  }),
  async handle({ context, caller, query, reply, url }) {
    const { search = '', role, plan, has_attention, silent, include, ...asked } = query;
    const isAboutDevices = [has_attention, silent, include].some((one) => one !== undefined);
    if (isAboutDevices && !caller.scopes.has('devices:read')) throw new AppError('forbidden');
    const now = context.clock();
    const find = (page: { limit: number; cursor?: string }) => {
      const also = [
        ...(has_attention === undefined ? [] : [hasAttention(has_attention === 'true')]),
        ...(silent === undefined ? [] : [hasSilent(silent === 'true', { now, ...page })]),
      ];
      return list(context.db, reachOf(caller), { search, also, ...defined({ role, plan }), ...page });
    };
    const rows = await pageOf(reply, url, asked, find, (one) => one.user_id);
    if (include === undefined) return rows.map(toWire);
    const ids = rows.map(({ user_id }) => user_id);
    const counts = await countDevices(context.db, ids, now);
    const none = { total: 0, silent: 0, faulty: 0 };
    return rows.map((row) => ({ ...toWire(row), devices: counts.get(row.user_id) ?? none }));
  },
});
