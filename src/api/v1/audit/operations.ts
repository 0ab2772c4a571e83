import { z } from 'zod';
import { idField, paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { requireAdministrator, requireStorableId } from '#src/auth/access.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { listAudit as list } from '#src/users/audit.ts';
import { auditRecordSchema, auditRecordToResponse } from './shape.ts';

export const listAudit = defineOperation('GET /v1/audit', {
  summary:
    'Lists the audit log of the last 24 months, latest first, page by page. `user_id` selects the entries with this account as actor or target. For administrators.',
  scope: 'users:read',
  answer: z.array(auditRecordSchema),
  query: z.object({
    user_id: idField
      .describe('Id of a user: only entries with this user as actor or target. Default: all entries.')
      .optional(),
    ...paginationFields,
  }),
  async handle({ db, caller, query: { user_id }, page }) {
    requireAdministrator(caller);
    const userId = user_id === undefined ? undefined : requireStorableId(user_id);
    const rows = await page('audit_id', (at) => list(db, { ...at, ...omitUndefined({ userId }) }));
    return rows.map(auditRecordToResponse);
  },
});
