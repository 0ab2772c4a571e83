import { z } from 'zod';
import { idField, pageFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { fetchPage } from '#src/api/pages.ts';
import { adminOnly, toIdOrNotFound } from '#src/auth/access.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { listAudit as list } from '#src/users/audit.ts';
import { act, toWire } from './shape.ts';

export const listAudit = defineOperation({
  summary:
    'Who did what to whom in the last 24 months, the latest first, page by page; `user_id`: what this account did, and what was done to it. For administrators.',
  method: 'GET',
  path: '/v1/audit',
  scope: 'users:read',
  answer: z.array(act),
  query: z.object({
    user_id: idField.describe('Only what this user did, and what was done to it. Default: all.').optional(),
    ...pageFields,
  }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    adminOnly(caller);
    const userId = user_id === undefined ? undefined : toIdOrNotFound(user_id);
    const find = (page: { limit: number; cursor?: string }) =>
      list(context.db, { ...page, ...omitUndefined({ userId }) });
    return (await fetchPage(reply, url, asked, find, (one) => one.audit_id)).map(toWire);
  },
});
