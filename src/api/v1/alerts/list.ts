import { z } from 'zod';
import { listAlerts as list } from '#src/alerts/store.ts';
import { ofUser, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf, reachUserId } from '#src/auth/access.ts';
import { alert, toWire } from './shape.ts';

export const listAlerts = operation({
  summary: 'Alerts of a user, page by page.',
  method: 'GET',
  path: '/v1/alerts',
  scope: 'alerts:read',
  answer: z.array(alert),
  query: z.object({ user_id: ofUser.describe('Id of the user. Required.'), ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) => list(context.db, reachOf(caller), userId, page);
    const rows = await pageOf(reply, url, asked, find, (one) => one.alert_id);
    return rows.map(toWire);
  },
});
