import { z } from 'zod';
import { idField, pageFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { fetchPage } from '#src/api/pages.ts';
import { requireAdministrator, toIdOrNotFound } from '#src/auth/access.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { listAudit as list } from '#src/users/audit.ts';
import { auditRecord, toResponse } from './shape.ts';

export const listAudit = defineOperation({
  summary:
    'Lists the audit log of the last 24 months, latest first, page by page. `user_id` selects the entries with this account as actor or target. For administrators.',
  method: 'GET',
  path: '/v1/audit',
  scope: 'users:read',
  answer: z.array(auditRecord),
  query: z.object({
    user_id: idField
      .describe('Id of a user: only entries with this user as actor or target. Default: all entries.')
      .optional(),
    ...pageFields,
  }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    requireAdministrator(caller);
    const userId = user_id === undefined ? undefined : toIdOrNotFound(user_id);
    const find = (page: { limit: number; cursor?: string }) =>
      list(context.db, { ...page, ...omitUndefined({ userId }) });
    return (await fetchPage(reply, url, asked, find, (one) => one.audit_id)).map(toResponse);
  },
});
