import { z } from 'zod';
import { listAlerts as list } from '#src/alerts/store.ts';
import { id, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import * as shapes from '#src/api/shapes.ts';
import { reachOf, reachUserId } from '#src/auth/access.ts';

export const listAlerts = operation({
  summary: 'Alerts of a user, page by page.',
  method: 'GET',
  path: '/v1/alerts',
  scope: 'alerts:read',
  answer: z.array(shapes.alert),
  query: z.object({ user_id: id, ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    return pageOf(
      reply,
      url,
      asked,
      (page) => list(context.db, reachOf(caller), userId, page),
      (one) => one.alert_id,
    );
  },
});
