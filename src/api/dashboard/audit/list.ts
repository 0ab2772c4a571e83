import { z } from 'zod';
import { namedAct } from '#src/api/dashboard/shapes.ts';
import { idField, pageFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { fetchPage } from '#src/api/pages.ts';
import { toWire } from '#src/api/v1/audit/shape.ts';
import { toIdOrNotFound } from '#src/auth/access.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { listAudit } from '#src/users/audit.ts';
import { adminOnly } from '../admin-only.ts';

export const listAuditEntries = defineOperation({
  summary:
    'Who did what to whom, as GET /v1/audit answers it, with the e-mail addresses of accounts that are there. For administrators.',
  method: 'GET',
  path: '/v1/acts',
  scope: 'users:read',
  answer: z.array(namedAct),
  query: z.object({ user_id: idField.optional(), ...pageFields }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    adminOnly(caller);
    const userId = user_id === undefined ? undefined : toIdOrNotFound(user_id);
    const find = (page: { limit: number; cursor?: string }) =>
      listAudit(context.db, { ...page, ...omitUndefined({ userId }) });
    const acts = await fetchPage(reply, url, asked, find, (one) => one.audit_id);
    return acts.map(({ actor_email, target_email, ...one }) => ({
      ...toWire({ actor_email, target_email, ...one }),
      actor_email,
      target_email,
    }));
  },
});
