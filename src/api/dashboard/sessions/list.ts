import { z } from 'zod';
import { session } from '#src/api/dashboard/shapes.ts';
import { pageFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { fetchPage } from '#src/api/pages.ts';
import { listSessions as list } from '#src/auth/sessions.ts';

export const listSessions = defineOperation({
  summary: 'The caller’s own sessions, page by page: in which browsers it is signed in.',
  method: 'GET',
  path: '/v1/sessions',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: z.array(session),
  query: z.object({ ...pageFields }),
  async handle({ context: { db, clock }, caller, query, reply, url }) {
    const find = (page: { limit: number; cursor?: string }) => list(db, caller.userId, clock(), page);
    const sessions = await fetchPage(reply, url, query, find, (one) => one.session_id);
    return sessions.map((one) => ({ ...one, is_current: one.session_id === caller.keyId }));
  },
});
