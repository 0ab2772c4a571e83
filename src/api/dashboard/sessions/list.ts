import { z } from 'zod';
import { session } from '#src/api/dashboard/shapes.ts';
import { page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { listSessions as list } from '#src/auth/sessions.ts';

export const listSessions = operation({
  summary: 'The caller’s own sessions, page by page: in which browsers it is signed in.',
  method: 'GET',
  path: '/v1/sessions',
  scope: 'keys:write',
  answer: z.array(session),
  query: z.object({ ...page }),
  async handle({ context: { db, clock }, caller, query, reply, url }) {
    const find = (page: { limit: number; cursor?: string }) => list(db, caller.userId, clock(), page);
    const sessions = await pageOf(reply, url, query, find, (one) => one.session_id);
    return sessions.map((one) => ({ ...one, is_current: one.session_id === caller.keyId }));
  },
});
